/* setting.h - what is a parameter of a variant and a constant of its task: families.sh sets variants to these values.
 */
#ifndef CPPROF_FAMILIES_SETTING_H
#define CPPROF_FAMILIES_SETTING_H

enum { PIPELINE_WORK = 256, PIPELINE_CTAS_PER_SM = 1, STREAMS_WORK = 1000 };

/* Scales of heads: they depend on the shape alone, so that inputs are drawn on the GPU as those of most tasks are.
 * Codes from 0 to 100 are values up to 48; scores have a standard deviation of about 2.6, values are below 4. */
enum { SCALE_OF_Q, SCALE_OF_K, SCALE_OF_V, SCALES };

static inline float sdpa_scale(int which, int head)
{
    const float of_head = 1 + 0.125f * (float)(head % 8);
    return which == SCALE_OF_V ? 0.04f * of_head : which == SCALE_OF_Q ? 0.15f * of_head : 0.15f / of_head;
}

#endif
