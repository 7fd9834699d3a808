/* May the GPUs read each other's memory, and over what? The matrix itself is
 * in the report. */
#include <string.h>

#include "cli/doctor/doctor.h"

struct link_counts {
    size_t pairs, with_access, with_nvlink, refused;
    long long fewest, most, version; /* NVLinks of the pairs that have any */
    const char *why;                 /* the driver's word for a refusal */
};

static struct link_counts count_links(const json_t *links)
{
    struct link_counts n = {.why = ""};
    size_t i;
    json_t *link;
    json_array_foreach (links, i, link) {
        const json_t *access = json_object_get(link, "access");
        const long long count = json_get_integer(link, "nvlinks", 0);
        n.pairs++;
        n.with_access += json_is_true(access);
        n.refused += json_is_false(access);
        if (json_is_false(access) && !*n.why)
            n.why = json_get_text(link, "p2p_read", "");
        if (count <= 0)
            continue;
        n.fewest = !n.with_nvlink || count < n.fewest ? count : n.fewest;
        n.most = count > n.most ? count : n.most;
        n.version = json_get_integer(link, "nvlink_version", 0);
        n.with_nvlink++;
    }
    return n;
}

static void check_access(const struct link_counts *n, struct checkup *c)
{
    if (n->with_access == n->pairs) {
        checkup_ok(c, "peer access", "%zu of %zu pairs", n->with_access, n->pairs);
        return;
    }
    checkup_note(c, "peer access", "%zu of %zu pairs%s%s", n->with_access, n->pairs,
                 *n->why && strcmp(n->why, "ok") ? "; refused: " : "", strcmp(n->why, "ok") ? n->why : "");
    checkup_advise(c, n->refused
                          ? "copies between the other pairs go through host memory: look at the IOMMU, at PCIe access "
                            "control (ACS) and at the virtual machine's topology"
                          : "CUDA does not see both GPUs of the other pairs");
}

static void check_nvlink(const struct link_counts *n, struct checkup *c)
{
    if (!n->with_nvlink) {
        checkup_ok(c, "NVLink", "none between these GPUs: they meet over PCIe");
    } else if (n->fewest != n->most) {
        checkup_note(c, "NVLink", "%lld to %lld links a pair", n->fewest, n->most);
        checkup_advise(
            c, "collectives run at the speed of the thinnest pair: `nvidia-smi nvlink -s` names links that are down");
    } else if (n->with_nvlink < n->pairs) {
        checkup_ok(c, "NVLink", "%zu of %zu pairs, %lld links each", n->with_nvlink, n->pairs, n->most);
    } else {
        checkup_ok(c, "NVLink", "every pair, %lld links each", n->most);
    }
}

void check_links(const struct doctor_input *in, struct checkup *c)
{
    const struct link_counts n = count_links(json_object_get(in->probe, "links"));
    const size_t devices = json_array_size(json_object_get(in->probe, "devices"));
    if (!n.pairs) {
        if (devices == 1)
            checkup_ok(c, "peer access", "one GPU: nothing to connect");
        return;
    }
    check_access(&n, c);
    check_nvlink(&n, c);
}
