/* What stands in the formats of a launch that did not end? */
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "analyzers/progress/progress_rows.h"

#define OF_GROUP(field) ROW_AT(struct hang_group, field)

static struct row_value known(int64_t number)
{
    return number < 0 ? row_unknown() : row_integer(number);
}

#define WHOLE(name, type, field)                                                                                       \
    static struct row_value name(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        (void)context, (void)scratch;                                                                                  \
        return known(((const type *)row)->field);                                                                      \
    }
WHOLE(first_tile_of, struct hang_group, first_tile)
WHOLE(last_tile_of, struct hang_group, last_tile)
WHOLE(block_of, struct hang_group, block)
WHOLE(sm_of, struct hang_group, sm)
WHOLE(warp_of, struct hang_group, warp)
WHOLE(device_of, struct hang_group, device)
WHOLE(absent_device_of, struct hang, absent_device)

#define TITLE(text) ROW_TITLE_OR(text, ROW_PLAIN, "")

static const struct row_column group_list[] = {
    {"role", OF_GROUP(role_name), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("role"), "who, as the kernel says"},
    {"state", OF_GROUP(state), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("state"),
     "`marked`, `begun` (no mark was passed yet) or `ended`"},
    {"mark", ROW_AT_OR_NULL(struct hang_group, mark), UNIT_NONE, ROW_JSON | ROW_TABLE, TITLE("mark"),
     "the last mark that they passed, or `null`"},
    {"phase", ROW_AT_OR_NULL(struct hang_group, phase), UNIT_TEXT, ROW_JSON | ROW_TABLE, TITLE("phase"),
     "what begins there, as the kernel says; `null` where nothing does"},
    {"warps", OF_GROUP(warps), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("warps"), "how many"},
    {"moving", OF_GROUP(moving), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("moving"),
     "of these, how many passed another mark within 200 ms"},
    {"first_tile", ROW_MADE(ROW_INTEGER, first_tile_of), UNIT_NONE, ROW_JSON | ROW_TABLE, TITLE("first tile"),
     "the lowest tile of their last marks, or `null`"},
    {"last_tile", ROW_MADE(ROW_INTEGER, last_tile_of), UNIT_NONE, ROW_JSON | ROW_TABLE, TITLE("last tile"),
     "the highest one, or `null`"},
    {"device", ROW_MADE(ROW_INTEGER, device_of), UNIT_NONE, ROW_JSON | ROW_TABLE, TITLE("device"),
     "of the first warp at the lowest tile: its GPU, a CUDA ordinal"},
    {"block", ROW_MADE(ROW_INTEGER, block_of), UNIT_NONE, ROW_JSON | ROW_TABLE, TITLE("block"),
     "its block in the grid of this GPU"},
    {"warp", ROW_MADE(ROW_INTEGER, warp_of), UNIT_NONE, ROW_JSON | ROW_TABLE, TITLE("warp"), "its number in the block"},
    {"sm", ROW_MADE(ROW_INTEGER, sm_of), UNIT_NONE, ROW_JSON | ROW_TABLE, TITLE("SM"), "its SM"},
};
const struct row_columns hang_group_columns = ROW_COLUMNS("hang group", struct hang_group, group_list);

LIST_OF(groups_of, struct hang, groups, group_count)

#define AT(field) ROW_AT(struct hang, field)

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the variant without marks"},
    {"shape", AT(config), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the case"},
    {"waited_ns", AT(waited_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "how long its end was waited for"},
    {"warps", AT(warps), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "warps with marks that had begun"},
    {"ended", AT(ended), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "of these, those that had ended"},
    {"moving", AT(moving), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "and those that passed another mark within 200 ms: with any, the launch may only be long"},
    {"absent", AT(absent), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "GPUs on which no warp with marks had begun"},
    {"absent_device", ROW_MADE(ROW_INTEGER, absent_device_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the first of these GPUs, a CUDA ordinal, or `null`"},
    {"groups", ROW_LIST_OF(groups_of, &hang_group_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "warps of the same role with the same last mark"},
};
const struct row_columns hang_columns = ROW_COLUMNS("hang", struct hang, columns);
