/* bundle_traces.h - the traces of a bundle, one after the other. */
#ifndef CPPROF_BUNDLE_TRACES_H
#define CPPROF_BUNDLE_TRACES_H

#include "base/err.h"
#include "bundle/bundle.h"
#include "trace/readers/reader.h"

/* Reads the traces of an open bundle (bundle/bundle_open.h), which must outlive the events. */
int bundle_traces_read(const struct bundle *b, struct reader_sink *sink, struct err *e);

#endif
