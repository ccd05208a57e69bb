// DatasetKernel: the kernel of an op that makes a dataset from its inputs and attributes.
//
// A dataset op's file derives one and says only what differs:
//
//   class TakeKernel final : public DatasetKernel {
//     StatusOr<DatasetRef> Make(KernelContext& ctx) override {
//       WB_ASSIGN_OR_RETURN(DatasetRef input, DatasetFromTensor(ctx.input(0)));
//       WB_ASSIGN_OR_RETURN(int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
//       return std::make_shared<TakeDataset>(spec(), std::move(input), count);
//     }
//   };
//   WB_KERNEL("TakeDataset", KernelOf<TakeKernel>).Cpu();
//
// Ownership: as Kernel. Thread safety: Make may run on several threads at once. Errors:
// INVALID_ARGUMENT for inputs that do not fit, naming the argument.
#ifndef WARPBEAM_OPS_DATA_DATASET_KERNEL_H_
#define WARPBEAM_OPS_DATA_DATASET_KERNEL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/op/shape_context.h"
#include "ops/data/dataset.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

class DatasetKernel : public Kernel {
 public:
  Status Compute(KernelContext& ctx) final;
  // Reads `output_types` (or `Toutput_types`) and `output_shapes` where the op has them, then
  // `ReadAttrs`.
  Status Init(KernelInit& init);

 protected:
  virtual Status ReadAttrs(KernelInit& init) { return OkStatus(); }
  virtual StatusOr<DatasetRef> Make(KernelContext& ctx) = 0;

  // What the op's attributes declare of the elements.
  const ElementSpec& spec() const { return spec_; }
  const std::string& node_name() const { return node_name_; }

 private:
  ElementSpec spec_;
  std::string node_name_;
  std::shared_ptr<const DatasetOp> op_;
};

// The two attributes by which iterator ops and most dataset ops declare their elements.
StatusOr<ElementSpec> ReadElementSpec(const KernelInit& init);

// The factory of a kernel that has Init(KernelInit&).
template <typename T>
struct KernelOf {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<T>();
    WB_RETURN_IF_ERROR(kernel->Init(init));
    return std::unique_ptr<Kernel>(std::move(kernel));
  }
};

// The scalar input `i`, whose name is for the message.
template <typename T>
StatusOr<T> ScalarInput(const KernelContext& ctx, int i, const char* name) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 0) {
    return InvalidArgument(name, " must be a scalar, got shape ", t.shape().ToString());
  }
  return t.scalar<T>();
}

// The elements of a scalar or vector input.
template <typename T>
StatusOr<std::vector<T>> VectorInput(const KernelContext& ctx, int i, const char* name) {
  const Tensor& t = ctx.input(i);
  if (t.rank() > 1) {
    return InvalidArgument(name, " must be a scalar or a vector, got shape ", t.shape().ToString());
  }
  return std::vector<T>(t.flat<T>().begin(), t.flat<T>().end());
}

// Inputs [begin, begin + count).
std::vector<Tensor> InputRange(const KernelContext& ctx, int begin, int count);

// Shape functions: a dataset is a scalar, and so are its inputs; the outputs of an op that gives
// elements follow `output_shapes`.
Status DatasetShape(ShapeContext& c);
Status ElementShapes(ShapeContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_DATASET_KERNEL_H_
