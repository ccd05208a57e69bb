// BroadcastArgs: the shape that two shapes broadcast to. BroadcastGradientArgs: along which
// dimensions the gradient of each operand must be summed.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct Broadcast {
  Dims shape;
  Dims reduce[2];
};

StatusOr<Broadcast> BroadcastOf(const Dims& a, const Dims& b) {
  Broadcast out;
  if (a == b) {  // nothing is spread, not even along dimensions of extent 1
    out.shape = a;
    return out;
  }
  const size_t rank = std::max(a.size(), b.size());
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    const int64_t y = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (x != y && x != 1 && y != 1) {
      return InvalidArgument("incompatible shapes: [", absl::StrJoin(a, ","), "] vs. [",
                             absl::StrJoin(b, ","), "]");
    }
    out.shape.push_back(x == 1 ? y : x);
    if (x == 1) out.reduce[0].push_back(static_cast<int64_t>(i));
    if (y == 1) out.reduce[1].push_back(static_cast<int64_t>(i));
  }
  return out;
}

StatusOr<Broadcast> ReadOperands(KernelContext& ctx) {
  for (int i = 0; i < 2; ++i) {
    if (ctx.input(i).rank() != 1) {
      return InvalidArgument("input ", i, " must be a vector, not of shape ",
                             ctx.input(i).shape().ToString());
    }
  }
  WB_ASSIGN_OR_RETURN(Dims a, ReadIndices(ctx.input(0), "s0"));
  WB_ASSIGN_OR_RETURN(Dims b, ReadIndices(ctx.input(1), "s1"));
  return BroadcastOf(a, b);
}

Status Write(KernelContext& ctx, int output, const Dims& values) {
  WB_ASSIGN_OR_RETURN(Tensor * out,
                      ctx.Allocate(output, Shape({static_cast<int64_t>(values.size())})));
  return WriteIndices(values, out);
}

Status RunBroadcastArgs(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Broadcast broadcast, ReadOperands(ctx));
  return Write(ctx, 0, broadcast.shape);
}

Status RunBroadcastGradientArgs(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Broadcast broadcast, ReadOperands(ctx));
  WB_RETURN_IF_ERROR(Write(ctx, 0, broadcast.reduce[0]));
  return Write(ctx, 1, broadcast.reduce[1]);
}

Status BroadcastArgsShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape a, c.WithRank(0, 1));
  WB_ASSIGN_OR_RETURN(PartialShape b, c.WithRank(1, 1));
  const bool known = a.dim(0) >= 0 && b.dim(0) >= 0;
  c.set_output(0, PartialShape({known ? std::max(a.dim(0), b.dim(0)) : -1}));
  return OkStatus();
}

Status BroadcastGradientArgsShape(ShapeContext& c) {
  c.set_output(0, PartialShape({-1}));
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

WB_OP("BroadcastArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Attr("T: {int32, int64} = int32")
    .Shape(BroadcastArgsShape);
WB_KERNEL("BroadcastArgs", FunctionKernel<RunBroadcastArgs>)
    .Cpu({{"T", kIndexTypes}})
    .Gpu({{"T", kIndexTypes}})
    .HostMemory({"s0", "s1", "r0"})
    .Cheap();

WB_OP("BroadcastGradientArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Output("r1: T")
    .Attr("T: {int32, int64} = int32")
    .Shape(BroadcastGradientArgsShape);
WB_KERNEL("BroadcastGradientArgs", FunctionKernel<RunBroadcastGradientArgs>)
    .Cpu({{"T", kIndexTypes}})
    .Gpu({{"T", kIndexTypes}})
    .HostMemory({"s0", "s1", "r0", "r1"})
    .Cheap();

WB_NO_GRADIENT("BroadcastGradientArgs");

}  // namespace
}  // namespace warpbeam
