cpprof list ../../../examples/verdicts/win.cpprof
