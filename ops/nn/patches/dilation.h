// What Dilation2D and its two gradients ask of their attributes and inputs, on every device.
//
//   WB_ASSIGN_OR_RETURN(const DilationAttrs attrs, ReadDilationAttrs(init.attrs));
//   DilationGeometry g;
//   WB_ASSIGN_OR_RETURN(const Shape shape, CheckDilation(ctx, attrs, DilationResult::kOutput, &g));
//
// Inputs are the data, the filter and, of gradients, what flows in. Thread safety: pure. Errors:
// INVALID_ARGUMENT for shapes that do not go together, UNIMPLEMENTED for strides and rates over the
// batch or the channels.
#ifndef WARPBEAM_OPS_NN_PATCHES_DILATION_H_
#define WARPBEAM_OPS_NN_PATCHES_DILATION_H_

#include "ops/nn/window/window.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct DilationAttrs {
  DimensionList strides, rates;
  WindowPadding padding;
};

struct DilationGeometry {
  int64_t batch, rows, columns, channels, filter_rows, filter_columns;
  int64_t out_rows, out_columns, row_stride, column_stride, row_rate, column_rate;
  int64_t before_rows, before_columns;
};

enum class DilationResult { kOutput, kInputGradient, kFilterGradient };

StatusOr<DilationAttrs> ReadDilationAttrs(const AttrMap& attrs);
// The shape of the result.
StatusOr<Shape> CheckDilation(const KernelContext& ctx, const DilationAttrs& attrs,
                              DilationResult result, DilationGeometry* geometry);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_PATCHES_DILATION_H_
