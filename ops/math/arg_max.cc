// ArgMax, ArgMin: where along one dimension the greatest or least element stands; the first of
// equals. NaN is never chosen, unless there is nothing else.

#include <limits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/index_writer.h"
#include "ops/math/axes.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// Of a row of `n` vectors of `inner` elements: the indices of the best along n, from `first` on.
template <class T, bool kMax>
void BestOf(const T* x, int64_t n, int64_t inner, int64_t first, const IndexWriter& out) {
  using C = ComputeType<T>;
  const auto better = [](C a, C b) { return kMax ? a > b : a < b; };
  const auto worst = [] {
    using L = std::numeric_limits<C>;
    if constexpr (L::has_infinity) return kMax ? -L::infinity() : L::infinity();
    return kMax ? L::lowest() : L::max();
  };
  for (int64_t j = 0; j < inner; ++j) {
    C best = worst();
    int64_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
      const C value = static_cast<C>(x[i * inner + j]);
      if (better(value, best)) {
        best = value;
        at = i;
      }
    }
    out.Set(first + j, at);
  }
}

template <bool kMax>
class ArgKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ArgKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const int axis, ReadAxis(ctx.input(1), x.rank()));
    WB_RETURN_IF_ERROR(CheckNotEmpty(x.shape(), axis));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, x.shape().Remove(axis)));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(axis), inner = ElementsAfter(x.shape(), axis);
    using Types = ConcatTypes<RealTypeList, TypeList<bool>>;
    return DispatchTypes(Types{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const T* from = x.data<T>();
      const IndexWriter to(out);
      StoppableFor(ctx, out->num_elements() / inner, n * inner + 1,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       BestOf<T, kMax>(from + i * n * inner, n, inner, i * inner, to);
                     }
                   });
      return OkStatus();
    });
  }
};

Status ArgShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const PartialShape& x = c.input(0);
  if (!x.has_rank()) return OkStatus();
  const std::optional<Tensor> axis = c.ConstantInput(1);
  if (!axis.has_value()) {
    if (x.rank() > 0) c.set_output(0, PartialShape::UnknownOfRank(x.rank() - 1));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(const int a, ReadAxis(*axis, x.rank()));
  std::vector<int64_t> dims = x.dims();
  dims.erase(dims.begin() + a);
  c.set_output(0, PartialShape(dims));
  return OkStatus();
}

// A place is no smooth function of anything: nothing flows back, and asking is no error.
Status ArgGradient(GradContext&) { return OkStatus(); }

constexpr TypeSet kArgCpu = kRealTypes | TypeSet{DType::kBool};
constexpr TypeSet kArgGpu = kFloatingTypes | TypeSet{DType::kBool};

}  // namespace

#define WB_ARG_VALUES                                                                             \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, " \
  "qint8, quint8, qint32, qint16, quint16, bool}"

WB_OP("ArgMax")
    .Input("input: T")
    .Input("dimension: Tidx")
    .Output("output: output_type")
    .Attr(WB_ARG_VALUES)
    .Attr("Tidx: {int16, int32, int64} = int32")
    .Attr("output_type: {int16, uint16, int32, int64} = int64")
    .Shape(ArgShape);
WB_OP("ArgMin")
    .Input("input: T")
    .Input("dimension: Tidx")
    .Output("output: output_type")
    .Attr(WB_ARG_VALUES)
    .Attr("Tidx: {int32, int64} = int32")
    .Attr("output_type: {int32, int64} = int64")
    .Shape(ArgShape);
WB_KERNEL("ArgMax", ArgKernel<true>)
    .Cpu({{"T", kArgCpu}})
    .Gpu({{"T", kArgGpu}, {"Tidx", {DType::kInt32}}, {"output_type", kIndexTypes}})
    .HostMemory({"dimension"});
WB_KERNEL("ArgMin", ArgKernel<false>)
    .Cpu({{"T", kArgCpu}})
    .Gpu({{"T", kArgGpu}, {"Tidx", {DType::kInt32}}, {"output_type", kIndexTypes}})
    .HostMemory({"dimension"});
WB_GRADIENT("ArgMax", ArgGradient);
WB_GRADIENT("ArgMin", ArgGradient);

}  // namespace warpbeam
