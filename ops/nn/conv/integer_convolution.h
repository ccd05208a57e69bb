// Convolutions of int32 and their gradients to the input on GPUs, of which cuDNN has none.
//
//   if (convolution.dtype == DType::kInt32) {
//     return EnqueueIntegerConvolution(stream, convolution);
//   }
//
// A thread adds up one element of the result; sums wrap around, as on the CPU. Thread safety: any
// thread. Errors: UNIMPLEMENTED for the gradient to the filter, which TensorFlow has on no GPU, and
// on a real GPU in a build without the code.
#ifndef WARPBEAM_OPS_NN_CONV_INTEGER_CONVOLUTION_H_
#define WARPBEAM_OPS_NN_CONV_INTEGER_CONVOLUTION_H_

#include "ops/nn/conv/gpu_convolutions.h"

namespace warpbeam {

Status EnqueueIntegerConvolution(GpuStream& stream, const GpuConvolution& convolution);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_INTEGER_CONVOLUTION_H_
