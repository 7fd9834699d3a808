/* Which colours does a picture have, on a light page and on a dark one?
 *
 * Fills are told apart by who sees no red or no green, too. White text stands on those of a light page, black text on
 * those of a dark one; tests compute both. The ground is that of the page.
 */
#include "reports/pictures/theme.h"

#include <stdbool.h>

struct colours {
    const char *letters, *light, *dark;
};

static const struct colours colours[INKS] = {
    [INK_TEXT] = {"t", "#1f2328", "#e6edf3"},   [INK_FAINT] = {"m", "#59636e", "#a3adb8"},
    [INK_GRID] = {"g", "#d5dae0", "#3a424c"},   [INK_ON] = {"w", "#ffffff", "#0d1117"},
    [INK_BLUE] = {"b", "#0063a0", "#56b4e9"},   [INK_GREEN] = {"n", "#00704f", "#2fbf8f"},
    [INK_ORANGE] = {"o", "#b34700", "#f0a63c"}, [INK_PURPLE] = {"p", "#5e2a63", "#f2c4e2"},
    [INK_GREY] = {"y", "#6b7480", "#7f8995"},   [INK_PALE] = {"l", "#e8ecf1", "#262d36"},
};

const char *theme_letters(enum ink ink)
{
    return colours[ink].letters;
}

static void add_rules(struct str *svg, bool dark)
{
    for (int i = 0; i < INKS; i++) {
        const char *colour = dark ? colours[i].dark : colours[i].light;
        str_addf(svg, ".f%s{fill:%s}.s%s{stroke:%s;fill:none}", colours[i].letters, colour, colours[i].letters, colour);
    }
}

static void add_hatch(struct str *svg, enum ink ink)
{
    str_addf(svg,
             "<pattern id=\"h%s\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
             "patternTransform=\"rotate(45)\"><line class=\"s%s\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" "
             "stroke-width=\"3\"/></pattern>",
             colours[ink].letters, colours[ink].letters);
}

void theme_add(struct str *svg)
{
    str_addf(svg, "<style>text{font:%dpx system-ui,-apple-system,\"Segoe UI\",Helvetica,Arial,sans-serif}", TEXT_SIZE);
    add_rules(svg, false);
    str_add(svg, "@media(prefers-color-scheme:dark){");
    add_rules(svg, true);
    str_add(svg, "}</style>\n<defs>");
    for (int i = INK_BLUE; i <= INK_GREY; i++)
        add_hatch(svg, (enum ink)i);
    str_add(svg, "</defs>\n");
}
