/* Which event is in this row, when the row is as simple as nearly all are? */
#include "core/trace/readers/nsys_plain_row.h"

#include <stdlib.h>
#include <string.h>

/* Longer numbers are left to others, so that nothing here overflows before it is compared. */
enum { DIGITS_MAX = 18, SHORT_DIGITS = 9, FRACTION_ONE = 1000000000 };

/* What is done with a field. */
enum field_action { FIELD_SKIP, FIELD_START, FIELD_DURATION, FIELD_MEMBER, FIELD_TEXT, FIELD_DEVICE, FIELD_NAME };

struct plain_field {
    enum field_action action;
    enum nsys_role role;
    size_t column;
    bool may_be_empty; /* and then says nothing */
    int64_t factor, max;
    struct event_member member;
};

/* A cell in the line. */
struct cell {
    const char *text;
    size_t length;
};

/* A line that is being read. */
struct scan {
    struct nsys_plain *plain;
    const char *at, *end; /* of the line's last field */
    struct cpprof_event *event;
    struct cell source, target;
    const struct plain_name *name;
    bool has_stream;
    size_t finer_count; /* cells with more digits than any before */
    struct {
        size_t column;
        int digits;
    } finer[NSYS_COLUMNS_MAX];
};

/* ---- columns ---- */

static enum field_action action_of(const struct nsys_column *column)
{
    switch (column->role) {
    case NSYS_START: return FIELD_START;
    case NSYS_DURATION: return FIELD_DURATION;
    case NSYS_DEVICE: return FIELD_DEVICE;
    case NSYS_NAME: return FIELD_NAME;
    case NSYS_SOURCE_MEMORY:
    case NSYS_TARGET_MEMORY: return FIELD_TEXT;
    case NSYS_STREAM:
    case NSYS_NO_ROLE: break;
    }
    return column->member.bytes ? FIELD_MEMBER : FIELD_SKIP;
}

static void plan_column(struct nsys_plain *p, size_t column)
{
    const struct nsys_table *t = p->table;
    const struct nsys_column *described = &t->layout->columns[column];
    if (t->field[column] >= p->field_count)
        return;
    p->fields[t->field[column]] = (struct plain_field){
        .action = action_of(described),
        .role = described->role,
        .may_be_empty = described->role != NSYS_START && described->role != NSYS_DURATION &&
                        described->role != NSYS_DEVICE && described->role != NSYS_NAME,
        .column = column,
        .factor = t->factor[column],
        .max = described->role == NSYS_START ? EVENT_TIME_NS_MAX : NSYS_DURATION_NS_MAX,
        .member = described->member,
    };
}

int nsys_plain_init(struct nsys_plain *p, struct nsys_table *t, struct err *e)
{
    *p = (struct nsys_plain){.table = t, .field_count = t->field_count, .last_device = &p->devices[0]};
    p->fields = calloc(t->field_count + 1, sizeof *p->fields);
    if (!p->fields)
        return err_memory(e);
    for (size_t column = 0; column < t->layout->column_count; column++)
        plan_column(p, column);
    for (size_t i = 0; i < t->member_count; i++)
        p->fields[t->members[i].field].max = t->members[i].max;
    return 0;
}

void nsys_plain_release(struct nsys_plain *p)
{
    free(p->fields);
    p->fields = NULL;
}

void nsys_plain_forget_names(struct nsys_plain *p)
{
    memset(p->names, 0, sizeof p->names);
}

/* ---- cells ---- */

/* Lines have NSYS_PLAIN_MARGIN bytes behind them. */
static inline uint64_t bytes_at(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* Does a cell end here? */
static bool ends_here(const struct scan *s, const char *at)
{
    return *at == ',' || at == s->end;
}

/* Goes behind a field without quotes and without spaces around it, as take_bare in core/io/csv.c does. */
static bool take_text(struct scan *s, struct cell *out)
{
    static const bool stops[256] = {[','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true, ['\0'] = true};
    const char *from = s->at, *at = from;
    while (!stops[(unsigned char)*at])
        at++;
    if (!ends_here(s, at))
        return false;
    *out = (struct cell){from, (size_t)(at - from)};
    s->at = at;
    return at == from || (from[0] != ' ' && from[0] != '\t' && at[-1] != ' ' && at[-1] != '\t');
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first of eight digits is the lowest byte");

static const int64_t powers[SHORT_DIGITS + 1] = {1,      10,      100,      1000,      10000,
                                                 100000, 1000000, 10000000, 100000000, 1000000000};

/* Reads up to eight digits at once: neighbours are added as two, four and then eight digits. Returns how many there
 * are. */
static inline size_t take_eight(const char *at, uint64_t *value)
{
    const uint64_t bytes = bytes_at(at) ^ UINT64_C(0x3030303030303030); /* a digit becomes 0 to 9 */
    const uint64_t others = ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    const size_t count = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
    uint64_t sum = count ? bytes << (64 - 8 * count) : 0; /* the first digit is the lowest byte */
    sum = sum * (10 * 0x100 + 1) >> 8;
    sum = (sum & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 0x10000 + 1) >> 16;
    sum = (sum & UINT64_C(0x0000ffff0000ffff)) * (10000 * UINT64_C(0x100000000) + 1) >> 32;
    *value = sum;
    return count;
}

/* Reads digits up to the first byte that is none. Returns how many there are; more than DIGITS_MAX have no value. */
static inline size_t take_digits(const char **at, int64_t *value)
{
    const char *from = *at;
    const unsigned first = (unsigned)(unsigned char)from[0] - '0';
    uint64_t sum, more;
    if (first <= 9 && (unsigned)(unsigned char)from[1] - '0' > 9) { /* nearly all are that short */
        *value = first;
        ++*at;
        return 1;
    }
    size_t count = take_eight(from, &sum);
    *at += count;
    while (count == 8 && *at - from <= DIGITS_MAX) {
        count = take_eight(*at, &more);
        sum = sum * (uint64_t)powers[count] + more;
        *at += count;
    }
    *value = (int64_t)sum;
    return (size_t)(*at - from);
}

/* As decimal_read rounds. Both have at most 9 digits, and factors are at most 2^30. */
static int64_t with_fraction(int64_t whole, int64_t fraction, size_t digits, int64_t factor)
{
    fraction *= powers[SHORT_DIGITS - digits];
    return whole * factor + (fraction ? (fraction * factor + FRACTION_ONE / 2) / FRACTION_ONE : 0);
}

static void note_digits(struct scan *s, size_t column, int digits)
{
    if (digits <= s->plain->table->fraction_digits[column])
        return;
    s->finer[s->finer_count].column = column;
    s->finer[s->finer_count++].digits = digits;
}

/* Gives a number of ns or bytes, from 0 to the most that the field allows. *digits is 0 when the cell is empty. */
static inline bool take_number(struct scan *s, const struct plain_field *f, size_t *digits, int64_t *out)
{
    const char *at = s->at;
    int64_t value, fraction;
    *digits = take_digits(&at, &value);
    if (*at == '.') {
        at++;
        const size_t places = take_digits(&at, &fraction);
        if (!*digits || *digits > SHORT_DIGITS || !places || places > SHORT_DIGITS)
            return false;
        value = with_fraction(value, fraction, places, f->factor);
        note_digits(s, f->column, (int)places);
    } else if (*digits > DIGITS_MAX || __builtin_mul_overflow(value, f->factor, &value)) {
        return false;
    }
    s->at = at;
    *out = value;
    return ends_here(s, at) && value <= f->max;
}

static bool take_time(struct scan *s, const struct plain_field *f, int64_t *out)
{
    size_t digits;
    return take_number(s, f, &digits, out) && digits;
}

static bool take_member(struct scan *s, const struct plain_field *f)
{
    size_t digits;
    int64_t value;
    if (!take_number(s, f, &digits, &value))
        return false;
    if (f->role == NSYS_STREAM)
        s->has_stream = digits > 0;
    char *to = (char *)s->event + f->member.offset; /* as event_member_set does */
    const uint16_t narrow = (uint16_t)value;
    const uint32_t middle = (uint32_t)value;
    if (f->member.bytes == sizeof narrow)
        memcpy(to, &narrow, sizeof narrow);
    else if (f->member.bytes == sizeof middle)
        memcpy(to, &middle, sizeof middle);
    else
        memcpy(to, &value, sizeof value);
    return true;
}

/* ---- devices ---- */

/* Reads the number in "NVIDIA A100 80GB PCIe (0)". */
static bool read_ordinal(const struct cell *cell, int16_t *out)
{
    if (cell->length < 3 || cell->text[cell->length - 1] != ')')
        return false;
    const char *end = cell->text + cell->length - 1, *at = end;
    while (at > cell->text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    if (at == cell->text || at[-1] != '(' || at == end || end - at > 4)
        return false;
    int64_t ordinal;
    take_digits(&at, &ordinal);
    *out = (int16_t)ordinal;
    return true;
}

static bool take_device(struct scan *s)
{
    struct cell cell;
    const struct plain_device *last = s->plain->last_device;
    if (!memcmp(s->at, last->text, last->length) && s->at[last->length] == ',' && last->length) {
        s->at += last->length;
        s->event->device = last->ordinal;
        return true;
    }
    if (!take_text(s, &cell) || cell.length < 2 || cell.length > sizeof s->plain->devices[0].text)
        return false;
    struct plain_device *known = &s->plain->devices[(unsigned char)cell.text[cell.length - 2] % PLAIN_DEVICES];
    if (known->length != cell.length || memcmp(known->text, cell.text, cell.length) != 0) {
        known->length = 0;
        if (!read_ordinal(&cell, &known->ordinal))
            return false;
        memcpy(known->text, cell.text, cell.length);
        known->length = cell.length;
    }
    s->plain->last_device = known;
    s->event->device = known->ordinal;
    return true;
}

/* ---- names ---- */

/* Names that differ usually differ here. */
static size_t place_of_name(const struct cell *name)
{
    uint64_t sum = name->length;
    if (name->length < sizeof sum)
        sum = sum << 8 ^ (unsigned char)name->text[0] ^ (unsigned char)name->text[name->length - 1];
    else
        sum ^= bytes_at(name->text + name->length - sizeof sum) ^
               bytes_at(name->text + (name->length - sizeof sum) / 2) ^ bytes_at(name->text) << 1;
    return (size_t)(sum * UINT64_C(0x9e3779b97f4a7c15) >> 56) % PLAIN_NAMES;
}

/* Can nothing of this be a mark of a missing name, the end of a line, or a quote? */
static bool is_safe_name(const struct cell *name)
{
    static const char doubtful[] = {'\0', '\r', '"'};
    for (size_t i = 0; i < sizeof doubtful; i++)
        if (memchr(name->text, doubtful[i], name->length))
            return false;
    const bool is_none = name->length == 4 && !memcmp(name->text, "None", 4);
    return name->length && !is_none && !(name->length == 1 && name->text[0] == '-');
}

/* Makes the name known, if it is one of work that is understood. */
static bool learn_name(struct nsys_plain *p, const struct cell *name, struct plain_name *out)
{
    out->text = NULL;
    const uint32_t id = is_safe_name(name) ? strtab_add_bytes(p->table->sink->strings, name->text, name->length) : 0;
    const struct nsys_meaning *meaning = id ? nsys_table_meaning(p->table, id) : NULL;
    if (!meaning || !meaning->kind)
        return false;
    const bool has_direction = meaning->kind == CPPROF_EVENT_COPY || meaning->kind == CPPROF_EVENT_MIGRATION;
    if (has_direction && meaning->direction == CPPROF_COPY_UNKNOWN)
        return false;
    *out = (struct plain_name){strtab_text(p->table->sink->strings, id), name->length, id, meaning->kind,
                               has_direction ? meaning->direction : CPPROF_COPY_UNKNOWN};
    return true;
}

/* Finds the end of the cell. The last one of a line ends where the line ends. */
static bool find_name(struct scan *s, bool is_last, struct cell *out)
{
    if (*s->at != '"') {
        if (!is_last || s->at == s->end)
            return take_text(s, out);
        /* a comma, or a space around it, is not in a name that is known, nor in one that is learned */
        *out = (struct cell){s->at, (size_t)(s->end - s->at)};
        s->at = s->end;
        return true;
    }
    const char *from = s->at + 1;
    const char *quote = is_last ? s->end - 1 : memchr(from, '"', (size_t)(s->end - from));
    if (!quote || quote < from || *quote != '"')
        return false;
    *out = (struct cell){from, (size_t)(quote - from)};
    s->at = quote + 1;
    return ends_here(s, s->at);
}

static bool take_name(struct scan *s, bool is_last)
{
    struct cell cell;
    const char *from = s->at;
    const bool is_bare = *from != '"';
    if (!find_name(s, is_last, &cell) || !cell.length)
        return false;
    struct plain_name *known = &s->plain->names[(place_of_name(&cell) & ~(size_t)1) | is_bare];
    if (!known->text || known->length != cell.length || memcmp(known->text, cell.text, cell.length) != 0) {
        const char *behind = s->at;
        s->at = from;
        if ((is_bare && (!take_text(s, &cell) || s->at != behind)) || !learn_name(s->plain, &cell, known))
            return false;
        s->at = behind;
    }
    s->name = known;
    return true;
}

/* ---- rows ---- */

static bool take_field(struct scan *s, const struct plain_field *f, bool is_last)
{
    struct cell ignored;
    switch (f->action) {
    case FIELD_SKIP: return take_text(s, &ignored);
    case FIELD_START: return take_time(s, f, &s->event->start_ns);
    case FIELD_DURATION: return take_time(s, f, &s->event->end_ns); /* until the row is whole */
    case FIELD_MEMBER: return take_member(s, f);
    case FIELD_TEXT: return take_text(s, f->role == NSYS_SOURCE_MEMORY ? &s->source : &s->target);
    case FIELD_DEVICE: return take_device(s);
    case FIELD_NAME: return take_name(s, is_last);
    }
    return false;
}

static bool take_all_fields(struct scan *s)
{
    const struct nsys_plain *p = s->plain;
    for (size_t i = 0; i < p->field_count; i++) {
        const bool is_last = i + 1 == p->field_count;
        if (*s->at == ',' && p->fields[i].may_be_empty && !is_last) {
            s->at++;
            continue;
        }
        if (!take_field(s, &p->fields[i], is_last) || (s->at == s->end) != is_last)
            return false;
        s->at++;
    }
    return s->name != NULL;
}

static bool is_pageable(const struct cell *memory)
{
    return memory->length == 8 && !memcmp(memory->text, "Pageable", 8);
}

static void complete(struct scan *s)
{
    struct cpprof_event *event = s->event;
    struct nsys_table *t = s->plain->table;
    event->end_ns += event->start_ns;
    event->name = s->name->id;
    event->kind = s->name->kind;
    event->detail = s->name->direction;
    if (event->kind == CPPROF_EVENT_COPY || event->kind == CPPROF_EVENT_MIGRATION)
        event->flags = (uint16_t)((is_pageable(&s->source) ? CPPROF_EVENT_SRC_PAGEABLE : 0u) |
                                  (is_pageable(&s->target) ? CPPROF_EVENT_DST_PAGEABLE : 0u));
    t->has_sizes |= event->size_bytes > 0;
    t->unplaced += !s->has_stream && event->kind != CPPROF_EVENT_MIGRATION;
    for (size_t i = 0; i < s->finer_count; i++)
        t->fraction_digits[s->finer[i].column] = s->finer[i].digits;
}

bool nsys_plain_read(struct nsys_plain *p, const char *line, const char *newline, struct cpprof_event *event)
{
    struct scan s;
    s.plain = p;
    s.at = line;
    s.end = newline;
    s.event = event;
    s.source = s.target = (struct cell){0};
    s.name = NULL;
    s.has_stream = false;
    s.finer_count = 0;
    if (newline > line && newline[-1] == '\r')
        s.end--;
    *event = (struct cpprof_event){.rank = -1};
    if (!take_all_fields(&s))
        return false;
    complete(&s);
    return true;
}
