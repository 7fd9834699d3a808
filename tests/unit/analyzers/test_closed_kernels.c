/* Kernels of closed libraries by their names, and what is advised then. */
#include <string.h>

#include "analyzers/bounds/closed_kernels.h"
#include "tests/test.h"

/* NULL: it may be the user's own. */
TEST(names_tell_the_library)
{
    static const char *const cases[][2] = {
        {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0",
         "cuDNN"},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_execute_kernel__5x_cublas", "cuBLAS or cuDNN"},
        {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNN", "cuBLAS"},
        {"void cublasLt::splitKreduce_kernel<32, 16, int>(int)", "cuBLAS"},
        {"_ZN8cublasLt13some_kernelENi", "cuBLAS"},
        {"ampere_sgemm_128x64_tn", "cuBLAS"},
        {"cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_32x2_tn_align8", "cuBLAS or cuDNN"},
        {"void regular_fft<256u, 4u>(float*)", "cuFFT"},
        {"void cusparse::csrmv_kernel<float>(float*)", "cuSPARSE"},
        /* one's own, though a library's name is within */
        {"my_cublas_like_gemm", NULL},
        {"_Z20my_regular_fft_copyPf", NULL},
        {"void mine<cudnn::type>(cublas_handle*)", NULL},
        {"void at::native::vectorized_elementwise_kernel<4, cublasThing>(int)", NULL},
        {"sm_xmma_gemm", NULL},
        {"sgemm_naive", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *library = closed_kernel_library(cases[i][0]);
        if (!library != !cases[i][1] || (library && strcmp(library, cases[i][1]) != 0))
            fail_msg("%s: %s", cases[i][0], library ? library : "none");
    }
}

TEST(advice_is_about_the_call)
{
    struct arena arena;
    arena_init(&arena);
    const char *latency = closed_kernel_advice(BOUND_LATENCY, "cuDNN", &arena);
    assert_non_null(strstr(latency, "larger batch"));
    assert_non_null(strstr(latency, "(cuDNN)"));
    assert_null(closed_kernel_advice(BOUND_LAUNCH, "cuDNN", &arena)); /* a CUDA graph changes no kernel */
    assert_null(closed_kernel_advice(BOUND_COPY, "cuDNN", &arena));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_tell_the_library),
                                       cmocka_unit_test(advice_is_about_the_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
