/* device_runtime.h - does the program have code that may launch kernels from the GPU?
 *
 * Such code is linked by nvcc's device linker (-rdc=true), with CUDA's device runtime (libcudadevrt), whose name nvcc
 * leaves in the program or library; a program that only launches graphs from the GPU has no more than the linked code.
 * PyTorch and NCCL have the latter in libraries, and no device runtime. Code that a program links as it runs is not
 * seen here. */
#ifndef CPPROF_DEVICE_RUNTIME_H
#define CPPROF_DEVICE_RUNTIME_H

#include <stdbool.h>

/* Looks at the program and the libraries that were loaded since the last call. Returns the name of one that has it,
 * which stays valid; NULL when none does. One thread at a time. */
const char *device_runtime_look(void);

/* Does the file have it? `is_program`: linked device code is enough. False for anything that cannot be read. */
bool device_runtime_is_in(const char *path, bool is_program);

#endif
