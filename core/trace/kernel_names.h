/* kernel_names.h - how is the name of a kernel written where there is little room?
 *
 * Libraries give many kernels one name, and the part that tells them apart is a template argument:
 * "cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>". Full names are demangled ones, of nsys, ncu and
 * CUPTI. */
#ifndef CPPROF_KERNEL_NAMES_H
#define CPPROF_KERNEL_NAMES_H

#include <stddef.h>

#include "core/base/str.h"

/* Appends the name without return type and parameters, and without template arguments, but for the one that says what a
 * kernel of a general name does: "at::native::vectorized_elementwise_kernel<FillFunctor>". */
void kernel_name_short(struct str *out, const char *full);

/* Appends the name with its template arguments, which lose their namespaces and what lambdas are declared with:
 * "at::native::vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1>>". */
void kernel_name_compact(struct str *out, const char *full);

/* Appends the name of a kernel whose neighbours are not known: short where that has an argument, else compact. */
void kernel_name_alone(struct str *out, const char *full);

/* Appends a name made by one of the above that is too long: without its namespaces and, where it still has more than so
 * many bytes, without an empty name in front of its argument, or its middle. */
void kernel_name_fit(struct str *out, const char *name, size_t columns);

#endif
