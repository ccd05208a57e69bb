// ExtractImagePatches, ExtractVolumePatches: what lies below each place of a window, as channels.

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/window/emit_like.h"
#include "ops/nn/window/window.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

struct PatchAttrs {
  DataFormat format;
  DimensionList size, strides, rates;
  WindowPadding padding;
};

// Numbers behind those of the dimensions are not looked at.
StatusOr<DimensionList> ReadList(const AttrMap& map, absl::string_view name,
                                 const DataFormat& format) {
  if (map.Find(StdView(name)) == nullptr) return DimensionList();
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> values, map.Get<std::vector<int64_t>>(StdView(name)));
  if (values.size() > static_cast<size_t>(format.rank())) values.resize(format.rank());
  WB_ASSIGN_OR_RETURN(const DimensionList list, SplitDimensions(values, name, format));
  if (list.batch != 1 || list.channel != 1) {
    return Unimplemented("patches that reach over the batch or the channels ('", name, "')");
  }
  for (const int64_t v : list.spatial) {
    if (v <= 0) return OutOfRange("'", name, "' must be positive, but holds ", v);
  }
  return list;
}

StatusOr<PatchAttrs> ReadAttrs(const AttrMap& map, int spatial) {
  PatchAttrs attrs;
  attrs.format.spatial = spatial;
  WB_ASSIGN_OR_RETURN(attrs.size, ReadList(map, "ksizes", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.strides, ReadList(map, "strides", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.rates, ReadList(map, "rates", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.padding, ReadPadding(map, attrs.format));
  return attrs;
}

template <int kSpatial>
class ExtractPatchesKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PatchAttrs attrs, ReadAttrs(init.attrs, kSpatial));
    return std::make_unique<ExtractPatchesKernel>(attrs);
  }
  explicit ExtractPatchesKernel(const PatchAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (x.rank() != kSpatial + 2) {
      return InvalidArgument("the data must have ", kSpatial + 2, " dimensions, but has shape ",
                             x.shape().ToString());
    }
    int64_t input[3] = {1, 1, 1}, output[3] = {1, 1, 1}, before[3] = {0, 0, 0};
    std::vector<int64_t> dims = {x.dim(0)};
    int64_t taps = 1, width = 0;
    bool fits = true;
    for (int i = 3 - kSpatial; i < 3; ++i) {
      input[i] = x.dim(attrs_.format.axis(i));
      WindowSpan span;
      WB_RETURN_IF_ERROR(PlaceWindow(input[i], attrs_.size.spatial[i], attrs_.strides.spatial[i],
                                     attrs_.rates.spatial[i], attrs_.padding, i, &span));
      output[i] = span.output;
      before[i] = span.before;
      dims.push_back(span.output);
      fits = fits && !__builtin_mul_overflow(taps, attrs_.size.spatial[i], &taps);
    }
    const int64_t channels = x.dim(kSpatial + 1);
    if (!fits || __builtin_mul_overflow(taps, channels, &width)) {
      return InvalidArgument("a window of ", absl::StrJoin(attrs_.size.spatial, " x "),
                             " has more elements than a tensor can");
    }
    dims.push_back(width);
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * patches, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    return DispatchPlainElements(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t image = input[0] * input[1] * input[2] * channels;
      const int64_t places = output[0] * output[1] * output[2];
      StoppableFor(ctx, x.dim(0) * places, taps * (channels + 4), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t place = i % places;
          const int64_t at[3] = {place / (output[1] * output[2]), place / output[2] % output[1],
                                 place % output[2]};
          CopyPatch(x.data<T>() + i / places * image, input, before, at, channels,
                    patches->data<T>() + i * taps * channels);
        }
      });
      return OkStatus();
    });
  }

 private:
  template <class T>
  void CopyPatch(const T* image, const int64_t input[3], const int64_t before[3],
                 const int64_t at[3], int64_t channels, T* to) const {
    const int64_t *size = attrs_.size.spatial, *stride = attrs_.strides.spatial;
    const int64_t* rate = attrs_.rates.spatial;
    for (int64_t i = 0; i < size[0]; ++i) {
      const int64_t z = at[0] * stride[0] - before[0] + i * rate[0];
      for (int64_t j = 0; j < size[1]; ++j) {
        const int64_t y = at[1] * stride[1] - before[1] + j * rate[1];
        for (int64_t k = 0; k < size[2]; ++k, to += channels) {
          const int64_t x = at[2] * stride[2] - before[2] + k * rate[2];
          if (z < 0 || z >= input[0] || y < 0 || y >= input[1] || x < 0 || x >= input[2]) {
            std::fill_n(to, channels, T{});
          } else {
            std::copy_n(image + ((z * input[1] + y) * input[2] + x) * channels, channels, to);
          }
        }
      }
    }
  }

  const PatchAttrs attrs_;
};

template <int kSpatial>
Status ExtractPatchesShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, kSpatial + 2));
  c.set_output(0, PartialShape::UnknownOfRank(kSpatial + 2));
  const auto attrs = ReadAttrs(c.attrs(), kSpatial);
  if (!attrs.ok()) {
    // What a kernel refuses with another code is refused when it runs.
    return IsInvalidArgument(attrs.status()) ? attrs.status() : OkStatus();
  }
  int64_t channels = x.dim(kSpatial + 1);
  for (const int64_t s : attrs->size.spatial) {
    if (channels < 0 || __builtin_mul_overflow(channels, s, &channels)) channels = -1;
  }
  WB_ASSIGN_OR_RETURN(PartialShape output,
                      WindowOutputShape(x, attrs->format, attrs->size.spatial, attrs->strides,
                                        attrs->rates, attrs->padding, channels));
  c.set_output(0, std::move(output));
  return OkStatus();
}

// Which pixel each part of a patch came from follows from the patches of an image of numbers, 0
// for padding; gradients are summed up by these numbers.
template <int kSpatial>
Status ExtractPatchesGradient(GradContext& c) {
  const PartialShape& shape = c.shape(c.x(0));
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  int64_t pixels = 1;
  bool fits = true;
  for (int i = 1; i < kSpatial + 2; ++i) {
    if (!shape.has_rank() || shape.dim(i) < 0) {
      return Unimplemented("the gradient of patches of data of shape ", shape.ToString(),
                           "; all but the batch must be known");
    }
    fits = fits && shape.dim(i) <= kMost;
    if (fits && i <= kSpatial) fits = !__builtin_mul_overflow(pixels, shape.dim(i), &pixels);
  }
  if (!fits || pixels >= kMost) {
    return Unimplemented("the gradient of patches of data of shape ", shape.ToString(),
                         "; its pixels and its channels are numbered by 32 bits");
  }
  const auto channels = static_cast<int32_t>(shape.dim(kSpatial + 1));
  const auto count = static_cast<int32_t>(pixels);
  std::vector<int32_t> image(shape.dims().begin(), shape.dims().end());
  image.front() = image.back() = 1;
  const OutputRef numbers = c.Reshape(
      c.Emit("Range", {c.Scalar<int32_t>(1), c.Scalar<int32_t>(count + 1), c.Scalar<int32_t>(1)}),
      c.Constant(Tensor::Vector<int32_t>(image)));
  AttrMap attrs;
  for (const char* name : {"ksizes", "strides", "rates", "padding"}) {
    if (const AttrValue* value = c.node().attrs().Find(name)) attrs.Set(name, *value);
  }
  const std::vector<OutputRef> places = c.EmitAll(c.node().op_name(), {numbers}, attrs);
  if (places.empty()) return OkStatus();  // the context keeps why
  const OutputRef flat = c.Reshape(places[0], c.Ints({-1}));
  // [batch, places, channels] -> [places, batch, channels], summed up by pixel, and back.
  const OutputRef batch = c.Emit("Slice", {c.ShapeOf(c.x(0)), c.Ints({0}), c.Ints({1})});
  const auto concat = [&](std::vector<OutputRef> parts) {
    AttrMap n;
    n.Set("N", static_cast<int64_t>(parts.size()));
    const auto made = c.EmitAll("ConcatV2", {NodeInput(std::move(parts)), c.Scalar<int32_t>(0)}, n);
    return made.empty() ? OutputRef() : made[0];
  };
  const OutputRef parts = c.Reshape(
      c.dy(0), concat({batch, c.Reshape(c.SizeOf(flat), c.Ints({1})), c.Ints({channels})}));
  const OutputRef swap = c.Ints({1, 0, 2});
  const OutputRef sums = c.Emit("UnsortedSegmentSum", {c.Emit("Transpose", {parts, swap}), flat,
                                                       c.Scalar<int32_t>(count + 1)});
  const OutputRef inside = c.Emit("Slice", {sums, c.Ints({1, 0, 0}), c.Ints({-1, -1, -1})});
  c.set_dx(0, c.ReshapeLike(c.Emit("Transpose", {inside, swap}), c.x(0)));
  return OkStatus();
}

constexpr TypeSet kImageCpu = kRealTypes | kComplexTypes;
constexpr TypeSet kImageGpu = kFloatingTypes | kComplexTypes | TypeSet{DType::kBool};

}  // namespace

WB_OP("ExtractImagePatches")
    .Input("images: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr(
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, "
        "uint64, complex64, complex128, bool}")
    .Attr("padding: {'SAME', 'VALID'}")
    .Shape(ExtractPatchesShape<2>);
WB_OP("ExtractVolumePatches")
    .Input("input: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 5")
    .Attr("strides: list(int) >= 5")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}")
    .Attr("padding: {'SAME', 'VALID'}")
    .Shape(ExtractPatchesShape<3>);
WB_KERNEL("ExtractImagePatches", ExtractPatchesKernel<2>)
    .Cpu({{"T", kImageCpu}})
    .Gpu({{"T", kImageGpu}});
WB_KERNEL("ExtractVolumePatches", ExtractPatchesKernel<3>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_GRADIENT("ExtractImagePatches", ExtractPatchesGradient<2>);
WB_GRADIENT("ExtractVolumePatches", ExtractPatchesGradient<3>);

}  // namespace warpbeam
