/* part_tree.h - over whom do many processes hand over what they have read?
 *
 * A binomial tree, whose root is process 0: process p hands over to p without its lowest bit, for itself and for all up
 * to that bit. So nobody hears from more than log2 of them, and nothing is passed on more often than that. */
#ifndef CPPROF_PART_TREE_H
#define CPPROF_PART_TREE_H

#include <stddef.h>

/* For p > 0. */
size_t part_tree_parent(size_t p);

/* Process p hands over for [p, end). */
size_t part_tree_end(size_t p, size_t processes);

/* Through which of the processes that hand over to p does it hear from `other`, in (p, end)? */
size_t part_tree_child(size_t p, size_t other);

#endif
