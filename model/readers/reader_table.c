/* Which inputs can be read? */
#include "model/readers/reader.h"

const struct reader *const reader_table[] = {
    NULL,
};
