/* What does AddressSanitizer do in builds for tests? It reads this as a process starts. */
const char *__asan_default_options(void);

/* UndefinedBehaviorSanitizer ends a process with SIGILL; then the place is printed. */
const char *__asan_default_options(void)
{
    return "handle_sigill=1";
}
