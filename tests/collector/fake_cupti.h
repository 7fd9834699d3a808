/* fake_cupti.h - a CUPTI that does what a test says: its buffers are filled by
 * the test and complete in any order and on any thread, it drops records and
 * refuses calls. One at a time, as the real one. */
#ifndef CPPROF_FAKE_CUPTI_H
#define CPPROF_FAKE_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/dynload/cupti_api.h"

/* The table to hand to the collector; what was said to the fake before is
 * forgotten. Functions that no test needs are NULL. */
const struct cupti_api *fake_cupti_reset(void);

/* The same as an older CUPTI: 22 is that of CUDA 12.4, with its records and without newer functions. */
const struct cupti_api *fake_cupti_reset_as(uint32_t version);

/* From now on the function, named as in CUPTI_TRACE_FUNCTIONS, returns `result`. */
void fake_cupti_refuse(const char *function, CUptiResult result);

/* The same of cuptiActivityEnable for one kind; the last one named. */
void fake_cupti_refuse_kind(CUpti_ActivityKind kind, CUptiResult result);

bool fake_cupti_enabled(CUpti_ActivityKind kind);
CUpti_ActivityThreadIdType fake_cupti_thread_ids(void);

/* The next question for dropped records is answered with so many more. */
void fake_cupti_drop(size_t records);

/* A buffer of records as CUPTI asks the collector for it. These may be called
 * on any thread, one thread a buffer. */
struct fake_buffer {
    uint8_t *bytes;
    size_t size, valid;
};
bool fake_buffer_open(struct fake_buffer *b);                    /* false: the collector has none */
void fake_buffer_add(struct fake_buffer *b, const void *record); /* its kind says its size */
void fake_buffer_spoil(struct fake_buffer *b); /* appends a record of a kind that CUPTI does not know */
void fake_buffer_complete(struct fake_buffer *b);

/* Completes the buffer at the next flush: the last one held comes first. */
void fake_cupti_hold(struct fake_buffer *b);

/* Whether records of this call were asked for by its id. */
bool fake_cupti_call_enabled(bool driver, CUpti_CallbackId id);

/* Counters of unified memory that were configured. */
uint32_t fake_cupti_migration_configs(void);

/* What cuptiGetTimestamp says from now on; 1 at first. */
void fake_cupti_set_time(uint64_t now_ns);

/* With the gate closed the function waits. At FAKE_DECODER, the question for dropped
 * records, whoever decodes stands still, as on a disk that takes nothing. */
#define FAKE_DECODER "cuptiActivityGetNumDroppedRecords"
void fake_cupti_close_gate(const char *function);
void fake_cupti_await_at_gate(void); /* until somebody stands there */
void fake_cupti_open_gate(void);

/* So long takes every record of a buffer. */
void fake_cupti_slow_down(long record_ms);

bool fake_cupti_subscribed(void);

/* The subscriber's callback, if it asked for this one; false when it did not. */
bool fake_cupti_tell(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data);

/* Tells who subscribed to module loads of one; false when nobody did. */
bool fake_cupti_load_module(const void *cubin, size_t bytes);

#endif
