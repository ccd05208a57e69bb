// Bitcast: the same bytes under another dtype; sizes that differ take or give a last dimension.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/hand_on_kernel.h"
#include "ops/array/index/index_argument.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The output's extents for an input of known rank.
StatusOr<std::vector<int64_t>> BitcastExtents(std::vector<int64_t> dims, DType from, DType to) {
  const int64_t in = static_cast<int64_t>(DTypeSize(from));
  const int64_t out = static_cast<int64_t>(DTypeSize(to));
  if (in > out) {
    if (out == 0 || in % out != 0) {
      return InvalidArgument(DTypeName(from), " cannot be read as ", DTypeName(to));
    }
    dims.push_back(in / out);
  } else if (out > in) {
    if (in == 0 || out % in != 0 || dims.empty() || (dims.back() >= 0 && dims.back() != out / in)) {
      return InvalidArgument("to be read as ", DTypeName(to), ", ", DTypeName(from),
                             " needs a last dimension of ", in == 0 ? 0 : out / in, ", not ",
                             dims.empty() ? "none" : absl::StrCat(dims.back()));
    }
    dims.pop_back();
  }
  return dims;
}

Status BitcastShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(DType from, c.attr<DType>("T"));
  WB_ASSIGN_OR_RETURN(DType to, c.attr<DType>("type"));
  if (!c.input(0).has_rank()) return OkStatus();
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> dims, BitcastExtents(c.input(0).dims(), from, to));
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status RunBitcast(KernelContext& ctx, const Nothing&) {
  const Tensor& x = ctx.input(0);
  const auto in = x.shape().dims();
  WB_ASSIGN_OR_RETURN(
      std::vector<int64_t> dims,
      BitcastExtents(std::vector<int64_t>(in.begin(), in.end()), x.dtype(), ctx.output_type(0)));
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  ctx.set_output(0, Tensor(ctx.output_type(0), shape, x.buffer(), const_cast<void*>(x.raw_data())));
  return OkStatus();
}

WB_OP("Bitcast")
    .Input("input: T")
    .Output("output: type")
    .Attr(
        "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, "
        "int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
    .Attr(
        "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, "
        "int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}")
    .Shape(BitcastShape);
WB_KERNEL("Bitcast", HandOnKernel<FunctionOp<RunBitcast>>).Cpu().Gpu().Cheap();
WB_GPU_KERNEL("Bitcast", HandOnKernelOnGpu<FunctionOp<RunBitcast>>);

}  // namespace
}  // namespace warpbeam
