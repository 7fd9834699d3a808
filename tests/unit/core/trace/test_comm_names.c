/* Which names are those of communication, and which only look like them? */

#include "tests/test.h"
#include <stdio.h>
#include <string.h>

#include "core/base/str.h"
#include "core/trace/communication/comm_names.h"

static const char *const communicate[] = {
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "nccldevkernel_allgather",
    "ncclKernel_AllReduce_RING_LL_Sum_float",
    "ncclSymkDevKernel_AllGather_LL",
    "ncclDevKernel_Generic_1",
    "rcclGenericKernel",
    "void sglang::cross_device_reduce_2stage<__half, 4>(sglang::RankData*)",
    "_ZN4vllm26cross_device_reduce_1stageI6__halfLi8EEEvPNS_8RankDataE",
    "deep_ep::internode_ll::dispatch<true, 7168>(void*)",
    "_ZN7deep_ep9intranode8dispatchILi8EEEvPv",
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<2>(int)",
    "allreduce_fusion_kernel_twoshot_sync",
    "lamport_style_one_shot_all_reduce_norm_kernel<8>",
    "multimem_all_reduce_kernel",
    "one_shot_all_reduce_kernel",
    "two_shot_all_reduce_kernel_inplace",
    "void tensorrt_llm::kernels::oneShotAllReduceKernel<float>()",
    "void tensorrt_llm::kernels::lowPrecisionTwoShotAllReduceKernel<8>()",
    "twoshotAllreduceKernel",
    "moe_all2all_dispatch",
    "void mscclpp::allreduce<int>()",
    "mscclKernel_Sum_hip_bfloat16_Simple",
    "nvshmemi_put_kernel",
    "void pplx::all_to_all_combine()",
    "torchcomms_kernel",
    "_Z15executor_kernelILb1EEvPV20ucc_ec_cuda_executori",
    "kernel_copy_multi_aligned(ucc_eee_task_copy_multi)",
    "void UCC_REDUCE_CUDA_STRIDED_SUM<float, float, false, 4>(ucc_eee_task_reduce_strided, unsigned short)",
    "allgatherv_kernel_vec32",
    "kuserbuffers_pushsend",
    "moeA2ACombineKernel",
    "EpCombineIntraNodeKernel_bf16",
    "hybrid_ep::device_sync_kernel<8>",
    "aiter::reduce_scatter_cross_device_store<__half, 8>",
    "customallreduce",
    "ReduceScatterKernel",
    "allToAllV",
    "ALLGATHER",
    "call_all_reduce",
    "all-reduce.3",
};

static const char *const compute[] = {
    "void at::native::(anonymous namespace)::reduce_kernel<512>()",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::sum_functor<float>>>",
    "_scatter_gather_elementwise_kernel",
    "void at::native::vectorized_gather_kernel<16, long>()",
    "block_all_reduce_sum_f32_f32_kernel",
    "warpAllReduceSum",
    "SoftmaxBlockAllReduce",
    "small_gather_kernel",
    "SmallReduceKernel",
    "call_reduce",
    "overall_reduce",
    "transpose_for_all_to_all_kernel",
    "permute_before_alltoall",
    "pack_reduce_scatter_buffer",
    "deep_ep::layout::get_dispatch_layout<256, 32, 8>",
    "_ZN7deep_ep6layout19get_dispatch_layoutILi256EEEvv",
    "data2array_dispatch",
    "dispatch",
    "combine",
    "memory_barrier_kernel",
    "elementwise_kernel",
    "cub::DeviceReduceKernel",
    "scatter_reduce_kernel",
    "splitKreduce_kernel",
    "wait_kernel",
    "",
};

TEST(names_are_told_apart)
{
    struct comm_matcher *m;
    assert_int_equal(comm_matcher_new(&m, NULL, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(communicate); i++)
        if (!comm_matcher_takes(m, communicate[i]))
            fail_msg("%s communicates", communicate[i]);
    for (size_t i = 0; i < COUNT_OF(compute); i++)
        if (comm_matcher_takes(m, compute[i]))
            fail_msg("%s does not communicate", compute[i]);
    comm_matcher_free(m);
}

TEST(each_row_has_its_example)
{
    struct comm_matcher *m;
    size_t count;
    assert_int_equal(comm_matcher_new(&m, NULL, NULL), 0);
    const struct comm_name *rows = comm_names(&count);
    for (size_t i = 0; i < count; i++)
        if (!comm_matcher_takes(m, rows[i].example))
            fail_msg("%s", rows[i].example);
    rows = comm_names_except(&count);
    for (size_t i = 0; i < count; i++)
        if (comm_matcher_takes(m, rows[i].example))
            fail_msg("%s", rows[i].example);
    comm_matcher_free(m);
}

static void look_for(const char *page, const struct comm_name *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str row;
        str_init(&row);
        str_addf(&row, "| %s | `%s` |\n", rows[i].project, rows[i].example);
        if (!strstr(page, str_text(&row)))
            fail_msg("docs/overlap.md has no row %s", str_text(&row));
        str_release(&row);
    }
}

TEST(the_page_has_each_row)
{
    static char page[256 * 1024];
    size_t count;
    FILE *from = fopen(SOURCE_DIRECTORY "/docs/overlap.md", "rb");
    assert_non_null(from);
    page[fread(page, 1, sizeof page - 1, from)] = '\0';
    fclose(from);
    const struct comm_name *rows = comm_names(&count);
    look_for(page, rows, count);
    rows = comm_names_except(&count);
    look_for(page, rows, count);
}

TEST(an_expression_adds_to_the_table)
{
    struct comm_matcher *m;
    struct err e = {0};
    assert_int_equal(comm_matcher_new(&m, "^my_exchange|block_all", NULL), 0);
    assert_true(comm_matcher_takes(m, "my_exchange_kernel"));
    assert_true(comm_matcher_takes(m, "block_all_reduce_sum_f32_f32_kernel")); /* whoever asks for it gets it */
    assert_true(comm_matcher_takes(m, "ncclDevKernel_SendRecv"));
    assert_false(comm_matcher_takes(m, "gemm"));
    comm_matcher_free(m);
    assert_int_equal(comm_matcher_new(&m, "(", &e), ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_told_apart), cmocka_unit_test(each_row_has_its_example),
        cmocka_unit_test(the_page_has_each_row), cmocka_unit_test(an_expression_adds_to_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
