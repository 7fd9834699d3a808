/* outputs_seen.cuh - a number for each output that was launched on, by its pointer. */
enum { OUTPUTS_SEEN = 64 };

/* OUTPUTS_SEEN where there are too many. */
static unsigned output_number(const float *out)
{
    static const float *seen[OUTPUTS_SEEN];
    static unsigned count;
    unsigned i = 0;
    while (i < count && seen[i] != out)
        i++;
    if (i == count && i < OUTPUTS_SEEN)
        seen[count++] = out;
    return i;
}
