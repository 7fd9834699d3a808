/* inside_library.c - the variants of a built-in family in a library: compiled into each of its instrumented builds
 * (packaging/cmake/InsideLibrary.cmake), with the family's header and FAMILY(array) for each of its arrays as
 * definitions. */
#include FAMILY_HEADER

#define COUNT(array) (sizeof array / sizeof array[0])

#define FAMILY(array) +COUNT(array)
enum { VARIANT_COUNT = 0 FAMILIES };
#undef FAMILY
#define FAMILY(array) {array, COUNT(array)},

const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct {
        const struct cpprof_variant *items;
        size_t count;
    } families[] = {FAMILIES};
    static const struct cpprof_variant *variants[VARIANT_COUNT];
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants, VARIANT_COUNT};
    size_t at = 0;
    for (size_t family = 0; family < COUNT(families); family++)
        for (size_t i = 0; i < families[family].count; i++)
            variants[at++] = &families[family].items[i];
    return &library;
}
