// ExtractImagePatches, ExtractVolumePatches: what lies below each place of a window, as channels.
#include "ops/nn/patches/extract_patches.h"

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
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

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

}  // namespace

StatusOr<PatchAttrs> ReadPatchAttrs(const AttrMap& map, int spatial) {
  PatchAttrs attrs;
  attrs.format.spatial = spatial;
  WB_ASSIGN_OR_RETURN(attrs.size, ReadList(map, "ksizes", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.strides, ReadList(map, "strides", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.rates, ReadList(map, "rates", attrs.format));
  WB_ASSIGN_OR_RETURN(attrs.padding, ReadPadding(map, attrs.format));
  return attrs;
}

StatusOr<Shape> MakePatchPlan(const PatchAttrs& attrs, const Shape& x, PatchPlan* plan) {
  const int spatial = attrs.format.spatial;
  if (x.rank() != spatial + 2) {
    return InvalidArgument("the data must have ", spatial + 2, " dimensions, but has shape ",
                           x.ToString());
  }
  std::vector<int64_t> dims = {x.dim(0)};
  int64_t width = 0;
  bool fits = true;
  for (int i = 3 - spatial; i < 3; ++i) {
    plan->size[i] = attrs.size.spatial[i];
    plan->stride[i] = attrs.strides.spatial[i];
    plan->rate[i] = attrs.rates.spatial[i];
    plan->input[i] = x.dim(attrs.format.axis(i));
    WindowSpan span;
    WB_RETURN_IF_ERROR(PlaceWindow(plan->input[i], attrs.size.spatial[i], attrs.strides.spatial[i],
                                   attrs.rates.spatial[i], attrs.padding, i, &span));
    plan->output[i] = span.output;
    plan->before[i] = span.before;
    dims.push_back(span.output);
    fits = fits && !__builtin_mul_overflow(plan->taps, attrs.size.spatial[i], &plan->taps);
  }
  plan->channels = x.dim(spatial + 1);
  if (!fits || __builtin_mul_overflow(plan->taps, plan->channels, &width)) {
    return InvalidArgument("a window of ", absl::StrJoin(attrs.size.spatial, " x "),
                           " has more elements than a tensor can");
  }
  dims.push_back(width);
  plan->batch = x.dim(0);
  return Shape::Make(dims);
}

namespace {

template <int kSpatial>
class ExtractPatchesKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PatchAttrs attrs, ReadPatchAttrs(init.attrs, kSpatial));
    return std::make_unique<ExtractPatchesKernel>(attrs);
  }
  explicit ExtractPatchesKernel(const PatchAttrs& attrs) : attrs_(attrs) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    PatchPlan plan;
    WB_ASSIGN_OR_RETURN(const Shape shape, MakePatchPlan(attrs_, x.shape(), &plan));
    WB_ASSIGN_OR_RETURN(Tensor * patches, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    return DispatchPlainElements(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t* output = plan.output;
      const int64_t places = output[0] * output[1] * output[2];
      StoppableFor(ctx, plan.batch * places, plan.taps * (plan.channels + 4),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       const int64_t place = i % places;
                       const int64_t at[3] = {place / (output[1] * output[2]),
                                              place / output[2] % output[1], place % output[2]};
                       CopyPatch(plan, x.data<T>() + i / places * plan.image_size(), at,
                                 patches->data<T>() + i * plan.taps * plan.channels);
                     }
                   });
      return OkStatus();
    });
  }

 private:
  template <class T>
  static void CopyPatch(const PatchPlan& p, const T* image, const int64_t (&at)[3], T* to) {
    for (int64_t i = 0; i < p.size[0]; ++i) {
      for (int64_t j = 0; j < p.size[1]; ++j) {
        for (int64_t k = 0; k < p.size[2]; ++k, to += p.channels) {
          const int64_t pixel = p.PixelOf(at, i, j, k);
          if (pixel < 0) {
            std::fill_n(to, p.channels, T{});
          } else {
            std::copy_n(image + pixel * p.channels, p.channels, to);
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
  const auto attrs = ReadPatchAttrs(c.attrs(), kSpatial);
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
