// SampleDistortedBoundingBox, V2, StatelessSampleDistortedBoundingBox: a random part of an image
// that shows enough of an object.
#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/random/distributions.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "ops/random/stateless_seed.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {
namespace {

struct Rectangle {
  int64_t min_x = 0, min_y = 0, max_x = 0, max_y = 0;

  int64_t width() const { return max_x - min_x; }
  int64_t height() const { return max_y - min_y; }
  float area() const { return static_cast<float>(width() * height()); }
  Rectangle Intersect(const Rectangle& r) const {
    const Rectangle c{std::max(min_x, r.min_x), std::max(min_y, r.min_y), std::min(max_x, r.max_x),
                      std::min(max_y, r.max_y)};
    return c.min_x > c.max_x || c.min_y > c.max_y ? Rectangle{} : c;
  }
};

// Numbers of [0, n) that are all equally likely: those of the stream's beginning that would make
// the last round incomplete are skipped.
int64_t NumberBelow(PhiloxNumbers* numbers, int64_t below) {
  const uint32_t n = static_cast<uint32_t>(below);
  if ((n & (n - 1)) == 0) return numbers->Next() & (n - 1);
  const uint32_t skipped = 0xffffffffu % n + 1;
  uint32_t number;
  do {
    number = numbers->Next();
  } while (number < skipped);
  return number % n;
}

struct CropLimits {
  float min_aspect = 0.75f, max_aspect = 1.33f;
  float min_area = 0.05f, max_area = 1;
  int64_t attempts = 100;
  bool use_image = false;  // where there are no boxes
};

int64_t Rounded(float x) { return std::lrintf(x); }

// A part of the image with that ratio of width to height; false when none was found.
bool DrawCrop(int64_t width, int64_t height, const CropLimits& limits, float aspect,
              PhiloxNumbers* numbers, Rectangle* crop) {
  if (limits.max_area <= 0 || aspect <= 0 || width <= 0 || height <= 0 ||
      limits.min_area > limits.max_area) {
    return false;
  }
  const float pixels_wide = static_cast<float>(width), pixels_high = static_cast<float>(height);
  const float min_area = limits.min_area * pixels_wide * pixels_high;
  const float max_area = limits.max_area * pixels_wide * pixels_high;
  int64_t crop_height = Rounded(std::sqrt(min_area / aspect));
  int64_t max_height = Rounded(std::sqrt(max_area / aspect));
  if (Rounded(static_cast<float>(max_height) * aspect) > width) {
    // The greatest height whose width still rounds to what the image has.
    const float kEps = 0.0000001f;
    max_height = static_cast<int64_t>((static_cast<double>(width) + 0.5 - kEps) / aspect);
    if (Rounded(static_cast<float>(max_height) * aspect) > width) --max_height;
  }
  max_height = std::min(max_height, height);
  crop_height = std::min(crop_height, max_height);
  if (crop_height < max_height) {
    crop_height += NumberBelow(numbers, max_height - crop_height + 1);
  }
  const auto width_of = [&](int64_t h) { return Rounded(static_cast<float>(h) * aspect); };
  int64_t crop_width = width_of(crop_height);
  const auto area = [&] { return static_cast<float>(crop_width * crop_height); };
  // Rounding may have gone past a limit by one row.
  if (area() < min_area) crop_width = width_of(++crop_height);
  if (area() > max_area) crop_width = width_of(--crop_height);
  if (area() < min_area || area() > max_area || crop_width > width || crop_height > height ||
      crop_width <= 0 || crop_height <= 0) {
    return false;
  }
  const int64_t y = crop_height < height ? NumberBelow(numbers, height - crop_height) : 0;
  const int64_t x = crop_width < width ? NumberBelow(numbers, width - crop_width) : 0;
  *crop = {x, y, x + crop_width, y + crop_height};
  return true;
}

bool ShowsEnough(const Rectangle& crop, float least, const std::vector<Rectangle>& objects) {
  if (crop.area() < 1) return false;
  return std::any_of(objects.begin(), objects.end(), [&](const Rectangle& object) {
    return object.area() >= 1 && object.Intersect(crop).area() / object.area() >= least;
  });
}

StatusOr<CropLimits> ReadLimits(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const auto aspect, init.attr<std::vector<float>>("aspect_ratio_range"));
  WB_ASSIGN_OR_RETURN(const auto area, init.attr<std::vector<float>>("area_range"));
  CropLimits limits;
  WB_ASSIGN_OR_RETURN(limits.attempts, init.attr<int64_t>("max_attempts"));
  WB_ASSIGN_OR_RETURN(limits.use_image, init.attr<bool>("use_image_if_no_bounding_boxes"));
  if (aspect.size() != 2 || !(aspect[0] > 0) || !(aspect[1] > 0)) {
    return InvalidArgument("aspect_ratio_range must have 2 positive values, got ", aspect.size(),
                           " values");
  }
  if (area.size() != 2 || !(area[0] > 0 && area[1] > 0 && area[0] <= 1 && area[1] <= 1)) {
    return InvalidArgument("area_range must have 2 values of (0.0, 1.0], got ", area.size(),
                           " values");
  }
  if (limits.attempts <= 0 || limits.attempts > 0x7fffffff) {
    return InvalidArgument("max_attempts must be positive, got ", limits.attempts);
  }
  limits.min_aspect = aspect[0];
  limits.max_aspect = aspect[1];
  limits.min_area = area[0];
  limits.max_area = area[1];
  return limits;
}

// Without a stream of its own the kernel takes one from the seed in input 3.
class SampleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    std::unique_ptr<RandomStream> stream;
    if (init.schema.name != "StatelessSampleDistortedBoundingBox") {
      WB_ASSIGN_OR_RETURN(stream, RandomStream::FromAttrs(init));
    }
    WB_ASSIGN_OR_RETURN(const CropLimits limits, ReadLimits(init));
    const float covered = init.attrs.GetOr<float>("min_object_covered", 0.1f);
    WB_RETURN_IF_ERROR(CheckCovered(covered));
    return std::make_unique<SampleKernel>(std::move(stream), limits, covered);
  }
  SampleKernel(std::unique_ptr<RandomStream> stream, const CropLimits& limits, float covered)
      : stream_(std::move(stream)), limits_(limits), covered_(covered) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &size = ctx.input(0), &boxes = ctx.input(1);
    if (size.rank() != 1 || size.dim(0) != 3) {
      return InvalidArgument("image_size must be 1-dimensional of 3 elements, got shape ",
                             size.shape().ToString());
    }
    float covered = covered_;
    if (ctx.num_inputs() > 2) {
      const Tensor& given = ctx.input(2);
      if (given.rank() != 0) {
        return InvalidArgument("min_object_covered must be 0-D, got shape ",
                               given.shape().ToString());
      }
      covered = given.scalar<float>();
      WB_RETURN_IF_ERROR(CheckCovered(covered));
    }
    return DispatchTypes<uint8_t, int8_t, int16_t, int32_t, int64_t>(size.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t height = static_cast<int64_t>(size.data<T>()[0]);
      const int64_t width = static_cast<int64_t>(size.data<T>()[1]);
      WB_RETURN_IF_ERROR(CheckImage(height, width));
      WB_ASSIGN_OR_RETURN(const std::vector<Rectangle> objects, Objects(boxes, height, width));
      // Four numbers an attempt.
      Philox stream(0, 0);
      if (stream_ != nullptr) {
        stream = stream_->Reserve(static_cast<uint64_t>(limits_.attempts));
      } else {
        WB_ASSIGN_OR_RETURN(stream, StreamFromSeed(ctx.input(3)));
      }
      const Rectangle crop = Sample(height, width, covered, objects, stream);
      return Write<T>(ctx, crop, height, width);
    });
  }

 private:
  static Status CheckCovered(float covered) {
    if (covered >= 0) return OkStatus();
    return InvalidArgument("min_object_covered must be non-negative, got ", covered);
  }
  static Status CheckImage(int64_t height, int64_t width) {
    if (height >= 0 && width >= 0 && height < (1 << 24) && width < (1 << 24)) return OkStatus();
    return InvalidArgument("image height and width must not be negative and below 2^24, got ",
                           height, " and ", width);
  }

  StatusOr<std::vector<Rectangle>> Objects(const Tensor& boxes, int64_t height,
                                           int64_t width) const {
    if (boxes.rank() != 3 || boxes.dim(2) != 4) {
      return InvalidArgument("input boxes must be 3-dimensional [batch, num_boxes, coords] with ",
                             "4 coordinates each, got shape ", boxes.shape().ToString());
    }
    std::vector<Rectangle> objects;
    if (boxes.num_elements() == 0) {
      if (!limits_.use_image) {
        return InvalidArgument("No bounding boxes provided as input. One must enable ",
                               "use_image_if_no_bounding_boxes if you wish to not provide any.");
      }
      objects.push_back({0, 0, width, height});
    }
    const float w = static_cast<float>(width), h = static_cast<float>(height);
    for (int64_t i = 0; i < boxes.num_elements(); i += 4) {
      const float* box = boxes.data<float>() + i;
      for (int k = 0; k < 4; ++k) {
        if (!(box[k] >= 0 && box[k] <= 1)) {
          return InvalidArgument("All bounding box coordinates must be in [0.0, 1.0]: ", box[k]);
        }
      }
      objects.push_back({static_cast<int64_t>(box[1] * w), static_cast<int64_t>(box[0] * h),
                         static_cast<int64_t>(box[3] * w), static_cast<int64_t>(box[2] * h)});
    }
    return objects;
  }

  Rectangle Sample(int64_t height, int64_t width, float covered,
                   const std::vector<Rectangle>& objects, const Philox& stream) const {
    PhiloxNumbers numbers(stream);
    for (int64_t i = 0; i < limits_.attempts && !RunningStep::IsOver(); ++i) {
      const float aspect =
          UniformFloat(numbers.Next()) * (limits_.max_aspect - limits_.min_aspect) +
          limits_.min_aspect;
      Rectangle crop;
      if (DrawCrop(width, height, limits_, aspect, &numbers, &crop) &&
          ShowsEnough(crop, covered, objects)) {
        return crop;
      }
    }
    return {0, 0, width, height};
  }

  // Begin and size as Slice takes them, all channels; the box as DrawBoundingBoxes takes it.
  template <class T>
  static Status Write(KernelContext& ctx, const Rectangle& crop, int64_t height, int64_t width) {
    WB_ASSIGN_OR_RETURN(Tensor * begin, ctx.Allocate(0, Shape({3})));
    WB_ASSIGN_OR_RETURN(Tensor * size, ctx.Allocate(1, Shape({3})));
    WB_ASSIGN_OR_RETURN(Tensor * box, ctx.Allocate(2, Shape({1, 1, 4})));
    const int64_t begins[] = {crop.min_y, crop.min_x, 0};
    const int64_t sizes[] = {crop.height(), crop.width(), -1};
    for (int i = 0; i < 3; ++i) {
      begin->data<T>()[i] = static_cast<T>(begins[i]);
      size->data<T>()[i] = static_cast<T>(sizes[i]);
    }
    const float w = static_cast<float>(width), h = static_cast<float>(height);
    const float corners[] = {static_cast<float>(crop.min_y) / h, static_cast<float>(crop.min_x) / w,
                             static_cast<float>(crop.max_y) / h,
                             static_cast<float>(crop.max_x) / w};
    std::copy_n(corners, 4, box->data<float>());
    return OkStatus();
  }

  const std::unique_ptr<RandomStream> stream_;
  const CropLimits limits_;
  const float covered_;
};

Status SampleShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(0, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(size, PartialShape({3})).status());
  WB_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(1, 3));
  WB_RETURN_IF_ERROR(PartialShape::Merge(boxes, PartialShape({-1, -1, 4})).status());
  if (c.num_inputs() > 2) WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  if (c.num_inputs() > 3) WB_RETURN_IF_ERROR(CheckVector(c, 3, 2));
  c.set_output(0, PartialShape({3}));
  c.set_output(1, PartialShape({3}));
  c.set_output(2, PartialShape({1, 1, 4}));
  return OkStatus();
}

constexpr TypeSet kSizeTypes = {DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                                DType::kInt64};

WB_OP("SampleDistortedBoundingBox")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("min_object_covered: float = 0.1")
    .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
    .Attr("area_range: list(float) = [0.05, 1.0]")
    .Attr("max_attempts: int = 100")
    .Attr("use_image_if_no_bounding_boxes: bool = false")
    .Stateful()
    .Shape(SampleShape);
WB_KERNEL("SampleDistortedBoundingBox", SampleKernel).Cpu({{"T", kSizeTypes}});
WB_NO_GRADIENT("SampleDistortedBoundingBox");

WB_OP("SampleDistortedBoundingBoxV2")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Input("min_object_covered: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
    .Attr("area_range: list(float) = [0.05, 1.0]")
    .Attr("max_attempts: int = 100")
    .Attr("use_image_if_no_bounding_boxes: bool = false")
    .Stateful()
    .Shape(SampleShape);
WB_KERNEL("SampleDistortedBoundingBoxV2", SampleKernel).Cpu({{"T", kSizeTypes}});
WB_NO_GRADIENT("SampleDistortedBoundingBoxV2");

WB_OP("StatelessSampleDistortedBoundingBox")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Input("min_object_covered: float")
    .Input("seed: Tseed")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("Tseed: {int32, int64}")
    .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
    .Attr("area_range: list(float) = [0.05, 1.0]")
    .Attr("max_attempts: int = 100")
    .Attr("use_image_if_no_bounding_boxes: bool = false")
    .Shape(SampleShape);
WB_KERNEL("StatelessSampleDistortedBoundingBox", SampleKernel)
    .Cpu({{"T", kSizeTypes | TypeSet{DType::kUInt16, DType::kUInt32, DType::kUInt64}}});

}  // namespace
}  // namespace warpbeam
