/* bundle_traces.h - reads the traces of a bundle one after the other. */
#ifndef CPPROF_BUNDLE_TRACES_H
#define CPPROF_BUNDLE_TRACES_H

#include "core/base/err.h"
#include "core/bundle/bundle.h"
#include "core/trace/readers/reader.h"

/* Reads the traces of an open bundle (core/bundle/bundle_open.h), which must outlive the events. */
int bundle_traces_read(const struct bundle *b, struct reader_sink *sink, struct err *e);

#endif
