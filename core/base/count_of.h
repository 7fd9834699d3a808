/* count_of.h - how many elements an array has. Not for pointers: gcc warns of those. */
#ifndef CPPROF_COUNT_OF_H
#define CPPROF_COUNT_OF_H

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
