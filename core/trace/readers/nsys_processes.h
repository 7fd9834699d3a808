/* nsys_processes.h - the processes of an nsys export that used the GPU, and the NVTX domains that each of them made. */
#ifndef CPPROF_NSYS_PROCESSES_H
#define CPPROF_NSYS_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { NSYS_PROCESSES_MAX = 4096, NSYS_DOMAINS_MAX = 65536, NSYS_PROCESS_UNKNOWN = -1 };

/* Starts as zeros. Ids are nsys's serialized global ids, of a process or of one of its threads. */
struct nsys_processes {
    int64_t *items; /* ascending */
    size_t count, capacity;
    struct {
        struct nsys_domain {
            int64_t process, domain;
            uint32_t name;
        } * items;
        size_t count, capacity;
    } domains;
};

void nsys_processes_release(struct nsys_processes *p);
int nsys_processes_add(struct nsys_processes *p, int64_t global_id, struct err *e);

/* Returns the index of the process, or NSYS_PROCESS_UNKNOWN. */
int16_t nsys_processes_rank(const struct nsys_processes *p, int64_t global_id);

/* Adds a domain of a process. `name` is a string id of the caller; 0 stands for the default domain. */
int nsys_processes_add_domain(struct nsys_processes *p, int64_t global_id, int64_t domain, uint32_t name,
                              struct err *e);
uint32_t nsys_processes_domain(const struct nsys_processes *p, int64_t global_id, int64_t domain);

#endif
