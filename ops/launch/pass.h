// Passes: an op's file is compiled by the host compiler and, with --config=cuda, by nvcc as well.
// A file of elementwise ops the host compiler compiles once more for simulated GPUs: what nvcc sees
// of it, so that its functors run there in the blocks in which they run on a GPU.
//
// Each pass has a namespace of its own (`namespace warpbeam::WB_PASS`), so that the same functor
// gives different functions without breaking the one-definition rule. What exists once (schemas,
// shape functions, gradients, kernel classes) stands under `#if WB_HOST_PASS`, what only nvcc
// understands under `#if WB_CUDA_PASS`. The passes of GPUs include nothing from Abseil.
#ifndef WARPBEAM_OPS_LAUNCH_PASS_H_
#define WARPBEAM_OPS_LAUNCH_PASS_H_

#include "graph/types/number.h"  // WB_HD

#if defined(__CUDACC__)
#define WB_PASS cuda_pass
#define WB_HOST_PASS 0
#define WB_CUDA_PASS 1
#elif defined(WB_SIMULATED_GPU_PASS)
#define WB_PASS simulated_gpu_pass
#define WB_HOST_PASS 0
#define WB_CUDA_PASS 0
#else
#define WB_PASS host_pass
#define WB_HOST_PASS 1
#define WB_CUDA_PASS 0
#endif

// In front of a loop whose body is to be there once.
#if WB_CUDA_PASS
#define WB_ROLLED _Pragma("unroll 1")
#else
#define WB_ROLLED _Pragma("GCC unroll 1")
#endif

#endif  // WARPBEAM_OPS_LAUNCH_PASS_H_
