/* Which kernels of a family are wrong or slow on purpose? A library for --load, of what sdpa_mutants.cmake or
 * allreduce_mutants.cmake has made of their sources; MUTANT_LIST is what it says of them. */
#include "cpprof/variant.h"

#define MUTANT(ARRAY, INDEX, NAME, SUMMARY) extern const struct cpprof_variant ARRAY[];
#include MUTANT_LIST
#undef MUTANT

#define MUTANT(ARRAY, INDEX, NAME, SUMMARY) {&(ARRAY)[INDEX], "mutant/" NAME, SUMMARY},
static const struct {
    const struct cpprof_variant *variant;
    const char *name, *summary;
} mutants[] = {
#include MUTANT_LIST
};
#undef MUTANT

enum { MUTANTS = sizeof mutants / sizeof mutants[0] };

/* Its descriptor is the original's but for the name; what the original expects of its counters was not promised. */
const struct cpprof_variant_library *cpprof_variants(void)
{
    static struct cpprof_variant variants[MUTANTS];
    static const struct cpprof_variant *list[MUTANTS];
    static const struct cpprof_variant_library library = {sizeof library, CPPROF_VARIANT_ABI, list, MUTANTS};
    for (size_t i = 0; i < MUTANTS; i++) {
        variants[i] = *mutants[i].variant;
        variants[i].name = mutants[i].name;
        variants[i].summary = mutants[i].summary;
        variants[i].signals = NULL;
        list[i] = &variants[i];
    }
    return &library;
}
