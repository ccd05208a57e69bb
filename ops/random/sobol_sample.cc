// SobolSample: points of Sobol's sequence, which fill the unit cube evenly, from point `skip` on;
// the origin, point 0 of the mathematicians, is left out.

#include <limits>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/random/sobol_directions.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

constexpr const char* kArguments[] = {"dim", "num_results", "skip"};

// Points begin to end, a row of `out` each. From one point to the next a single bit of the Gray
// code changes: the one that is the lowest set bit of the next point's number.
template <class T>
void WritePoints(const std::vector<SobolDirections>& directions, int64_t begin, int64_t end,
                 T* out) {
  const size_t dimensions = directions.size();
  std::vector<uint32_t> x(dimensions, 0);
  const uint32_t gray = static_cast<uint32_t>(begin ^ (begin >> 1));
  for (int bit = 0; bit < 32; ++bit) {
    if (((gray >> bit) & 1) == 0) continue;
    for (size_t d = 0; d < dimensions; ++d) x[d] ^= directions[d][bit];
  }
  for (int64_t point = begin; point < end; ++point) {
    for (size_t d = 0; d < dimensions; ++d) *out++ = static_cast<T>(x[d] * 0x1p-32);
    const int bit = __builtin_ctzll(static_cast<uint64_t>(point) + 1);
    for (size_t d = 0; d < dimensions; ++d) x[d] ^= directions[d][bit];
  }
}

class SobolSampleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SobolSampleKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    int64_t values[3];
    for (int i = 0; i < 3; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.rank() != 0) {
        return InvalidArgument("'", kArguments[i], "' must be a scalar, but has shape ",
                               t.shape().ToString());
      }
      values[i] = t.scalar<int32_t>();
      const int64_t least = i < 2 ? 1 : 0;
      if (values[i] < least) {
        return InvalidArgument("'", kArguments[i], "' must be at least ", least, ", but is ",
                               values[i]);
      }
    }
    const int64_t dim = values[0], num_results = values[1], skip = values[2];
    if (dim >= 21201) return InvalidArgument("'dim' must be less than 21201, but is ", dim);
    if (dim > kMaxSobolDimensions) {
      return Unimplemented("Sobol points of ", dim, " dimensions; at most ", kMaxSobolDimensions,
                           " are supported");
    }
    if (skip + num_results >= std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("'skip' plus 'num_results' must be less than 2^31 - 1, but is ", skip,
                             " plus ", num_results);
    }
    WB_ASSIGN_OR_RETURN(Tensor * samples, ctx.Allocate(0, Shape({num_results, dim})));
    const std::vector<SobolDirections> directions = FirstSobolDirections(static_cast<int>(dim));
    return DispatchTypes<float, double>(samples->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* out = samples->data<T>();
      const int64_t first = skip + 1;
      StoppableFor(ctx, num_results, 2 * dim, [&](int64_t begin, int64_t end) {
        WritePoints(directions, first + begin, first + end, out + begin * dim);
      });
      return OkStatus();
    });
  }
};

Status SobolSampleShape(ShapeContext& c) {
  int64_t extents[2] = {-1, -1};
  for (int i = 0; i < 3; ++i) {
    WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
    const std::optional<int64_t> value = c.ConstantScalar(i);
    if (!value || i == 2) continue;
    if (*value < 1) return InvalidArgument("'", kArguments[i], "' must be positive, not ", *value);
    extents[i] = *value;
  }
  c.set_output(0, PartialShape({extents[1], extents[0]}));
  return OkStatus();
}

WB_OP("SobolSample")
    .Input("dim: int32")
    .Input("num_results: int32")
    .Input("skip: int32")
    .Output("samples: dtype")
    .Attr("dtype: {float, double} = float")
    .Shape(SobolSampleShape);
WB_KERNEL("SobolSample", SobolSampleKernel).Cpu({{"dtype", {DType::kFloat, DType::kDouble}}});

}  // namespace
}  // namespace warpbeam
