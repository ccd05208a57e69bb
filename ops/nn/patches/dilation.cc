#include "ops/nn/patches/dilation.h"

namespace warpbeam {

StatusOr<DilationAttrs> ReadDilationAttrs(const AttrMap& map) {
  const DataFormat format;
  DilationAttrs attrs;
  WB_ASSIGN_OR_RETURN(attrs.strides, ReadDimensions(map, "strides", format));
  WB_ASSIGN_OR_RETURN(attrs.rates, ReadDimensions(map, "rates", format));
  WB_ASSIGN_OR_RETURN(attrs.padding, ReadPadding(map, format));
  if (attrs.strides.batch != 1 || attrs.strides.channel != 1 || attrs.rates.batch != 1 ||
      attrs.rates.channel != 1) {
    return Unimplemented("dilation with strides or rates over the batch or the channels");
  }
  return attrs;
}

StatusOr<Shape> CheckDilation(const KernelContext& ctx, const DilationAttrs& attrs,
                              DilationResult result, DilationGeometry* g) {
  const Shape &x = ctx.input(0).shape(), &filter = ctx.input(1).shape();
  if (x.rank() != 4 || filter.rank() != 3 || x.dim(3) != filter.dim(2)) {
    return InvalidArgument("the input must have 4 dimensions, the filter 3, and both as many ",
                           "channels, but their shapes are ", x.ToString(), " and ",
                           filter.ToString());
  }
  WindowSpan rows, columns;
  const int64_t *s = attrs.strides.spatial, *r = attrs.rates.spatial;
  WB_RETURN_IF_ERROR(PlaceWindow(x.dim(1), filter.dim(0), s[1], r[1], attrs.padding, 1, &rows));
  WB_RETURN_IF_ERROR(PlaceWindow(x.dim(2), filter.dim(1), s[2], r[2], attrs.padding, 2, &columns));
  *g = {x.dim(0),       x.dim(1), x.dim(2), x.dim(3), filter.dim(0), filter.dim(1), rows.output,
        columns.output, s[1],     s[2],     r[1],     r[2],          rows.before,   columns.before};
  WB_ASSIGN_OR_RETURN(const Shape output,
                      Shape::Make({g->batch, g->out_rows, g->out_columns, g->channels}));
  if (result == DilationResult::kOutput) return output;
  const Shape& gradient = ctx.input(2).shape();
  if (gradient != output) {
    return InvalidArgument("the gradient must have shape ", output.ToString(), ", but has ",
                           gradient.ToString());
  }
  return result == DilationResult::kInputGradient ? x : filter;
}

}  // namespace warpbeam
