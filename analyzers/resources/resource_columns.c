/* What stands in the table of what kernels occupy? */
#include "analyzers/columns.h"
#include "core/run/resource.h"

#define AT(field) ROW_AT(struct resource, field)

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("variant"), ""},
    {"shape", AT(config), UNIT_TEXT, ROW_TABLE, ROW_TITLE("shape"), ""},
    {"kernel", AT(kernel), UNIT_TEXT, ROW_TABLE, ROW_TITLE_KERNEL("kernel"), ""},
    {"grid_blocks", AT(grid_blocks), UNIT_COUNT, ROW_TABLE, ROW_TITLE("grid"), ""},
    {"block_threads", AT(block_threads), UNIT_COUNT, ROW_TABLE, ROW_TITLE("block"), ""},
    {"registers", AT(registers), UNIT_COUNT, ROW_TABLE, ROW_TITLE("registers"), ""},
    {"shared_bytes", AT(shared_bytes), UNIT_BYTES, ROW_TABLE, ROW_TITLE("shared"), ""},
    {"local_bytes", AT(local_bytes), UNIT_BYTES, ROW_TABLE, ROW_TITLE("local"), ""},
    {"spill_bytes", AT(spill_bytes), UNIT_BYTES, ROW_TABLE, ROW_TITLE("spilled"), ""},
    {"blocks_per_sm", AT(blocks_per_sm), UNIT_COUNT, ROW_TABLE, ROW_TITLE("blocks per SM"), ""},
    {"occupancy", AT(occupancy), UNIT_RATIO, ROW_TABLE, ROW_TITLE("occupancy"), ""},
    {"waves", AT(waves), UNIT_NONE, ROW_TABLE, ROW_TITLE("waves"), ""},
    {"code_hash", ROW_AT_OR_NULL(struct resource, code_hash), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("code"), ""},
};

const struct row_columns resource_columns = ROW_COLUMNS("resource", struct resource, columns);
