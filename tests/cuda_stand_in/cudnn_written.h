// Plans of the stand-in in words, and read again: lists of numbers, as the library's are JSON.
//
//   const std::string words = WrittenPlan(*plan.convolution(), /*engine=*/2);
//   CudnnConvolution again;  int engine;
//   ReadPlan(words, &again, &engine);                        // false where a word is missing
//
// Thread safety: pure. Errors: false.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_CUDNN_WRITTEN_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_CUDNN_WRITTEN_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tests/cuda_stand_in/convolve.h"

namespace warpbeam::cuda_stand_in {

std::string WrittenPlan(const CudnnConvolution& convolution, int engine);
bool ReadPlan(absl::string_view words, CudnnConvolution* convolution, int* engine);

}  // namespace warpbeam::cuda_stand_in

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_CUDNN_WRITTEN_H_
