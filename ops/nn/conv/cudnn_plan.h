// CudnnPlan: one convolution, or one of its gradients, as cuDNN computes it on GPUs of one kind.
//
//   WB_ASSIGN_OR_RETURN(const CudnnGpu gpu, CudnnGpu::Of(library));
//   WB_ASSIGN_OR_RETURN(const auto plan, CudnnPlan::Make(gpu, convolution, /*alignment=*/16));
//   … plan->workspace_bytes() …
//   return plan->Execute(library, {input, filter, output}, workspace);
//
// A plan is built from a description of the GPU, which need not be there: `CudnnGpu::Described`.
//
// Of the library's engines the first of its own choice is taken that keeps what gpu_convolutions.h
// promises: no sums in an order that varies (non-deterministic engines), no float in 10 bits
// (tensor cores), no sums in 16 bits, no transforms that mix a result with its neighbours'
// products (Winograd's and Fourier's). A bias and an activation are operations of the same graph,
// behind the convolution, whose own result then is nowhere: it is kept in the type of the sums.
// Data has its channels last or first; the filter stands in
// the order that the library documents for it (filter_order.h). It takes descriptions of filters
// in other orders too, ours among them, but chooses the same engines with the same memory for all
// orders in which channels come before pixels, swapped rows and columns included: it does not look
// further. Paddings that differ on the two sides are looked at, and some engines fall out.
//
// Thread safety: immutable; a library's handle is for one thread at a time. Errors: UNIMPLEMENTED
// where no engine fits; RESOURCE_EXHAUSTED, INTERNAL.
#ifndef WARPBEAM_OPS_NN_CONV_CUDNN_PLAN_H_
#define WARPBEAM_OPS_NN_CONV_CUDNN_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"
#include "ops/nn/conv/gpu_convolutions.h"

struct cudnnContext;  // what a cudnnHandle_t points to

namespace warpbeam {

struct DestroyCudnnDescriptor {
  void operator()(void* descriptor) const;
};
using CudnnDescriptor = std::unique_ptr<void, DestroyCudnnDescriptor>;

// A kind of GPU, as the library knows it.
class CudnnGpu {
 public:
  // That of the library's handle.
  static StatusOr<CudnnGpu> Of(cudnnContext* library);
  // In JSON, as the library itself writes a GPU's properties.
  static StatusOr<CudnnGpu> Described(absl::string_view json);

  const CudnnDescriptor& descriptor() const { return descriptor_; }
  // As Described reads it.
  StatusOr<std::string> Describe() const;

 private:
  explicit CudnnGpu(CudnnDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  CudnnDescriptor descriptor_;
};

class CudnnPlan {
 public:
  // Whether there is such arithmetic at all.
  static bool Has(DType dtype);
  // Addresses in `convolution` are not looked at, but for whether there is a bias; those that will
  // be given are multiples of `alignment` bytes.
  static StatusOr<std::shared_ptr<const CudnnPlan>> Make(const CudnnGpu& gpu,
                                                         const GpuConvolution& convolution,
                                                         int64_t alignment);

  // A plan in the library's own words, of which only the same version makes one again. That needs
  // no search, and no compilation of what the words hold compiled.
  StatusOr<std::string> Written() const;
  static StatusOr<std::shared_ptr<const CudnnPlan>> FromWritten(const CudnnGpu& gpu,
                                                                absl::string_view words);

  int64_t workspace_bytes() const { return workspace_bytes_; }
  // What the library says of the engine: bit i stands for cudnnBackendNumericalNote_t i.
  uint32_t numerical_notes() const { return numerical_notes_; }

  // The convolution's input and output, or their gradients, and the filter or its. One of them is
  // written. The bias is that of a plan with one.
  struct Operands {
    const void* input;
    const void* filter;
    const void* output;
    const void* bias = nullptr;
  };
  // Enqueues on the handle's stream.
  Status Execute(cudnnContext* library, const Operands& operands, void* workspace) const;

 private:
  CudnnPlan() = default;

  std::vector<CudnnDescriptor> parts_;  // what the plan was built from
  CudnnDescriptor plan_;
  int64_t workspace_bytes_ = 0;
  uint32_t numerical_notes_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_CUDNN_PLAN_H_
