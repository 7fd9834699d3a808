/* A function of a stranger's library, as plain C has it: out[i] = in[i] + add, on memory of the host. */
#include <stddef.h>
#include <stdint.h>

int add_to_all(const float *in, float *out, int64_t count, int add, void *stream);
int add_to_all(const float *in, float *out, int64_t count, int add, void *stream)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = in[i] + (float)add;
    return stream ? 0 : 7;
}
