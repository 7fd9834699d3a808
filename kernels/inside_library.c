/* inside_library.c - the variants of a built-in family in a library: compiled into each of its instrumented builds
 * (cmake/InsideLibrary.cmake), with the family's header and array as definitions. */
#include FAMILY_HEADER

#define VARIANT_COUNT (sizeof FAMILY_VARIANTS / sizeof FAMILY_VARIANTS[0])

const struct cpprof_variant_library *cpprof_variants(void)
{
    static const struct cpprof_variant *variants[VARIANT_COUNT];
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, variants, VARIANT_COUNT};
    for (size_t i = 0; i < VARIANT_COUNT; i++)
        variants[i] = &FAMILY_VARIANTS[i];
    return &library;
}
