#include "ops/ragged/row_splits.h"

#include <limits>

namespace warpbeam {

StatusOr<RowSplits> ReadRowSplits(const Tensor& t, absl::string_view name) {
  if (t.rank() != 1 || t.dim(0) < 1) {
    return InvalidArgument(t.num_elements() == 0 ? "ragged splits may not be empty: " : "", name,
                           " must be a vector of at least one number, but has shape ",
                           t.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const Dims numbers, ReadIndices(t, name));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < (i == 0 ? 0 : numbers[i - 1])) {
      return InvalidArgument(name, " must not be negative nor decrease, but number ", i, " is ",
                             numbers[i]);
    }
  }
  return RowSplits(numbers.begin(), numbers.end());
}

StatusOr<std::vector<RowSplits>> ReadNestedSplits(const KernelContext& ctx, int first, int levels,
                                                  int64_t num_values, bool exact) {
  std::vector<RowSplits> nested;
  for (int k = 0; k < levels; ++k) {
    WB_ASSIGN_OR_RETURN(RowSplits splits, ReadRowSplits(ctx.input(first + k),
                                                        absl::StrCat("row splits of level ", k)));
    nested.push_back(std::move(splits));
  }
  for (int k = 0; k < levels; ++k) {
    const int64_t values = k + 1 < levels ? NumRows(nested[k + 1]) : num_values;
    const int64_t begin = nested[k].front(), end = nested[k].back();
    if (end > values || (exact && (end != values || begin != 0))) {
      if (exact) {
        return InvalidArgument(begin != 0 ? "First value of ragged splits must be 0"
                                          : "Final value of ragged splits must match the number of "
                                            "values",
                               ": those of level ", k, " go from ", begin, " to ", end,
                               ", and there are ", values, " values to split");
      }
      return InvalidArgument("row splits of level ", k, " go from ", begin, " to ", end,
                             ", but there are ", values, " values to split");
    }
  }
  return nested;
}

Status WriteRowSplits(KernelContext& ctx, int output, const RowSplits& splits) {
  WB_ASSIGN_OR_RETURN(Tensor * t,
                      ctx.Allocate(output, Shape({static_cast<int64_t>(splits.size())})));
  return WriteIndices(splits, t);
}

Status WriteEvenSplits(KernelContext& ctx, int output, int64_t rows, int64_t width) {
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({rows + 1}));
  WB_ASSIGN_OR_RETURN(Tensor * splits, ctx.Allocate(output, shape));
  if (splits->dtype() == DType::kInt64) {
    for (int64_t i = 0; i <= rows; ++i) splits->data<int64_t>()[i] = i * width;
    return OkStatus();
  }
  if (rows > 0 && width > std::numeric_limits<int32_t>::max() / rows) {
    return InvalidArgument("row splits of ", rows, " rows of ", width, " values do not fit int32");
  }
  for (int64_t i = 0; i <= rows; ++i) {
    splits->data<int32_t>()[i] = static_cast<int32_t>(i * width);
  }
  return OkStatus();
}

}  // namespace warpbeam
