// StringJoin: strings of several tensors put together element by element.
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "graph/types/object_memory.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {
namespace {

class StringJoinKernel final : public Kernel {
 public:
  explicit StringJoinKernel(std::string separator) : separator_(std::move(separator)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string separator, init.attr<std::string>("separator"));
    return std::make_unique<StringJoinKernel>(std::move(separator));
  }

  // Scalars join with every element.
  Status Compute(KernelContext& ctx) override {
    Shape shape;
    bool scalars = true;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Shape& own = ctx.input(i).shape();
      if (own.rank() == 0) continue;
      if (!scalars && own != shape) {
        return InvalidArgument("inputs must be scalars or of one shape, not of ", shape.ToString(),
                               " and ", own.ToString());
      }
      shape = own;
      scalars = false;
    }
    double contents = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const double each = static_cast<double>(ObjectMemory::ContentsOf(ctx.input(i)));
      contents +=
          ctx.input(i).rank() == 0 ? each * static_cast<double>(shape.num_elements()) : each;
    }
    WB_RETURN_IF_ERROR(StringMemory::CheckRoom(shape, contents));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    std::string* out = y->data<std::string>();
    for (int64_t e = 0; e < shape.num_elements() && !RunningStep::IsOver(); ++e) {
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        const Tensor& x = ctx.input(i);
        if (i > 0) out[e] += separator_;
        out[e] += x.data<std::string>()[x.rank() == 0 ? 0 : e];
      }
    }
    return OkStatus();
  }

 private:
  const std::string separator_;
};

Status StringJoinShape(ShapeContext& c) {
  bool scalars = true;
  PartialShape out;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialShape& x = c.input(i);
    if (!x.has_rank()) {
      c.set_output(0, PartialShape());  // a scalar or not: nothing is known
      return OkStatus();
    }
    if (x.rank() == 0) continue;
    scalars = false;
    WB_ASSIGN_OR_RETURN(out, PartialShape::Merge(out, x));
  }
  c.set_output(0, scalars ? PartialShape(Shape()) : std::move(out));
  return OkStatus();
}

WB_OP("StringJoin")
    .Input("inputs: N * string")
    .Output("output: string")
    .Attr("N: int >= 0")
    .Attr("separator: string = ''")
    .Shape(StringJoinShape);
WB_KERNEL("StringJoin", StringJoinKernel).Cpu();
WB_NO_GRADIENT("StringJoin");

}  // namespace
}  // namespace warpbeam
