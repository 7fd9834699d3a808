/* Which of CUPTI's counters do the words of --metrics stand for? */
#include "core/gpu/metric_choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/gpu/metric_sets.h"

enum { NEAR_MAX = 3 };

void metric_choice_release(struct metric_choice *choice)
{
    free(choice->items);
    *choice = (struct metric_choice){0};
}

static int add_name(struct metric_choice *choice, const char *name, bool asked_for, struct err *e)
{
    for (size_t i = 0; i < choice->count; i++)
        if (!strcmp(choice->items[i].name, name)) {
            choice->items[i].asked_for |= asked_for;
            return 0;
        }
    struct metric_choice_item *item = ARRAY_PUSH(choice);
    if (!item)
        return err_memory(e);
    *item = (struct metric_choice_item){name, asked_for};
    return 0;
}

static int add_counter(struct metric_choice *choice, const struct metric *metric, bool asked_for, struct err *e)
{
    const char *name;
    int rc = 0;
    for (size_t i = 0; !rc && (name = metric_name(metric, i)); i++)
        rc = add_name(choice, name, asked_for, e);
    return rc;
}

static int add_set(struct metric_choice *choice, enum metric_set_id set, struct err *e)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        if (metric_in_set(&metrics[i], set))
            rc = add_counter(choice, &metrics[i], false, e);
    return rc;
}

int metric_choice_add(struct metric_choice *choice, const char *word, struct err *e)
{
    const enum metric_set_id set = metric_set_by_name(word);
    if (set != METRIC_SET_COUNT)
        return add_set(choice, set, e);
    const char *parts[METRIC_PARTS_MAX];
    const size_t count = metric_parts(word, parts);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        const struct metric *ours = metric_by_name(parts[i]);
        const bool must_be_there = i == 0 || !metric_is_largest(word);
        rc = ours && strcmp(parts[i], word) ? add_counter(choice, ours, must_be_there, e)
                                            : add_name(choice, parts[i], true, e);
    }
    return rc;
}

enum company { OF_DEVICE, OF_LINKS, WITH_EITHER };

static enum company company_of(const char *name)
{
    static const struct {
        const char *unit;
        enum company company;
    } units[] = {{"nvlrx__", OF_LINKS}, {"nvltx__", OF_LINKS}, {"pcie__", OF_LINKS}, {"gpu__time_", WITH_EITHER}};
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (!strncmp(name, units[i].unit, strlen(units[i].unit)))
            return units[i].company;
    return OF_DEVICE;
}

static bool has(const struct metric_choice *choice, enum company company)
{
    for (size_t i = 0; i < choice->count; i++)
        if (company_of(choice->items[i].name) == company)
            return true;
    return false;
}

size_t metric_choice_group(const struct metric_choice *choice, size_t item)
{
    const enum company company = company_of(choice->items[item].name);
    return company == OF_LINKS || (company == WITH_EITHER && !has(choice, OF_DEVICE));
}

bool metric_choice_is_mixed(const struct metric_choice *choice)
{
    return has(choice, OF_DEVICE) && has(choice, OF_LINKS);
}

bool metric_word_is_ours(const char *word)
{
    const char *parts[METRIC_PARTS_MAX];
    return metric_set_by_name(word) != METRIC_SET_COUNT || metric_by_id(word) || metric_by_name(word) ||
           metric_parts(word, parts) > 1 || strcmp(parts[0], word);
}

/* The words that a misspelled one is compared with: sets, then ids, CUPTI's names, sums; NULL after the last. */
static const char *our_word(size_t i)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    if (i < METRIC_SET_COUNT)
        return metric_set((enum metric_set_id)i)->name;
    i -= METRIC_SET_COUNT;
    if (i < count)
        return metrics[i].id;
    i -= count;
    return i < count ? metrics[i].name : metric_sum_id(i - count);
}

void metric_words_near(struct str *out, const char *word)
{
    const size_t limit = strlen(word) / 3;
    size_t written = 0;
    const char *ours;
    for (size_t distance = 0; distance <= limit && written < NEAR_MAX; distance++)
        for (size_t i = 0; (ours = our_word(i)) && written < NEAR_MAX; i++)
            if (word_distance(word, ours, limit) == distance)
                str_addf(out, "%s%s", written++ ? ", " : "", ours);
}
