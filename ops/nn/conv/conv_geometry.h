// ConvGeometry: one convolution in numbers. Two- and three-dimensional, grouped and depthwise
// convolutions and both their gradients are described by the same record.
//
// Data is laid out [batch, depth, height, width, channels], filters [depth, height, width, channels
// of a group, output channels]; images without depth have 1 there. A depthwise convolution is one
// with as many groups as input channels: its filter [height, width, channels, multiplier] has the
// very layout of [height, width, 1, channels * multiplier].
//
//   WB_ASSIGN_OR_RETURN(const ConvAttrs attrs, ReadConvAttrs(init.attrs, /*spatial=*/2));
//   ConvGeometry g;
//   WB_RETURN_IF_ERROR(MakeConvGeometry(attrs, input_shape, filter_shape, &g));
//
// Thread safety: values and pure functions. Errors: INVALID_ARGUMENT for shapes that do not go
// together.
#ifndef WARPBEAM_OPS_NN_CONV_CONV_GEOMETRY_H_
#define WARPBEAM_OPS_NN_CONV_CONV_GEOMETRY_H_

#include <cstring>

#include "graph/op/shape_context.h"
#include "ops/nn/window/window.h"

namespace warpbeam {

struct ConvGeometry {
  int64_t batch = 0;
  int64_t groups = 1;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t input[3] = {1, 1, 1};
  int64_t filter[3] = {1, 1, 1};
  int64_t output[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  int64_t before[3] = {0, 0, 0};
  int64_t after[3] = {0, 0, 0};

  int64_t input_pixels() const { return input[0] * input[1] * input[2]; }
  int64_t output_pixels() const { return output[0] * output[1] * output[2]; }
  int64_t taps() const { return filter[0] * filter[1] * filter[2]; }
  int64_t group_inputs() const { return in_channels / groups; }
  int64_t group_outputs() const { return out_channels / groups; }
  int64_t input_elements() const { return batch * input_pixels() * in_channels; }
  int64_t output_elements() const { return batch * output_pixels() * out_channels; }
  int64_t filter_elements() const { return taps() * group_inputs() * out_channels; }
  // Multiplications and additions, counted as one.
  double multiply_adds() const {
    return static_cast<double>(batch) * output_pixels() * taps() * group_inputs() * out_channels;
  }
  friend bool operator==(const ConvGeometry& a, const ConvGeometry& b) {
    return memcmp(&a, &b, sizeof(a)) == 0;
  }
};

struct ConvAttrs {
  DataFormat format;
  DimensionList strides;
  DimensionList dilations;
  WindowPadding padding;
  bool depthwise = false;
};

// Reads and checks strides, dilations, padding and data format. What no kernel can do (strides over
// the batch) is UNIMPLEMENTED.
StatusOr<ConvAttrs> ReadConvAttrs(const AttrMap& attrs, int spatial);

// The geometry of a convolution of data of `input` with a filter of shape `filter`; the input's
// channels are last, whatever the format.
Status MakeConvGeometry(const ConvAttrs& attrs, const Shape& input, const Shape& filter,
                        ConvGeometry* geometry);
// The shape of its result, channels last.
StatusOr<Shape> ConvOutputShape(const ConvAttrs& attrs, const ConvGeometry& geometry);

// Shape functions: of the convolution, and of its gradients, whose shape is that of input 0 or 1,
// or what input 0 or 1 says.
Status ConvShape(ShapeContext& c, int spatial, bool depthwise);
Status ConvBackpropInputShape(ShapeContext& c, int spatial);
Status ConvBackpropFilterShape(ShapeContext& c, int spatial);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_CONV_CONV_GEOMETRY_H_
