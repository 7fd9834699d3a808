/* cupti_search.h - which files are a CUPTI, and which of them is taken? Finding loads libraries, so that each can be
 * asked for its version; those that are not taken are unloaded. */
#ifndef CPPROF_CUPTI_SEARCH_H
#define CPPROF_CUPTI_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUPTI_PLACES_MAX = 32, CUPTI_WHY_BYTES = 160 };

struct cupti_place {
    const char *kind;          /* "loaded already", "CPPROF_CUPTI", ...: the table in cupti_search.c */
    char *path;                /* without links */
    int major;                 /* in the file's name; 0 without one */
    void *library;             /* NULL: not loaded */
    uint32_t version;          /* CUPTI_API_VERSION; 0: not asked, or no answer */
    char why[CUPTI_WHY_BYTES]; /* it is not taken; "" for the one that is. Without paths, as bundles hold it */
};

struct cupti_search {
    struct cupti_place places[CUPTI_PLACES_MAX];
    size_t count;
    struct cupti_place *taken; /* NULL: none */
    int driver;                /* the CUDA of the driver, such as 1300 for 13.0; 0: not asked, or unknown */
};

/* `every` goes on where the choice is clear, and asks each copy for its version: for a list. */
void cupti_search(struct cupti_search *s, bool every);

/* Forgets the list. The library that was taken stays loaded. */
void cupti_search_release(struct cupti_search *s);

/* Loads the library of counters that came with it. CUPTI asks the loader for one by its name alone, which finds none
 * beside a wheel, or that of another version. */
void cupti_load_counters_beside(void *library);

/* The CUDA that brought this version of CUPTI: 1204 for 12.4. */
int cupti_cuda_of(uint32_t version);

#endif
