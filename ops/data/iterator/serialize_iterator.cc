// SerializeIterator and DeserializeIterator: how far an iterator has come as a variant, and an
// iterator that goes on from there. See ops/data/iterator/iterator_state.h.

#include "graph/io/variant_codec.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"
#include "ops/data/iterator/iterator_state.h"

namespace warpbeam {
namespace {

constexpr int64_t kWarn = 0, kFail = 2;  // values of external_state_policy; between them: ignore

class SerializeIteratorKernel final : public Kernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(policy_, init.attr<int64_t>("external_state_policy"));
    if (policy_ >= kWarn && policy_ <= kFail) return OkStatus();
    return InvalidArgument("external_state_policy must be 0 (warn), 1 (ignore) or 2 (fail), not ",
                           policy_);
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<IteratorResource> iterator, FindIterator(ctx, 0));
    const bool is_checked = policy_ == kFail && ctx.functions() != nullptr;
    const FunctionLibrary library = is_checked ? ctx.functions()->library() : FunctionLibrary();
    WB_ASSIGN_OR_RETURN(IteratorState state, iterator->Save(is_checked ? &library : nullptr));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({1})));
    *out->data<Variant>() = Variant::Of<IteratorState>(std::move(state));
    return OkStatus();
  }

 private:
  int64_t policy_ = kWarn;
};

Status Deserialize(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<IteratorResource> iterator, FindIterator(ctx, 0));
  const Tensor& serialized = ctx.input(1);
  if (serialized.dtype() != DType::kVariant || serialized.num_elements() != 1) {
    return InvalidArgument("the state of an iterator is one variant, not ",
                           DTypeName(serialized.dtype()), serialized.shape().ToString());
  }
  const IteratorState* state = serialized.data<Variant>()->get<IteratorState>();
  if (state == nullptr) {
    return InvalidArgument("the state of an iterator was expected, not a variant that holds ",
                           VariantTypeName(*serialized.data<Variant>()));
  }
  return iterator->Restore(*state, ctx.functions(), ctx.resources());
}

class DeserializeIteratorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DeserializeIteratorKernel>();
  }
  Status Compute(KernelContext& ctx) override { return Deserialize(ctx); }
};

Status SerializedShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1}));
  return OkStatus();
}

WB_OP("SerializeIterator")
    .Input("resource_handle: resource")
    .Output("serialized: variant")
    .Attr("external_state_policy: int = 0")
    .Stateful()
    .Shape(SerializedShape);
WB_OP("DeserializeIterator")
    .Input("resource_handle: resource")
    .Input("serialized: variant")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("SerializeIterator", KernelOf<SerializeIteratorKernel>).Cpu();
WB_KERNEL("DeserializeIterator", DeserializeIteratorKernel).Cpu();

}  // namespace
}  // namespace warpbeam
