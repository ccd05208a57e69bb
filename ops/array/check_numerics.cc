// CheckNumerics, CheckNumericsV2: pass a tensor on, or fail when it holds NaN or infinity.
#include <atomic>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/abnormal_values.h"
#include "ops/array/kernel_types.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <typename T>
int FindAbnormal(const T* x, int64_t n) {
  int found = 0;
  for (int64_t i = 0; i < n; ++i) {
    found |= host_pass::AbnormalKind(static_cast<ComputeType<T>>(x[i]));
  }
  return found;
}

class CheckNumericsKernel final : public Kernel {
 public:
  CheckNumericsKernel(std::string message, bool signs)
      : message_(std::move(message)), signs_(signs) {}

  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string message, init.attr<std::string>("message"));
    return std::make_unique<CheckNumericsKernel>(std::move(message),
                                                 init.schema.name == "CheckNumericsV2");
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    std::atomic<int> found{0};
    WB_RETURN_IF_ERROR(DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      ctx.ParallelFor(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
        const int here = FindAbnormal(x.data<T>() + begin, end - begin);
        if (here != 0) found.fetch_or(here, std::memory_order_relaxed);
      });
      return OkStatus();
    }));
    if (found == 0) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    return AbnormalValues(message_, found, signs_);
  }

 private:
  const std::string message_;
  const bool signs_;
};

WB_OP("CheckNumerics")
    .PassesOn(PassOn::kChecked)
    .Input("tensor: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("message: string")
    .Stateful()
    .Shape(shapes::Unchanged);
WB_KERNEL("CheckNumerics", CheckNumericsKernel)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}});

WB_OP("CheckNumericsV2")
    .PassesOn(PassOn::kChecked)
    .Input("tensor: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("message: string")
    .Stateful()
    .Shape(shapes::Unchanged);
WB_KERNEL("CheckNumericsV2", CheckNumericsKernel)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}});

Status CheckNumericsGradient(GradContext& c) {
  const std::string message = c.attr_or<std::string>("message", "");
  c.set_dx(0, c.Emit("CheckNumerics", {c.dy(0)},
                     {{"message", absl::StrCat("Not a number (NaN) or infinity (Inf) values in the "
                                               "gradient. ",
                                               message)}}));
  return OkStatus();
}
WB_GRADIENT("CheckNumerics", CheckNumericsGradient);
WB_GRADIENT("CheckNumericsV2", CheckNumericsGradient);

}  // namespace
}  // namespace warpbeam
