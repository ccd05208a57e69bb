// Squeeze: drops dimensions of extent 1, all of them or those named.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Which of `rank` dimensions the attribute names; none when it is empty.
StatusOr<std::vector<bool>> NamedDims(const std::vector<int64_t>& axes, int rank) {
  std::vector<bool> named(static_cast<size_t>(rank));
  for (int64_t axis : axes) {
    WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, rank));
    named[static_cast<size_t>(a)] = true;
  }
  return named;
}

Status CannotDrop(int i, int64_t extent) {
  return InvalidArgument("cannot squeeze dim[", i, "]: expected an extent of 1, got ", extent);
}

Status SqueezeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(auto axes, c.attr<std::vector<int64_t>>("squeeze_dims"));
  const PartialShape& x = c.input(0);
  if (!x.has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(std::vector<bool> named, NamedDims(axes, x.rank()));
  std::vector<int64_t> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (!axes.empty()) {
      if (!named[static_cast<size_t>(i)]) {
        dims.push_back(x.dim(i));
      } else if (x.dim(i) >= 0 && x.dim(i) != 1) {
        return CannotDrop(i, x.dim(i));
      }
    } else if (x.dim(i) < 0) {
      return OkStatus();  // it may or may not go: the rank is not known
    } else if (x.dim(i) != 1) {
      dims.push_back(x.dim(i));
    }
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

class SqueezeKernel final : public Kernel {
 public:
  explicit SqueezeKernel(std::vector<int64_t> axes) : axes_(std::move(axes)) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(auto axes, init.attr<std::vector<int64_t>>("squeeze_dims"));
    return std::make_unique<SqueezeKernel>(std::move(axes));
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(std::vector<bool> named, NamedDims(axes_, x.rank()));
    Dims dims;
    for (int i = 0; i < x.rank(); ++i) {
      const bool drop = axes_.empty() ? x.dim(i) == 1 : named[static_cast<size_t>(i)];
      if (!drop) {
        dims.push_back(x.dim(i));
      } else if (x.dim(i) != 1) {
        return CannotDrop(i, x.dim(i));
      }
    }
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor y, x.Reshaped(shape));
    ctx.set_output(0, std::move(y));
    return OkStatus();
  }

 private:
  const std::vector<int64_t> axes_;
};

WB_OP("Squeeze")
    .PassesOn(PassOn::kReshaped)
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("squeeze_dims: list(int) >= 0 = []")
    .Shape(SqueezeShape);
WB_KERNEL("Squeeze", SqueezeKernel)
    .Cpu()
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"input", "output"})
    .Cheap();
WB_KERNEL("Squeeze", SqueezeKernel).Gpu({{"T", kPlainTypesButInt32}}).Cheap();

Status BackToShape(GradContext& c) {
  c.set_dx(0, c.ReshapeLike(c.dy(0), c.x(0)));
  return OkStatus();
}
WB_GRADIENT("Squeeze", BackToShape);

}  // namespace
}  // namespace warpbeam
