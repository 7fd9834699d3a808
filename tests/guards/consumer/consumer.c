/* Can a program outside the tree use each public header? */
#include <stdio.h>

#include <cpprof/event.h>
#include <cpprof/shard.h>
#include <cpprof/task.h>
#include <cpprof/variant.h>

int main(void)
{
    struct cpprof_variant variant = {.struct_bytes = sizeof variant, .name = "outside/consumer"};
    printf("%s: an event is %zu bytes, a shard header %zu\n", variant.name, sizeof(struct cpprof_event),
           sizeof(struct cpprof_shard_header));
    return variant.struct_bytes == 0;
}
