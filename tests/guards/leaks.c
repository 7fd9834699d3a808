/* Would a leak be noticed? This program has one, and its test passes when it fails. */
#include <stdlib.h>

int main(void)
{
    char *volatile lost = malloc(64);
    if (!lost)
        return EXIT_SUCCESS;
    lost = NULL;
    return EXIT_SUCCESS;
}
