/* Which kernels communicate, by their names?
 *
 * Names come mangled, demangled or short, so the word of a library begins behind anything but a letter. */
#include "core/trace/communication/comm_names.h"

#include <regex.h>
#include <stdlib.h>

#include "core/base/count_of.h"
#include "core/base/pattern.h"
#include "core/base/str.h"

#define COUNT(a)   COUNT_OF(a)
#define WORD       "(^|[^A-Za-z])"
#define OR_NOTHING "[-_]?"
#define REDUCE     "([Rr]educe|REDUCE)"
#define GATHER     "([Gg]ather|GATHER)"
#define SCATTER    "([Ss]catter|SCATTER)"
#define TO         "([Tt]o|TO|2)"
#define ALL        "([Aa]ll|ALL)"

static const struct comm_name names[] = {
    {COMM_LIBRARY, "[Nn]ccl|NCCL", "NCCL, RCCL, NCCLX", "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16"},
    {COMM_LIBRARY, "[Rr]ccl", "RCCL", "rcclGenericKernel"},
    {COMM_LIBRARY, WORD "msccl", "MSCCL, MSCCL++", "mscclKernel_Sum_half_Simple_false"},
    {COMM_LIBRARY, "nvshmem|NVSHMEM|rocshmem", "NVSHMEM, rocSHMEM", "nvshmemi_put_kernel"},
    {COMM_LIBRARY, "cross_device_(reduce|store)", "vLLM, SGLang, AITER",
     "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, int)"},
    {COMM_LIBRARY, WORD "quickreduce", "quick-reduce", "quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot>"},
    {COMM_LIBRARY, "deep_ep|hybrid_ep", "DeepEP", "void deep_ep::intranode::combine<__nv_bfloat16, 8>(void*)"},
    {COMM_LIBRARY, WORD "pplx|a2a_(dispatch|combine)", "pplx-kernels, pplx-garden", "a2a_dispatch_send_kernel"},
    {COMM_LIBRARY, "mori::|Ep(Dispatch|Combine)(Intra|Inter)[Nn]ode", "MORI", "EpDispatchIntraNodeKernel_bf16"},
    {COMM_LIBRARY, "A2A(Dispatch|Combine|Prepare)", "TensorRT-LLM, FlashInfer", "moeA2ADispatchKernel"},
    {COMM_LIBRARY, WORD "(ucc_e(c|ee)_|UCC_REDUCE_)", "UCC",
     "void executor_kernel<true>(ucc_ec_cuda_executor volatile*, int)"},
    {COMM_LIBRARY, "userbuffers", "Transformer Engine", "userbuffers_fp16_sum_inplace_gpu_rw_ag"},
    {COMM_LIBRARY, "torchcomms", "torchcomms", "torchcomms_kernel"},
    {COMM_LIBRARY, "multimem_|" WORD "(put|wait)_signal_kernel", "PyTorch's symmetric memory",
     "void (anonymous namespace)::multimem_one_shot_reduce_kernel<c10::BFloat16, 16>()"},
    {COMM_COLLECTIVE, ALL OR_NOTHING REDUCE, "all-reduce, of anybody",
     "flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8>"},
    {COMM_COLLECTIVE, ALL OR_NOTHING GATHER, "all-gather, of anybody", "all_gather_kernel"},
    {COMM_COLLECTIVE, REDUCE OR_NOTHING SCATTER, "reduce-scatter, of anybody", "userReduceScatterKernel"},
    {COMM_COLLECTIVE, ALL OR_NOTHING TO OR_NOTHING ALL, "all-to-all, of anybody", "moe_all2all_dispatch"},
};

/* Kernels that only work on data of their own GPU. */
static const struct comm_name except[] = {
    {COMM_LIBRARY, "deep_ep[:0-9]*layout", "DeepEP", "deep_ep::layout::get_dispatch_layout<256, 32, 8>"},
    {COMM_COLLECTIVE, "([Ww]arp|[Bb]lock|[Tt]hread|[Cc]luster|[Ll]ane)_?[Aa]ll_?[Rr]educe", "OneFlow, LeetCUDA",
     "block_all_reduce_sum_f32_f32_kernel"},
    {COMM_COLLECTIVE,
     "(" WORD "(sm|c|f|w|rec|over)|(Sm|C|F|W|Rec|Over))all" OR_NOTHING "(" REDUCE "|" GATHER "|" TO ")",
     "English words", "void small_reduce_kernel<512>(float*)"},
    {COMM_COLLECTIVE,
     "([Tt]ranspose|[Pp]ermute|[Pp]ack|[Ss]huffle)d?_?([Bb]efore|[Aa]fter|[Ff]or|[Ff]rom|[Tt]o|[Oo]f)?_?"
     "(" ALL "|" REDUCE ")",
     "of what is sent", "transpose_for_all_to_all_kernel"},
};

/* All patterns of a kind are one expression: a trace may have half a million names. */
struct comm_matcher {
    regex_t of[COMM_KINDS], except[COMM_KINDS], more;
    size_t kinds; /* that are compiled */
    bool has_more;
};

const struct comm_name *comm_names(size_t *count)
{
    *count = COUNT(names);
    return names;
}

const struct comm_name *comm_names_except(size_t *count)
{
    *count = COUNT(except);
    return except;
}

static int compile(regex_t *out, const struct comm_name *rows, size_t count, enum comm_kind kind, struct err *e)
{
    struct str all;
    str_init(&all);
    for (size_t i = 0; i < count; i++)
        if (rows[i].kind == kind)
            str_addf(&all, "%s%s", all.length ? "|" : "", rows[i].pattern);
    const int rc = all.failed ? err_memory(e) : pattern_compile(out, str_text(&all), "the table of communication", e);
    str_release(&all);
    return rc;
}

static int compile_kind(struct comm_matcher *m, enum comm_kind kind, struct err *e)
{
    int rc = compile(&m->of[kind], names, COUNT(names), kind, e);
    if (rc)
        return rc;
    if ((rc = compile(&m->except[kind], except, COUNT(except), kind, e)))
        regfree(&m->of[kind]);
    m->kinds += !rc;
    return rc;
}

int comm_matcher_new(struct comm_matcher **out, const char *more, struct err *e)
{
    struct comm_matcher *m = calloc(1, sizeof *m);
    int rc = m ? 0 : err_memory(e);
    for (int kind = 0; kind < COMM_KINDS && !rc; kind++)
        rc = compile_kind(m, (enum comm_kind)kind, e);
    if (!rc && more) {
        rc = pattern_compile(&m->more, more, "communication pattern", e);
        m->has_more = !rc;
    }
    if (rc)
        comm_matcher_free(m);
    else
        *out = m;
    return rc;
}

void comm_matcher_free(struct comm_matcher *m)
{
    if (!m)
        return;
    for (size_t kind = 0; kind < m->kinds; kind++) {
        regfree(&m->of[kind]);
        regfree(&m->except[kind]);
    }
    if (m->has_more)
        regfree(&m->more);
    free(m);
}

bool comm_matcher_takes(const struct comm_matcher *m, const char *name)
{
    if (m->has_more && !regexec(&m->more, name, 0, NULL, 0))
        return true;
    for (int kind = 0; kind < COMM_KINDS; kind++)
        if (!regexec(&m->of[kind], name, 0, NULL, 0) && regexec(&m->except[kind], name, 0, NULL, 0))
            return true;
    return false;
}
