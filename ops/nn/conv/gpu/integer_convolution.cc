// The block functions of ops/nn/conv/integer_convolution.h.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <algorithm>

#include "ops/nn/conv/integer_convolution.h"
#endif

namespace warpbeam::WB_PASS {

// A ConvGeometry of images, as plain data.
struct IntegerConvolution {
  int64_t batch, groups, in_channels, out_channels;
  int64_t input[2], filter[2], output[2], stride[2], dilation[2], before[2];
  bool channels_first;
  const uint32_t *a, *weights;  // the input or the result's gradient, and the filter
  uint32_t* result;
  int64_t count;  // of the result's elements

  struct Place {
    int64_t image, at[2], channel;
  };
  WB_BLOCK Place Find(int64_t index, const int64_t (&extent)[2], int64_t channels) const {
    Place place;
    if (!channels_first) {
      place.channel = index % channels;
      index /= channels;
    }
    place.at[1] = index % extent[1];
    index /= extent[1];
    place.at[0] = index % extent[0];
    index /= extent[0];
    if (channels_first) {
      place.channel = index % channels;
      index /= channels;
    }
    place.image = index;
    return place;
  }
  WB_BLOCK int64_t IndexOf(int64_t image, int64_t y, int64_t x, int64_t channel,
                           const int64_t (&extent)[2], int64_t channels) const {
    return channels_first ? ((image * channels + channel) * extent[0] + y) * extent[1] + x
                          : ((image * extent[0] + y) * extent[1] + x) * channels + channel;
  }
  // Filters are [height, width, channels of a group, output channels].
  WB_BLOCK uint32_t Weight(int64_t i, int64_t j, int64_t in, int64_t out) const {
    return weights[((i * filter[1] + j) * (in_channels / groups) + in) * out_channels + out];
  }
};

struct IntegerConvolutionBlock {
  IntegerConvolution c;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, c.count, [&](int64_t index) {
      const auto place = c.Find(index, c.output, c.out_channels);
      const int64_t inputs = c.in_channels / c.groups;
      const int64_t first = place.channel / (c.out_channels / c.groups) * inputs;
      uint32_t sum = 0;
      for (int64_t i = 0; i < c.filter[0]; ++i) {
        const int64_t y = place.at[0] * c.stride[0] + i * c.dilation[0] - c.before[0];
        if (y < 0 || y >= c.input[0]) continue;
        for (int64_t j = 0; j < c.filter[1]; ++j) {
          const int64_t x = place.at[1] * c.stride[1] + j * c.dilation[1] - c.before[1];
          if (x < 0 || x >= c.input[1]) continue;
          for (int64_t in = 0; in < inputs; ++in) {
            sum += c.a[c.IndexOf(place.image, y, x, first + in, c.input, c.in_channels)] *
                   c.Weight(i, j, in, place.channel);
          }
        }
      }
      c.result[index] = sum;
    });
  }
};
WB_GPU_FUNCTION(IntegerConvolutionBlock);

struct IntegerToInputBlock {
  IntegerConvolution c;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, c.count, [&](int64_t index) {
      const auto pixel = c.Find(index, c.input, c.in_channels);
      const int64_t inputs = c.in_channels / c.groups, outputs = c.out_channels / c.groups;
      const int64_t first = pixel.channel / inputs * outputs;
      uint32_t sum = 0;
      for (int64_t i = 0; i < c.filter[0]; ++i) {
        const int64_t y = PlaceOf(0, pixel.at[0] + c.before[0] - i * c.dilation[0]);
        if (y < 0) continue;
        for (int64_t j = 0; j < c.filter[1]; ++j) {
          const int64_t x = PlaceOf(1, pixel.at[1] + c.before[1] - j * c.dilation[1]);
          if (x < 0) continue;
          for (int64_t out = first; out < first + outputs; ++out) {
            sum += c.a[c.IndexOf(pixel.image, y, x, out, c.output, c.out_channels)] *
                   c.Weight(i, j, pixel.channel % inputs, out);
          }
        }
      }
      c.result[index] = sum;
    });
  }

 private:
  // The place whose window begins at `from`, counted with the padding; -1 if there is none.
  WB_BLOCK int64_t PlaceOf(int axis, int64_t from) const {
    if (from < 0 || from % c.stride[axis] != 0) return -1;
    const int64_t place = from / c.stride[axis];
    return place < c.output[axis] ? place : -1;
  }
};
WB_GPU_FUNCTION(IntegerToInputBlock);

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

Status EnqueueIntegerConvolution(GpuStream& stream, const GpuConvolution& convolution) {
  if (convolution.pass == ConvPass::kBackwardFilter) {
    return Unimplemented("gradients of int32 to a filter on GPUs");
  }
  const ConvGeometry& g = convolution.geometry;
  host_pass::IntegerConvolution c = {};
  c.batch = g.batch;
  c.groups = g.groups;
  c.in_channels = g.in_channels;
  c.out_channels = g.out_channels;
  std::copy_n(g.input + 1, 2, c.input);
  std::copy_n(g.filter + 1, 2, c.filter);
  std::copy_n(g.output + 1, 2, c.output);
  std::copy_n(g.stride + 1, 2, c.stride);
  std::copy_n(g.dilation + 1, 2, c.dilation);
  std::copy_n(g.before + 1, 2, c.before);
  c.channels_first = convolution.channels_first;
  c.a = static_cast<const uint32_t*>(convolution.a);
  c.weights = static_cast<const uint32_t*>(convolution.b);
  c.result = static_cast<uint32_t*>(convolution.result);
  if (convolution.pass == ConvPass::kForward) {
    c.count = g.output_elements();
    return Launch(stream, ElementGrid(c.count), host_pass::IntegerConvolutionBlock{c});
  }
  c.count = g.input_elements();
  return Launch(stream, ElementGrid(c.count), host_pass::IntegerToInputBlock{c});
}

}  // namespace warpbeam
#endif
