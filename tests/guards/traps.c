/* Undefined behaviour must end a test, with the place: traps.c and the line. */
#include <stdio.h>

enum { BITS = 32 };

static int shifted(int by)
{
    return 1 << by;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", shifted(BITS - 1 + argc));
    return 0;
}
