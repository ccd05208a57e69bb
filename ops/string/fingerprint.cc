// Fingerprint: FarmHash's fingerprint of each row of a tensor, as eight bytes.
#include <farmhash.h>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CheckMethod(absl::string_view method) {
  if (method == "farmhash64") return OkStatus();
  return InvalidArgument("Unsupported method: ", method, "; there is farmhash64");
}

uint64_t OfStrings(const std::string* strings, int64_t count) {
  if (count == 1) return util::Fingerprint64(*strings);
  // The strings' own fingerprints make up the row, so that their borders count.
  std::vector<uint64_t> each(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) each[i] = util::Fingerprint64(strings[i]);
  return util::Fingerprint64(reinterpret_cast<const char*>(each.data()),
                             each.size() * sizeof(uint64_t));
}

Status RunFingerprint(KernelContext& ctx) {
  const Tensor& data = ctx.input(0);
  if (data.rank() < 1) {
    return InvalidArgument("`data` should have at least one dimension: ", data.shape().ToString());
  }
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("`method` should be a scalar string: ", ctx.input(1).shape().ToString());
  }
  WB_RETURN_IF_ERROR(CheckMethod(ctx.input(1).scalar<std::string>()));
  const bool is_string = data.dtype() == DType::kString;
  if (!is_string && !IsPlainData(data.dtype())) {
    return InvalidArgument("Unsupported data type: ", DTypeName(data.dtype()));
  }
  const int64_t rows = data.dim(0);
  const int64_t row = rows == 0 ? 0 : data.num_elements() / rows;
  const size_t bytes = static_cast<size_t>(row) * DTypeSize(data.dtype());
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape({rows, 8})));
  for (int64_t i = 0; i < rows; ++i) {
    const uint64_t print =
        is_string ? OfStrings(data.data<std::string>() + i * row, row)
                  : util::Fingerprint64(data.data<char>() + static_cast<size_t>(i) * bytes, bytes);
    memcpy(out->data<uint8_t>() + i * 8, &print, 8);
  }
  return OkStatus();
}

Status FingerprintShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape data, c.WithRankAtLeast(0, 1));
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const std::optional<Tensor> method = c.ConstantInput(1);
  if (method.has_value() && method->num_elements() == 1) {
    WB_RETURN_IF_ERROR(CheckMethod(*method->data<std::string>()));
  }
  c.set_output(0, PartialShape({data.has_rank() ? data.dim(0) : -1, 8}));
  return OkStatus();
}

WB_OP("Fingerprint")
    .Input("data: T")
    .Input("method: string")
    .Output("fingerprint: uint8")
    .Attr("T: type")
    .Shape(FingerprintShape);
WB_KERNEL("Fingerprint", FunctionKernel<RunFingerprint>).Cpu();

}  // namespace
}  // namespace warpbeam
