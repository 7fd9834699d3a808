/* Which kernels come without source, and what helps against their bounds then? */
#include "analyzers/bounds/closed_kernels.h"

#include <ctype.h>
#include <stddef.h>

#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/base/str.h"

/* Beginnings of words in names, as these libraries launch them; '#' is a number. */
static const struct {
    const char *word, *library;
} words[] = {
    {"cudnn", "cuDNN"},
    {"scudnn_", "cuDNN"},
    {"hcudnn_", "cuDNN"},
    {"implicit_convolve_sgemm", "cuDNN"},
    {"cublas", "cuBLAS"},
    {"nvjet_", "cuBLAS"},
    {"sm#_xmma_", "cuBLAS or cuDNN"},
    {"cutlass_#_tensorop_", "cuBLAS or cuDNN"},
    {"cutlass_#_wmma_", "cuBLAS or cuDNN"},
    {"cutlass_#_simt_", "cuBLAS or cuDNN"},
    {"maxwell_sgemm", "cuBLAS"},
    {"maxwell_scudnn", "cuDNN"},
    {"volta_sgemm", "cuBLAS"},
    {"volta_hgemm", "cuBLAS"},
    {"volta_dgemm", "cuBLAS"},
    {"volta_fp16_", "cuBLAS"},
    {"volta_s884gemm", "cuBLAS"},
    {"volta_h884gemm", "cuBLAS"},
    {"volta_scudnn", "cuDNN"},
    {"turing_fp16_", "cuBLAS"},
    {"turing_s1688gemm", "cuBLAS"},
    {"turing_h1688gemm", "cuBLAS"},
    {"ampere_sgemm", "cuBLAS"},
    {"ampere_hgemm", "cuBLAS"},
    {"ampere_dgemm", "cuBLAS"},
    {"ampere_fp16_", "cuBLAS"},
    {"ampere_bf16_", "cuBLAS"},
    {"ampere_scudnn", "cuDNN"},
    {"gemvNSP_kernel", "cuBLAS"},
    {"gemv2T_kernel_val", "cuBLAS"},
    {"gemv2N_kernel", "cuBLAS"},
    {"gemmSN_", "cuBLAS"},
    {"gemmk1_kernel", "cuBLAS"},
    {"splitKreduce_kernel", "cuBLAS"},
    {"internal::gemvx", "cuBLAS"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"regular_fft", "cuFFT"},
    {"vector_fft", "cuFFT"},
    {"cufft", "cuFFT"},
};

static bool begins_with(const char *name, const char *word)
{
    for (; *word; word++) {
        if (*word != '#' && *name++ != *word)
            return false;
        if (*word != '#')
            continue;
        if (!isdigit((unsigned char)*name))
            return false;
        while (isdigit((unsigned char)*name))
            name++;
    }
    return true;
}

static bool is_begin(const char *name, const char *at)
{
    return at == name || (!isalpha((unsigned char)at[-1]) && at[-1] != '_');
}

static const char *library_of(const char *name)
{
    for (const char *at = name; *at; at++)
        for (size_t i = 0; i < COUNT_OF(words) && is_begin(name, at); i++)
            if (begins_with(at, words[i].word))
                return words[i].library;
    return NULL;
}

/* Without template arguments: a kernel of one's own may take a type of a library. */
const char *closed_kernel_library(const char *kernel)
{
    struct str name;
    str_init(&name);
    demangle_short(&name, kernel);
    const char *library = library_of(str_text(&name));
    str_release(&name);
    return library;
}

const char *closed_kernel_advice(enum bound_class class_, const char *library, struct arena *arena)
{
    static const struct {
        enum bound_class class_;
        const char *what;
    } advices[] = {
        {BOUND_LATENCY, "more work in each call (a larger batch), other work beside it"},
        {BOUND_COMPUTE, "smaller types or less work in each call"},
        {BOUND_MEMORY, "smaller types, or calls that are fused with their neighbours"},
        {BOUND_BALANCED, "smaller types or less work in each call"},
    };
    for (size_t i = 0; i < COUNT_OF(advices); i++)
        if (advices[i].class_ == class_)
            return arena_printf(arena, "%s, or another algorithm; its source is closed (%s)", advices[i].what, library);
    return NULL;
}
