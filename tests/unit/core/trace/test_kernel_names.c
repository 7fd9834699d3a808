/* Do names of real kernels keep the part that tells them apart? */
#include <string.h>

#include "core/trace/kernel_names.h"
#include "tests/test.h"

static const struct {
    const char *full, *brief, *fitted; /* the short name, and what is left of it in 40 columns */
} rows[] = {
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
     "at::native::vectorized_elementwise_kernel<FillFunctor>",
     "vectorized_elemen\xe2\x80\xa6"
     "se_kernel<FillFunctor>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
     "at::native::vectorized_elementwise_kernel<CUDAFunctor_add>",
     "vectorized_elem\xe2\x80\xa6"
     "_kernel<CUDAFunctor_add>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<long>, at::detail::Array<char*, 2> >(int, at::native::CUDAFunctorOnSelf_add<long>, at::detail::Array<char*, 2>)",
     "at::native::vectorized_elementwise_kernel<CUDAFunctorOnSelf_add>",
     "vectorized_\xe2\x80\xa6"
     "ernel<CUDAFunctorOnSelf_add>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int, at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul>)",
     "at::native::vectorized_elementwise_kernel<MulFunctor>",
     "vectorized_element\xe2\x80\xa6"
     "se_kernel<MulFunctor>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, at::native::binary_internal::DivFunctor<float> >, std::array<char*, 3ul> >(int, at::native::BinaryFunctor<float, float, float, at::native::binary_internal::DivFunctor<float> >, std::array<char*, 3ul>)",
     "at::native::vectorized_elementwise_kernel<DivFunctor>",
     "vectorized_element\xe2\x80\xa6"
     "se_kernel<DivFunctor>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)",
     "at::native::vectorized_elementwise_kernel<exp_kernel_cuda>",
     "vectorized_elem\xe2\x80\xa6"
     "_kernel<exp_kernel_cuda>"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)",
     "at::native::vectorized_elementwise_kernel<launch_clamp_scalar>",
     "vectorized_e\xe2\x80\xa6"
     "kernel<launch_clamp_scalar>"},
    {"void at::vectorized_elementwise_kernel<8, at::float16_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda(float) (instance 1)], std::array<char *, 2>>(int, T2, T3)",
     "at::vectorized_elementwise_kernel<float16_copy_kernel_cuda>",
     "vectorize\xe2\x80\xa6"
     "rnel<float16_copy_kernel_cuda>"},
    {"void at::native::vectorized_elementwise_kernel<(int)4, at::native::BUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float>>, std::array<char *, (unsigned long)2>>(int, T2, T3)",
     "at::native::vectorized_elementwise_kernel<MulFunctor>",
     "vectorized_element\xe2\x80\xa6"
     "se_kernel<MulFunctor>"},
    {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast<1>)", "at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda>",
     "unrolled_\xe2\x80\xa6"
     "ernel<direct_copy_kernel_cuda>"},
    {"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1} const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1} const&)::{lambda(int)#1})",
     "at::native::elementwise_kernel<direct_copy_kernel_cuda>",
     "elementwi\xe2\x80\xa6"
     "ernel<direct_copy_kernel_cuda>"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4>)",
     "at::native::reduce_kernel<MeanOps>", "at::native::reduce_kernel<MeanOps>"},
    {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, at::native::MaxOps<float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::MaxOps<float>, unsigned int, float, 4>)",
     "at::native::reduce_kernel<MaxOps>", "at::native::reduce_kernel<MaxOps>"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4>)",
     "at::native::reduce_kernel<sum_functor>", "at::native::reduce_kernel<sum_functor>"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)0, false>, float const*, double, double, double, double, double, bool, float*, float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)0, false>, float const*, double, double, double, double, double, bool, float*, float*)",
     "at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedAdamMathFunctor>",
     "multi_tenso\xe2\x80\xa6"
     "kernel<FusedAdamMathFunctor>"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, float)",
     "at::native::(anonymous namespace)::multi_tensor_apply_kernel<BinaryOpListAlphaFunctor>",
     "multi_ten\xe2\x80\xa6"
     "rnel<BinaryOpListAlphaFunctor>"},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
     "at::native::(anonymous namespace)::vectorized_layer_norm_kernel", "vectorized_layer_norm_kernel"},
    {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel_32x32<float, float>(long, long, float const*, float const*, float const*, float const*, float*, float*)",
     "at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel_32x32", "GammaBetaBackwardCUDAKernel_32x32"},
    {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::SoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)",
     "at::native::(anonymous namespace)::cunn_SoftMaxForward", "cunn_SoftMaxForward"},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(at::native::(anonymous namespace)::OpaqueType<2u>*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 64, 64>, at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)",
     "at::native::(anonymous namespace)::CatArrayBatchedCopy", "CatArrayBatchedCopy"},
    {"void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<at::native::index_kernel_impl<at::native::OpaqueType<4> >(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>)::{lambda(char*, char const*, long)#1}>(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>, at::native::index_kernel_impl<at::native::OpaqueType<4> >(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>)::{lambda(char*, char const*, long)#1} const&, bool)::{lambda(int)#1}>(long, at::native::gpu_index_kernel<at::native::index_kernel_impl<at::native::OpaqueType<4> >(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>)::{lambda(char*, char const*, long)#1}>(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>, at::native::index_kernel_impl<at::native::OpaqueType<4> >(at::TensorIteratorBase&, c10::ArrayRef<long>, c10::ArrayRef<long>)::{lambda(char*, char const*, long)#1} const&, bool)::{lambda(int)#1})", "at::native::index_elementwise_kernel<index_kernel_impl>",
     "index_element\xe2\x80\xa6"
     "_kernel<index_kernel_impl>"},
    {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*, float const*, int, int, int, bool const*, int, bool)",
     "(anonymous namespace)::softmax_warp_forward", "softmax_warp_forward"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(cutlass_80_simt_sgemm_128x64_8x5_nn_align1::Params)",
     "cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>",
     "cutlass_80_simt_sgemm_128x\xe2\x80\xa6"
     "8x5_nn_align1"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_tn_align1>(T1::Params)",
     "cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_tn_align1>",
     "cutlass_80_simt_sgemm_256x\xe2\x80\xa6"
     "8x4_tn_align1"},
    {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_tn_align4>(cutlass_80_tensorop_s1688gemm_64x64_16x6_tn_align4::Params)",
     "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_tn_align4>",
     "cutlass_80_tensorop_s1688g\xe2\x80\xa6"
     "6x6_tn_align4"},
    {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8::Params)",
     "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8>",
     "cutlass_80_tensorop_bf16_s\xe2\x80\xa6"
     "2x3_nn_align8"},
    {"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8::Params)",
     "cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>",
     "cutlass_80_wmma_tensorop_b\xe2\x80\xa6"
     "8x2_tn_align8"},
    {"void cutlass::Kernel<cutlass_75_tensorop_s1688gemm_f16_128x128_nn_align8>(cutlass_75_tensorop_s1688gemm_f16_128x128_nn_align8::Params)",
     "cutlass::Kernel<cutlass_75_tensorop_s1688gemm_f16_128x128_nn_align8>",
     "cutlass_75_tensorop_s1688g\xe2\x80\xa6"
     "128_nn_align8"},
    {"void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_128x128_32x5_nhwc_align8>(cutlass_tensorop_f16_s16816fprop_optimized_f16_128x128_32x5_nhwc_align8::Params)",
     "cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_128x128_32x5_nhwc_align8>",
     "cutlass_tensorop_f16_s1681\xe2\x80\xa6"
     "5_nhwc_align8"},
    {"void cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaFwdKernelTmaWarpspecialized<cute::tuple<int, int, int>, cutlass::fmha::collective::Sm100FmhaFwdMainloopTmaWarpspecialized<cutlass::half_t> > >(cutlass::fmha::kernel::Sm100FmhaFwdKernelTmaWarpspecialized<cute::tuple<int, int, int>, cutlass::fmha::collective::Sm100FmhaFwdMainloopTmaWarpspecialized<cutlass::half_t> >::Params)",
     "cutlass::device_kernel<Sm100FmhaFwdKernelTmaWarpspecialized>", "Sm100FmhaFwdKernelTmaWarpspecialized"},
    {"void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<5> > > > >(at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<5> > > >::Params)",
     "cutlass::device_kernel<GemmUniversal>", "cutlass::device_kernel<GemmUniversal>"},
    {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float, float, float, false, true, true, false, 6, false, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, float> >(cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, float>)",
     "internal::gemvx::kernel", "internal::gemvx::kernel"},
    {"std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, (bool)0, (bool)1, (bool)1, (bool)0, (int)7, (bool)0, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<const __nv_bfloat16>, cublasGemvTensorStridedBatched<const __nv_bfloat16>, cublasGemvTensorStridedBatched<__nv_bfloat16>, float>>(T13)",
     "internal::gemvx::kernel", "internal::gemvx::kernel"},
    {"void gemv2T_kernel_val<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 128, 16, 4, 4, false, true, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<__nv_bfloat16 const>, cublasGemvTensorStridedBatched<__nv_bfloat16 const>, cublasGemvTensorStridedBatched<__nv_bfloat16>, float> >(cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<__nv_bfloat16 const>, cublasGemvTensorStridedBatched<__nv_bfloat16 const>, cublasGemvTensorStridedBatched<__nv_bfloat16>, float>, float, float)",
     "gemv2T_kernel_val", "gemv2T_kernel_val"},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, true, false, false>(cublasLt::cublasSplitKParams<float>, float const*, __nv_bfloat16 const*, __nv_bfloat16*, float const*, float const*, __nv_bfloat16 const*, float const*, __nv_bfloat16*, void*, long, float*, int*)",
     "cublasLt::splitKreduce_kernel", "cublasLt::splitKreduce_kernel"},
    {"void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const>, cublasGemvTensorStridedBatched<float> > >(cublasDotParams<cublasGemvTensor<float const>, cublasGemvTensorStridedBatched<float> >)",
     "dot_kernel", "dot_kernel"},
    {"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
    {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_tn",
     "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_tn",
     "ampere_bf16_s16816gemm_bf1\xe2\x80\xa6"
     "tages_32x6_tn"},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
     "sm90_xmma_gemm_bf16bf16_bf\xe2\x80\xa6"
     "el__5x_cublas"},
    {"nvjet_sm90_tst_256x128_64x4_2x1_v_bz_coopA_NNT", "nvjet_sm90_tst_256x128_64x4_2x1_v_bz_coopA_NNT",
     "nvjet_sm90_tst_256x128_64x\xe2\x80\xa6"
     "_bz_coopA_NNT"},
    {"nvjet_tst_128x256_64x4_1x2_h_bz_coopB_TNT", "nvjet_tst_128x256_64x4_1x2_h_bz_coopB_TNT",
     "nvjet_tst_128x256_64x4_1x2\xe2\x80\xa6"
     "_bz_coopB_TNT"},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_kernel0_0",
     "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_kernel0_0",
     "cudnn_generated_fort_nativ\xe2\x80\xa6"
     "1x1_kernel0_0"},
    {"void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>(cudnnTensorStruct, float const*, cudnnTensorStruct, float*, float const*, float const*, float, float, float*, float*, float*, float*, float, float)",
     "cudnn::bn_fw_tr_1C11_singleread", "cudnn::bn_fw_tr_1C11_singleread"},
    {"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, (cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>, __half const*, __half*)",
     "cudnn::ops::nchwToNhwcKernel", "cudnn::ops::nchwToNhwcKernel"},
    {"void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, false, true>(int, int, int, float const*, int, float*, float const*, kernel_conv_params, unsigned long long, int, float, float, int, float const*, float const*, bool, int, int)",
     "implicit_convolve_sgemm", "implicit_convolve_sgemm"},
    {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >, false, true, false, false, true, true, false, false>(flash::Flash_fwd_params)",
     "flash::flash_fwd_kernel", "flash::flash_fwd_kernel"},
    {"void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::half_t, Flash_kernel_traits<64, 128, 128, 8, cutlass::half_t> >, false, false, true, false, false, true, false>(flash::Flash_bwd_params)",
     "flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
     "flash_bwd_dq_dk_dv_loop_se\xe2\x80\xa6"
     "rallel_kernel"},
    {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, cutlass::bfloat16_t, float>, flash::CollectiveEpilogueFwd<cute::tuple<cute::C<128> >, cutlass::bfloat16_t>, flash::StaticPersistentTileScheduler<false> > > >(flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, cutlass::bfloat16_t, float>, flash::CollectiveEpilogueFwd<cute::tuple<cute::C<128> >, cutlass::bfloat16_t>, flash::StaticPersistentTileScheduler<false> > >::Params)",
     "cutlass::device_kernel<FlashAttnFwdSm90>", "cutlass::device_kernel<FlashAttnFwdSm90>"},
    {"void pytorch_flash::flash_fwd_splitkv_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 64, 256, 4, false, false, cutlass::half_t>, false, false, false, true, true, false, true, false>(pytorch_flash::Flash_fwd_params)",
     "pytorch_flash::flash_fwd_splitkv_kernel", "pytorch_flash::flash_fwd_splitkv_kernel"},
    {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::half_t, cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)",
     "fmha_cutlassF_f16_aligned_64x64_rf_sm80", "fmha_cutlassF_f16_aligned_64x64_rf_sm80"},
    {"triton_poi_fused_add_cos_sin_0", "triton_poi_fused_add_cos_sin_0", "triton_poi_fused_add_cos_sin_0"},
    {"triton_per_fused__to_copy_add_mean_mul_pow_rsqrt_3", "triton_per_fused__to_copy_add_mean_mul_pow_rsqrt_3",
     "triton_per_fused__to_copy_\xe2\x80\xa6"
     "l_pow_rsqrt_3"},
    {"triton_red_fused_native_layer_norm_native_layer_norm_backward_12",
     "triton_red_fused_native_layer_norm_native_layer_norm_backward_12",
     "triton_red_fused_native_la\xe2\x80\xa6"
     "m_backward_12"},
    {"_attn_fwd_inner_0d1d2d3d4d5c6d7d", "_attn_fwd_inner_0d1d2d3d4d5c6d7d", "_attn_fwd_inner_0d1d2d3d4d5c6d7d"},
    {"matmul_kernel_tma_persistent", "matmul_kernel_tma_persistent", "matmul_kernel_tma_persistent"},
    {"loop_multiply_add_fusion_3", "loop_multiply_add_fusion_3", "loop_multiply_add_fusion_3"},
    {"input_reduce_fusion_1", "input_reduce_fusion_1", "input_reduce_fusion_1"},
    {"wrapped_convert", "wrapped_convert", "wrapped_convert"},
    {"gemm_fusion_dot_12", "gemm_fusion_dot_12", "gemm_fusion_dot_12"},
    {"input_concatenate_reduce_fusion", "input_concatenate_reduce_fusion", "input_concatenate_reduce_fusion"},
    {"void xla::gpu::(anonymous namespace)::RunRadixSort<float, unsigned int>(float*, unsigned int*, int)",
     "xla::gpu::(anonymous namespace)::RunRadixSort", "RunRadixSort"},
    {"void jax::cuda::(anonymous namespace)::ThreeFry2x32Kernel(unsigned int const*, unsigned int const*, unsigned int const*, unsigned int const*, unsigned int*, unsigned int*, long)",
     "jax::cuda::(anonymous namespace)::ThreeFry2x32Kernel", "ThreeFry2x32Kernel"},
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cuda_cub::__uninitialized_fill::functor<thrust::device_ptr<int>, int>, unsigned long>, thrust::cuda_cub::__uninitialized_fill::functor<thrust::device_ptr<int>, int>, unsigned long>(thrust::device_ptr<int>, int)",
     "thrust::cuda_cub::core::_kernel_agent<__uninitialized_fill::functor>", "__uninitialized_fill::functor"},
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cuda_cub::__transform::unary_transform_f<Entity*, Entity*, thrust::cuda_cub::__transform::no_stencil_tag, thrust::identity<Entity>, thrust::cuda_cub::__transform::always_true_predicate>, long>, thrust::cuda_cub::__transform::unary_transform_f<Entity*, Entity*, thrust::cuda_cub::__transform::no_stencil_tag, thrust::identity<Entity>, thrust::cuda_cub::__transform::always_true_predicate>, long>(Entity*, long)",
     "thrust::cuda_cub::core::_kernel_agent<unary_transform_f>", "core::_kernel_agent<unary_transform_f>"},
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__scan::ScanAgent<int*, int*, thrust::plus<int>, int, int, thrust::detail::integral_constant<bool, bool=0>>, int*, int*, thrust::plus<int>, int, thrust::cuda_cub::cub::ScanTileState<int, bool=1>, thrust::cuda_cub::__scan::AddInitToExclusiveScan<int, thrust::plus<int>>>(int*, int, thrust::plus<int>, int, int, bool)",
     "thrust::cuda_cub::core::_kernel_agent<ScanAgent>", "core::_kernel_agent<ScanAgent>"},
    {"void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, float, int>::Policy800, false, long, float, int, int>(int*, int*, int*, int const*, long*, long const*, float*, float const*, int, int, int)",
     "cub::DeviceRadixSortOnesweepKernel", "cub::DeviceRadixSortOnesweepKernel"},
    {"void cub::CUB_200200_900_NS::detail::for_each::static_kernel<cub::CUB_200200_900_NS::detail::for_each::policy_hub_t::policy_350_t, long, thrust::THRUST_200200_900_NS::cuda_cub::__tabulate::functor<thrust::THRUST_200200_900_NS::device_ptr<float>, Fill, long> >(long, thrust::THRUST_200200_900_NS::cuda_cub::__tabulate::functor<thrust::THRUST_200200_900_NS::device_ptr<float>, Fill, long>)",
     "cub::CUB_200200_900_NS::detail::for_each::static_kernel<__tabulate::functor>", "__tabulate::functor"},
    {"void at_cuda_detail::cub::DeviceScanInitKernel<at_cuda_detail::cub::ScanTileState<long, true> >(at_cuda_detail::cub::ScanTileState<long, true>, int)",
     "at_cuda_detail::cub::DeviceScanInitKernel", "DeviceScanInitKernel"},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"},
    {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
     "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t",
     "ncclKernel_SendRecv_RING_S\xe2\x80\xa6"
     "LE_Sum_int8_t"},
    {"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>(__nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, __nv_bfloat16*, long const*, long, long, long, long, long, int, int, int, float const*, float const*)",
     "vllm::reshape_and_cache_flash_kernel", "vllm::reshape_and_cache_flash_kernel"},
    {"void marlin::Marlin<__nv_bfloat16, 1125899906844160l, 256, 1, 8, 8, true, 4, 8, false>(int4 const*, int4 const*, int4*, int4*, int4 const*, unsigned short const*, int4 const*, int const*, int, int, int, int, int, int*, bool, bool, bool, int)",
     "marlin::Marlin", "marlin::Marlin"},
    {"void two_blocktiling<(int)128, (int)128, (int)8, (int)8, (int)8>(int, int, int, const float *, const float *, float *)",
     "two_blocktiling", "two_blocktiling"},
    {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB0_AFC1_AFEM1",
     "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB0_AFC1_AFEM1",
     "Cijk_Alik_Bljk_BBS_BH_Bias\xe2\x80\xa6"
     "B0_AFC1_AFEM1"},
    {"kernel", "kernel", "kernel"},
    {"void kernel<3>(float*)", "kernel<3>", "kernel<3>"},
    {"my::deep::kernel(int)", "my::deep::kernel", "my::deep::kernel"},
};

TEST(real_names_keep_what_tells_them_apart)
{
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct str brief, fitted;
        str_init(&brief);
        str_init(&fitted);
        kernel_name_short(&brief, rows[i].full);
        if (brief.length > 40)
            kernel_name_fit(&fitted, str_text(&brief), 40);
        else
            str_add(&fitted, str_text(&brief));
        if (strcmp(str_text(&brief), rows[i].brief) || strcmp(str_text(&fitted), rows[i].fitted)) {
            print_message("%s\n%s\n%s\n", rows[i].full, str_text(&brief), str_text(&fitted));
            wrong++;
        }
        str_release(&brief);
        str_release(&fitted);
    }
    assert_int_equal(wrong, 0);
    assert_true(COUNT_OF(rows) >= 60);
}

TEST(arguments_lose_what_all_have)
{
    static const char *const pairs[][2] = {
        {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)",
         "at::native::vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul>>"},
        {"void two_blocktiling<(int)128, (int)8>(int, float *)", "two_blocktiling<128, 8>"},
        {"void ns::tile<3>(float *)", "ns::tile<3>"},
        {"void k<f(a::b)::{lambda()#1}::operator()() const, 2>()", "k<f, 2>"},
        {"plain", "plain"},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        struct str compact;
        str_init(&compact);
        kernel_name_compact(&compact, pairs[i][0]);
        assert_string_equal(str_text(&compact), pairs[i][1]);
        str_release(&compact);
    }
}

/* Names come from strangers. */
TEST(any_text_has_a_name)
{
    static const char *const texts[] = {"",
                                        "kernel<",
                                        "kernel<>",
                                        "kernel<<<<<<<<<<<<<<<<<<<<<<<<<a",
                                        "kernel<(>",
                                        "kernel<::>",
                                        "kernel<,,>",
                                        "kernel<a::>()",
                                        "void kernel<)(>(int)",
                                        "\xe2\x80\xa6\xe2\x80\xa6kernel<x>",
                                        "::::<>",
                                        "kernel<->>",
                                        "operator<",
                                        "(anonymous namespace)::",
                                        "kernel<(anonymous namespace)::>"};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        for (size_t columns = 4; columns < 20; columns++) {
            struct str brief, fitted;
            str_init(&brief);
            str_init(&fitted);
            kernel_name_short(&brief, texts[i]);
            kernel_name_compact(&fitted, texts[i]);
            str_clear(&fitted);
            kernel_name_fit(&fitted, str_text(&brief), columns);
            assert_false(brief.failed || fitted.failed);
            str_release(&brief);
            str_release(&fitted);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_names_keep_what_tells_them_apart),
                                       cmocka_unit_test(arguments_lose_what_all_have),
                                       cmocka_unit_test(any_text_has_a_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
