/* How does a table look on a terminal, which may be narrower than it is? */
#include "reports/document/text_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "reports/document/shorten.h"
#include "reports/document/status_words.h"
#include "reports/document/wrap.h"

enum {
    GAP = 2,          /* between columns */
    NAME_LEAST = 12,  /* a shorter name says too little */
    WORDS_LEAST = 24, /* sentences of narrower columns are hard to read */
    KEYS_MAX = 3,     /* columns that are repeated in each part of a table */
    FORCED_LEAST = 4, /* of a column that has to be narrower than it may be */
    PART_OF_KEYS = 2, /* they take no more than this part of the view */
};

/* Columns of text; a part of the table has some of them. */
struct column {
    size_t width;
    size_t natural; /* of the title and the longest cell */
    size_t whole;   /* titles in two lines, sentences in several, all names as they are */
    size_t least;   /* names cut as well */
    size_t tight;   /* titles in any number of lines */
    bool is_status;
    bool is_key;   /* it is in every part */
    bool is_taken; /* by a part before, or by all */
};

struct text_table {
    struct arena arena;
    const struct block *block;
    const char *cut;    /* the line below that says what was left out, or NULL */
    size_t rows, count; /* columns */
    size_t shown;       /* of these, from the first on */
    const char **texts; /* titles, then cells row by row; inert */
    struct column *columns;
    size_t *members; /* the columns of a part, in order */
    bool colours;
    bool is_narrow; /* no line is longer than it must be */
};

static const char *text_of(const struct text_table *t, size_t line, size_t column)
{
    return t->texts[line * t->count + column];
}

static size_t at_most(size_t value, size_t limit)
{
    return value < limit ? value : limit;
}

static size_t at_least(size_t value, size_t limit)
{
    return value > limit ? value : limit;
}

/* ---- what stands in it ---- */

/* Cuts are of names; sentences are wrapped, numbers stay. */
static bool is_name(const struct text_table *t, size_t row, size_t column)
{
    const struct span cell = block_cell(t->block, row, column);
    return !t->block->columns[column].right && *cell.text && (cell.style == SPAN_CODE || !strchr(cell.text, ' '));
}

static const char *inert(struct text_table *t, struct str *scratch, const char *text)
{
    str_clear(scratch);
    visible_add(scratch, text, NAME_COLUMNS_MAX);
    const char *copy = arena_copy(&t->arena, str_text(scratch));
    scratch->failed |= !*copy && scratch->length;
    return copy;
}

/* Words in the only cell of the last row are of the whole table: no column of numbers is wider for them. */
static void take_cut_line(struct text_table *t, struct str *scratch)
{
    if (t->count < 2 || t->block->count % t->count != 1 || !t->block->columns[0].right)
        return;
    t->rows--;
    t->cut = inert(t, scratch, block_cell(t->block, t->rows, 0).text);
}

/* Release it in any case. */
static int table_init(struct text_table *t, const struct block *block, bool colours)
{
    struct str scratch;
    *t = (struct text_table){
        .block = block, .rows = block_rows(block), .count = block->column_count, .colours = colours};
    arena_init(&t->arena);
    str_init(&scratch);
    take_cut_line(t, &scratch);
    t->texts = arena_alloc(&t->arena, (t->rows + 1) * t->count * sizeof *t->texts);
    t->columns = arena_alloc(&t->arena, t->count * sizeof *t->columns);
    t->members = arena_alloc(&t->arena, t->count * sizeof *t->members);
    const bool is_short = !t->texts || !t->columns || !t->members;
    for (size_t c = 0; c < t->count && !is_short; c++) {
        t->columns[c].is_status = colours && status_words_in_column(block->columns[c].title);
        t->texts[c] = inert(t, &scratch, block->columns[c].title);
        t->columns[c].natural = visible_columns(t->texts[c]);
        for (size_t r = 0; r < t->rows; r++) {
            const char *text = inert(t, &scratch, block_cell(block, r, c).text);
            t->texts[(r + 1) * t->count + c] = text;
            t->columns[c].natural = at_least(t->columns[c].natural, visible_columns(text));
        }
        t->columns[c].width = t->columns[c].natural;
    }
    const bool failed = is_short || scratch.failed;
    str_release(&scratch);
    return failed ? -1 : 0;
}

static void table_release(struct text_table *t)
{
    arena_release(&t->arena);
}

static size_t width_of(const struct text_table *t, const size_t *members, size_t count)
{
    size_t width = count ? (count - 1) * GAP : 0;
    for (size_t i = 0; i < count; i++)
        width += t->columns[members[i]].width;
    return width;
}

/* ---- how narrow may a column be? ---- */

/* Lines of a cell, each ended by a newline. */
static void split(struct str *out, const char *text, size_t width)
{
    str_clear(out);
    if (visible_columns(text) <= width)
        str_addf(out, "%s\n", text);
    else
        wrap_add_broken(out, text, width, "");
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static size_t longest_word(const char *text)
{
    size_t longest = 0, length = 0;
    for (; *text; text++) {
        length = *text == ' ' ? 0 : length + (((unsigned char)*text & 0xc0) != 0x80);
        longest = at_least(longest, length);
    }
    return longest;
}

static size_t gather_names(const struct text_table *t, size_t column, const char **names)
{
    size_t count = 0;
    for (size_t r = 0; r < t->rows; r++)
        if (is_name(t, r, column))
            names[count++] = text_of(t, r + 1, column);
    return count;
}

/* Of at most two lines. */
static size_t title_width(const char *title)
{
    size_t width = longest_word(title), total = visible_columns(title);
    for (; width < total; width++) {
        struct str lines;
        str_init(&lines);
        split(&lines, title, width);
        const size_t count = count_lines(str_text(&lines));
        str_release(&lines);
        if (count <= 2)
            break;
    }
    return width;
}

static void measure_column(struct text_table *t, size_t column, const char **names)
{
    struct column *c = &t->columns[column];
    const size_t word = longest_word(t->texts[column]), title = title_width(t->texts[column]);
    size_t longest_name = 0;
    c->tight = word;
    for (size_t r = 0; r < t->rows; r++) {
        const char *text = text_of(t, r + 1, column);
        const size_t length = visible_columns(text);
        if (is_name(t, r, column))
            longest_name = at_least(longest_name, length);
        else if (t->block->columns[column].right)
            c->tight = at_least(c->tight, length);
        else
            c->tight = at_least(c->tight, at_most(length, WORDS_LEAST));
    }
    c->whole = at_least(at_least(c->tight, title), longest_name);
    if (longest_name > c->tight)
        c->tight = at_least(c->tight, shorten_least(names, gather_names(t, column, names), NAME_LEAST));
    c->least = at_least(c->tight, title);
}

static int measure(struct text_table *t)
{
    const char **names = arena_alloc(&t->arena, (t->rows + 1) * sizeof *names);
    for (size_t c = 0; c < t->count && names; c++)
        measure_column(t, c, names);
    return names ? 0 : -1;
}

static size_t whole_of(const struct column *c)
{
    return c->whole;
}

static size_t least_of(const struct column *c)
{
    return c->least;
}

static size_t tight_of(const struct column *c)
{
    return c->tight;
}

static size_t forced_of(const struct column *c)
{
    (void)c;
    return FORCED_LEAST;
}

/* Takes from the widest column until all of them fit, or none may be narrower. */
static void narrow(struct text_table *t, const size_t *members, size_t count, size_t columns,
                   size_t (*limit)(const struct column *c))
{
    for (size_t width = width_of(t, members, count); width > columns; width--) {
        struct column *widest = NULL;
        for (size_t i = 0; i < count; i++) {
            struct column *c = &t->columns[members[i]];
            if (c->width > limit(c) && (!widest || c->width > widest->width))
                widest = c;
        }
        if (!widest)
            return;
        widest->width--;
    }
}

/* Gives what is left to the columns that have lines to save. */
static void widen(struct text_table *t, size_t count, size_t columns)
{
    for (size_t width = width_of(t, t->members, count); width < columns; width++) {
        struct column *poorest = NULL;
        for (size_t i = 0; i < count; i++) {
            struct column *c = &t->columns[t->members[i]];
            if (!c->is_key && c->width < c->natural &&
                (!poorest || c->natural - c->width > poorest->natural - poorest->width))
                poorest = c;
        }
        if (!poorest)
            return;
        poorest->width++;
    }
}

/* ---- the parts of a table ---- */

/* A row by its first columns. */
struct row_key {
    const char **texts;
    size_t count;
};

static int compare_keys(const void *a, const void *b)
{
    const struct row_key *x = a, *y = b;
    int order = 0;
    for (size_t i = 0; i < x->count && !order; i++)
        order = strcmp(x->texts[i], y->texts[i]);
    return order;
}

/* Do the first so many columns tell all rows apart? */
static bool tell_apart(const struct text_table *t, struct row_key *rows, size_t count)
{
    for (size_t r = 0; r < t->rows; r++)
        rows[r] = (struct row_key){&t->texts[(r + 1) * t->count], count};
    qsort(rows, t->rows, sizeof *rows, compare_keys);
    for (size_t r = 1; r < t->rows; r++)
        if (!compare_keys(&rows[r - 1], &rows[r]))
            return false;
    return true;
}

static size_t count_keys(struct text_table *t, size_t columns)
{
    struct row_key *rows = arena_alloc(&t->arena, (t->rows + 1) * sizeof *rows);
    size_t width = t->columns[0].tight;
    for (size_t count = 1; rows && count <= KEYS_MAX && count < t->shown && !t->block->columns[count - 1].right;
         count++) {
        if (tell_apart(t, rows, count))
            return count;
        width += GAP + t->columns[count].tight;
        if (width > columns / PART_OF_KEYS)
            break;
    }
    return 1;
}

/* The first columns, or that of names where numbers stand before it. They are the first members then. */
static size_t choose_keys(struct text_table *t, size_t columns)
{
    const size_t keys = count_keys(t, columns);
    size_t first = 0;
    while (first < t->shown && t->block->columns[first].right)
        first++;
    if (first == t->shown)
        first = 0;
    for (size_t i = 0; i < keys; i++) {
        t->members[i] = first + i;
        t->columns[first + i].is_key = t->columns[first + i].is_taken = true;
    }
    return keys;
}

/* What one looks for first stays in the first part. */
static bool is_wanted(const struct text_table *t, size_t column)
{
    return !strcmp(t->block->columns[column].title, "verdict") || !strcmp(t->block->columns[column].title, "speedup");
}

static int compare_places(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* ---- drawing ---- */

static void add_repeated(struct str *out, char c, size_t count)
{
    while (count--)
        str_add_char(out, c);
}

/* A piece of a cell that fits; the last column of a row is not padded on its right. */
static void add_piece(struct str *out, const struct text_table *t, const char *piece, size_t column, bool last,
                      bool status)
{
    const size_t used = visible_columns(piece), width = t->columns[column].width;
    const size_t space = width > used ? width - used : 0;
    const bool right = t->block->columns[column].right;
    if (right)
        add_repeated(out, ' ', space);
    if (status)
        status_words_add(out, piece, "");
    else
        str_add(out, piece);
    if (!right && !last)
        add_repeated(out, ' ', space);
    if (!last)
        add_repeated(out, ' ', GAP);
}

/* The line of a cell as a text of its own, and what follows it. */
static char *cut_line(char *lines, char **rest)
{
    char *end = strchr(lines, '\n');
    *rest = end ? end + 1 : lines + strlen(lines);
    if (end)
        *end = '\0';
    return lines;
}

/* Titles stand on their rule, cells begin at the top. */
static void add_row(struct str *out, const struct text_table *t, size_t line, size_t count, struct str *cells,
                    char **at)
{
    size_t height = 1;
    for (size_t i = 0; i < count; i++) {
        split(&cells[i], text_of(t, line, t->members[i]), t->columns[t->members[i]].width);
        out->failed |= cells[i].failed;
        height = at_least(height, count_lines(str_text(&cells[i])));
    }
    if (out->failed)
        return;
    for (size_t i = 0; i < count; i++)
        at[i] = cells[i].text;
    const bool bold = t->colours && line == 0;
    for (size_t k = 0; k < height; k++) {
        str_add(out, bold ? STYLE_BOLD : "");
        for (size_t i = 0; i < count; i++) {
            const size_t column = t->members[i];
            const bool waits = line == 0 && count_lines(at[i]) < height - k;
            add_piece(out, t, waits ? "" : cut_line(at[i], &at[i]), column, i == count - 1,
                      line && t->columns[column].is_status);
        }
        while (t->is_narrow && out->length && out->text[out->length - 1] == ' ')
            out->text[--out->length] = '\0';
        str_add(out, bold ? STYLE_OFF "\n" : "\n");
    }
}

static void add_part(struct str *out, struct text_table *t, size_t count)
{
    struct str *cells = arena_alloc(&t->arena, count * sizeof *cells);
    char **at = arena_alloc(&t->arena, count * sizeof *at);
    out->failed |= !cells || !at;
    if (!cells || !at)
        return;
    for (size_t i = 0; i < count; i++)
        str_init(&cells[i]);
    for (size_t line = 0; line <= t->rows; line++) {
        add_row(out, t, line, count, cells, at);
        for (size_t i = 0; i < count && !line; i++) {
            add_repeated(out, '-', t->columns[t->members[i]].width);
            str_add(out, i == count - 1 ? "\n" : "  ");
        }
    }
    if (t->cut)
        str_addf(out, "%s\n", t->cut);
    for (size_t i = 0; i < count; i++)
        str_release(&cells[i]);
}

/* Where names cannot be cut they take several lines. */
static void cut_names(struct text_table *t, size_t column)
{
    const char **names = arena_alloc(&t->arena, (t->rows + 1) * sizeof *names);
    if (!names || t->columns[column].width >= t->columns[column].whole ||
        !shorten_names(&t->arena, names, gather_names(t, column, names), t->columns[column].width))
        return;
    for (size_t r = 0, i = 0; r < t->rows; r++)
        if (is_name(t, r, column))
            t->texts[(r + 1) * t->count + column] = names[i++];
}

/* The first part takes columns that are wanted before others; then all go on in order. */
static size_t take_part(struct text_table *t, size_t keys, bool is_first, size_t columns)
{
    size_t count = 0;
    for (size_t c = 0; c < t->shown; c++)
        if (t->columns[c].is_key)
            t->members[count++] = c;
    for (int wanted = is_first; wanted >= 0; wanted--) {
        for (size_t c = 0; c < t->shown; c++) {
            if (t->columns[c].is_taken || (wanted && !is_wanted(t, c)))
                continue;
            t->members[count] = c;
            if (count > keys && width_of(t, t->members, count + 1) > columns)
                break;
            t->columns[c].is_taken = true;
            count++;
        }
    }
    qsort(t->members, count, sizeof *t->members, compare_places);
    return count;
}

static void add_parts(struct str *out, struct text_table *t, size_t columns)
{
    for (size_t c = 0; c < t->shown; c++)
        t->columns[c].width = t->columns[c].whole;
    const size_t keys = choose_keys(t, columns);
    narrow(t, t->members, keys, columns / PART_OF_KEYS, tight_of);
    narrow(t, t->members, keys, columns / PART_OF_KEYS, forced_of);
    const size_t room = columns - width_of(t, t->members, keys) - GAP;
    for (size_t c = 0; c < t->shown; c++) {
        if (!t->columns[c].is_key)
            t->columns[c].width = at_most(t->columns[c].width, room);
        cut_names(t, c);
    }
    for (size_t done = keys; done < t->shown;) {
        const size_t count = take_part(t, keys, done == keys, columns);
        str_add(out, done == keys ? "" : "\n");
        widen(t, count, columns);
        add_part(out, t, count);
        done += count - keys;
    }
}

/* Do they all fit, the later ones that other tables have as well left out if need be? */
static bool fit_in_one(struct text_table *t, size_t columns)
{
    const size_t needed = t->count - at_most(t->block->spare, t->count - 1);
    for (t->shown = t->count; t->shown >= needed; t->shown--) {
        for (size_t c = 0; c < t->shown; c++)
            t->columns[c].width = t->columns[c].natural;
        narrow(t, t->members, t->shown, columns, whole_of);
        narrow(t, t->members, t->shown, columns, least_of);
        narrow(t, t->members, t->shown, columns, tight_of);
        if (width_of(t, t->members, t->shown) <= columns)
            return true;
    }
    t->shown = needed;
    return false;
}

static void add_narrow(struct str *out, struct text_table *t, size_t columns)
{
    t->is_narrow = true;
    if (measure(t)) {
        out->failed = true;
        return;
    }
    if (!fit_in_one(t, columns) && t->shown > 1) {
        add_parts(out, t, columns);
        return;
    }
    narrow(t, t->members, t->shown, columns, forced_of); /* the only one */
    for (size_t c = 0; c < t->shown; c++)
        cut_names(t, c);
    add_part(out, t, t->shown);
}

void text_table_add(struct str *out, const struct block *table, const struct document_view *view)
{
    struct text_table t;
    if (table_init(&t, table, view->colours)) {
        out->failed = true;
        table_release(&t);
        return;
    }
    for (size_t c = 0; c < t.count; c++)
        t.members[c] = c;
    if (view->columns && width_of(&t, t.members, t.count) > view->columns)
        add_narrow(out, &t, view->columns);
    else
        add_part(out, &t, t.count);
    table_release(&t);
}
