// SetSize: how many different values each innermost row of a sparse tensor has.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/set/value_sets.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using SetTypes = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>;

Status SizeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape dense, c.ShapeFromInput(2));
  const int rank = ShapeContext::RankOfLength(indices.dim(1));
  if (dense.has_rank() && dense.rank() > 1) {
    c.set_output(0,
                 PartialShape(std::vector<int64_t>(dense.dims().begin(), dense.dims().end() - 1)));
  } else if (rank > 1) {
    c.set_output(0, PartialShape::UnknownOfRank(rank - 1));
  }
  return OkStatus();
}

class SetSizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<SetSizeKernel>();
    WB_ASSIGN_OR_RETURN(kernel->validate_, init.attr<bool>("validate_indices"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0, "set"));
    WB_RETURN_IF_ERROR(DenseShape(x).status());
    WB_ASSIGN_OR_RETURN(const Shape groups, GroupShape(x.dims));
    return DispatchTypes(SetTypes{}, x.values->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(const std::vector<ValueSet<T>> sets, SetsOfSparse<T>(x, validate_));
      WB_ASSIGN_OR_RETURN(Tensor * sizes, ctx.Allocate(0, groups));
      std::fill_n(sizes->data<int32_t>(), sizes->num_elements(), 0);
      for (const ValueSet<T>& s : sets) {
        sizes->data<int32_t>()[s.group] = static_cast<int32_t>(s.values.size());
      }
      return OkStatus();
    });
  }

 private:
  bool validate_ = true;
};

WB_OP("SetSize")
    .Input("set_indices: int64")
    .Input("set_values: T")
    .Input("set_shape: int64")
    .Output("size: int32")
    .Attr("validate_indices: bool = true")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, string}")
    .Shape(SizeShape);
WB_KERNEL("SetSize", SetSizeKernel).Cpu({{"T", TypeSetOf(SetTypes{})}});
WB_NO_GRADIENT("SetSize");

}  // namespace
}  // namespace warpbeam
