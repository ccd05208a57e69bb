// GpuConvolutions: convolutions of images and volumes and their gradients on GPUs, by a library.
//
// There are two sides (ops/launch/gpu_sides.h): that of real GPUs (cuDNN,
// ops/nn/conv/convolutions_gpu.cc), and that of simulated ones, which is the CPU's own convolution,
// enqueued (ops/nn/conv/gpu/convolutions_on_host.cc).
//
//   GpuConvolution c;
//   c.pass = ConvPass::kForward;  c.dtype = DType::kFloat;  c.geometry = geometry;
//   c.a = x.raw_data();  c.b = filter.raw_data();  c.result = y->raw_data();
//   WB_ASSIGN_OR_RETURN(GpuConvolutions * convolutions, GpuConvolutionsOf(stream));
//   WB_ASSIGN_OR_RETURN(const int64_t bytes, convolutions->WorkspaceBytes(stream, c));
//   WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
//   return convolutions->Enqueue(stream, c, workspace.raw_data(), bytes);
//
// float is computed in float, unless TF32 is allowed; 16-bit floats are added up in float and
// rounded once. Equal convolutions on equal GPUs give equal bits. Each result is the sum of its own
// products: an infinity reaches those results only whose windows it is in. A real GPU adds a bias
// before the result is rounded; whether a Relu behind it keeps a NaN only the library knows.
//
// Ownership: sides are static; memory is the caller's, in the order of the stream. Thread safety:
// registration before main only, everything else from any thread. Errors: UNIMPLEMENTED for what
// the build or the library lacks, from WorkspaceBytes already; INTERNAL and RESOURCE_EXHAUSTED from
// the library. Where the side of simulated GPUs fails after Enqueue (there is no memory on the
// host), the result is no number.
#ifndef WARPBEAM_OPS_NN_CONV_GPU_CONVOLUTIONS_H_
#define WARPBEAM_OPS_NN_CONV_GPU_CONVOLUTIONS_H_

#include <cstdint>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "ops/launch/gpu_sides.h"
#include "ops/nn/conv/conv_geometry.h"
#include "ops/nn/conv/dnnl_convolution.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

// The operands, at addresses on the GPU, are by pass those of DnnlConvolution, all of them dense.
// Filters are [depth, height, width, channels of a group, output channels] whatever the order of
// the data.
struct GpuConvolution {
  ConvPass pass = ConvPass::kForward;
  DType dtype = DType::kInvalid;
  ConvGeometry geometry;        // the result is not empty
  bool channels_first = false;  // data is [batch, channels, …], else channels are last
  // Of float: it may be multiplied so (runtime/kernel/product/tensor_float_32.h).
  bool tensor_float_32 = false;
  const void* a = nullptr;
  const void* b = nullptr;
  void* result = nullptr;
  const void* bias = nullptr;  // of the forward pass: an element for each output channel, or null
  bool relu = false;           // with a bias: what is negative then becomes 0
};

class GpuConvolutions {
 public:
  virtual ~GpuConvolutions() = default;
  virtual bool Has(DType dtype) const = 0;
  // How much memory Enqueue works in.
  virtual StatusOr<int64_t> WorkspaceBytes(GpuStream& stream,
                                           const GpuConvolution& convolution) = 0;
  // `workspace` holds `bytes`, at least as many as were asked for.
  virtual Status Enqueue(GpuStream& stream, const GpuConvolution& convolution, void* workspace,
                         int64_t bytes) = 0;
};

struct GpuConvolutionsRegistration {
  GpuConvolutionsRegistration(GpuSide side, GpuConvolutions* convolutions);
};

StatusOr<GpuConvolutions*> GpuConvolutionsOf(const GpuStream& stream);
// Whether this build convolves such data on real GPUs.
bool HasGpuConvolutions(DType dtype);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_GPU_CONVOLUTIONS_H_
