// TensorFloat32: whether products and convolutions of float may be computed on a GPU's tensor
// cores, which multiply numbers of 10 bits after the point (TF32) and add them up in float.
//
// It is the process's, on at first, and TensorFlow's own switch
// (tf.config.experimental.enable_tensor_float_32_execution) in what it does. CPUs and simulated
// GPUs always multiply in float.
//
//   SetTensorFloat32(false);
//
// Thread safety: any thread; it counts for kernels that are enqueued later, but not for those that
// were recorded. Errors: none.
#ifndef WARPBEAM_RUNTIME_KERNEL_PRODUCT_TENSOR_FLOAT_32_H_
#define WARPBEAM_RUNTIME_KERNEL_PRODUCT_TENSOR_FLOAT_32_H_

namespace warpbeam {

bool TensorFloat32();
void SetTensorFloat32(bool on);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_PRODUCT_TENSOR_FLOAT_32_H_
