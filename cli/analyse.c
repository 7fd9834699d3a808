/* What does a command say of a bundle that is damaged, and by which thresholds does it judge? */
#include "cli/analyse.h"

#include "cli/record/messages.h"
#include "core/gpu/threshold_file.h"

int analyse_read_thresholds(struct threshold_overrides *out, const char *path, struct err *e)
{
    return path ? threshold_file_read(out, path, e) : 0;
}

bool analyse_note_damage(const struct caveat_list *caveats, const struct caveat_list *said)
{
    bool damaged = false;
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind == CAVEAT_TRUNCATED) {
            if (!said || !caveat_says(said, caveats->items[i].text))
                message_note("%s", caveats->items[i].text);
            damaged = true;
        }
    return damaged;
}

int analysed_damage(const struct analysed *a)
{
    bool damaged = analyse_note_damage(&a->bundle.caveats, NULL);
    if (analysis_stream(&a->analysis))
        damaged |= analyse_note_damage(event_stream_caveats(analysis_stream(&a->analysis)), &a->bundle.caveats);
    return damaged ? EXIT_UNUSABLE_INPUT : EXIT_PASS;
}
