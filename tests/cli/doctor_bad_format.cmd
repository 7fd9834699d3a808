CPPROF_RUNNER=/is/not/there cpprof doctor --format xml
