// CombinedNonMaxSuppression: the best boxes of every class, then the best of all classes together.
#include <algorithm>
#include <limits>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/image/boxes/box_selection.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

struct Found {
  const float* box;
  float score;
  int64_t number;  // of the class
};

// The scalars, checked.
struct Limits {
  int64_t per_class = 0, total = 0;
  float overlap = 0, score = 0;
};

Status CheckShapes(const Tensor& boxes, const Tensor& scores) {
  if (boxes.rank() != 4 || boxes.dim(3) != 4) {
    return InvalidArgument("boxes must be 4-D with 4 coordinates each, got shape ",
                           boxes.shape().ToString());
  }
  if (scores.rank() != 3 || scores.dim(0) != boxes.dim(0) || scores.dim(1) != boxes.dim(1)) {
    return InvalidArgument("scores must be 3-D with the batch and the number of boxes of ",
                           boxes.shape().ToString(), ", got shape ", scores.shape().ToString());
  }
  if (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2)) {
    return InvalidArgument("third dimension of boxes must be either 1 or the number of classes, ",
                           "got shapes ", boxes.shape().ToString(), " and ",
                           scores.shape().ToString());
  }
  return OkStatus();
}

StatusOr<Limits> ReadLimits(KernelContext& ctx) {
  static constexpr const char* kNames[] = {"max_output_size_per_class", "max_total_size",
                                           "iou_threshold", "score_threshold"};
  for (int i = 0; i < 4; ++i) {
    if (ctx.input(2 + i).rank() != 0) {
      return InvalidArgument(kNames[i], " must be 0-D, got shape ",
                             ctx.input(2 + i).shape().ToString());
    }
  }
  const Limits limits{ctx.input(2).scalar<int32_t>(), ctx.input(3).scalar<int32_t>(),
                      ctx.input(4).scalar<float>(), ctx.input(5).scalar<float>()};
  if (limits.per_class < 1) {
    return InvalidArgument("max_output_size_per_class must be positive, got ", limits.per_class);
  }
  if (limits.total < 1) {
    return InvalidArgument("max_total_size must be > 0, got ", limits.total);
  }
  if (!(limits.overlap >= 0 && limits.overlap <= 1)) {
    return InvalidArgument("iou_threshold must be in [0, 1], got ", limits.overlap);
  }
  return limits;
}

class CombinedKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool pads, init.attr<bool>("pad_per_class"));
    WB_ASSIGN_OR_RETURN(const bool clips, init.attr<bool>("clip_boxes"));
    return std::make_unique<CombinedKernel>(pads, clips);
  }
  CombinedKernel(bool pad_per_class, bool clip_boxes)
      : pad_per_class_(pad_per_class), clip_boxes_(clip_boxes) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor boxes = ctx.input(0), scores = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckShapes(boxes, scores));
    WB_ASSIGN_OR_RETURN(const Limits limits, ReadLimits(ctx));
    const int64_t batch = boxes.dim(0), classes = scores.dim(2);
    const int64_t count =
        pad_per_class_ ? std::min(limits.total, limits.per_class * classes) : limits.total;
    WB_ASSIGN_OR_RETURN(const Shape per_image, Shape::Make({batch, count}));
    WB_ASSIGN_OR_RETURN(const Shape four, Shape::Make({batch, count, 4}));
    WB_ASSIGN_OR_RETURN(Tensor * out_boxes, ctx.Allocate(0, four));
    WB_ASSIGN_OR_RETURN(Tensor * out_scores, ctx.Allocate(1, per_image));
    WB_ASSIGN_OR_RETURN(Tensor * out_classes, ctx.Allocate(2, per_image));
    WB_ASSIGN_OR_RETURN(Tensor * out_valid, ctx.Allocate(3, Shape({batch})));
    std::fill_n(out_boxes->data<float>(), out_boxes->num_elements(), 0.0f);
    std::fill_n(out_scores->data<float>(), out_scores->num_elements(), 0.0f);
    std::fill_n(out_classes->data<float>(), out_classes->num_elements(), 0.0f);
    const int64_t cost = 100 * scores.dim(1) * classes;
    StoppableFor(ctx, batch, cost, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const std::vector<Found> best = Best(boxes, scores, limits, b, count);
        for (size_t i = 0; i < best.size(); ++i) {
          const int64_t to = b * count + static_cast<int64_t>(i);
          for (int k = 0; k < 4; ++k) {
            const float x = best[i].box[k];
            out_boxes->data<float>()[4 * to + k] = clip_boxes_ ? std::clamp(x, 0.0f, 1.0f) : x;
          }
          out_scores->data<float>()[to] = best[i].score;
          out_classes->data<float>()[to] = static_cast<float>(best[i].number);
        }
        out_valid->data<int32_t>()[b] = static_cast<int32_t>(best.size());
      }
    });
    return OkStatus();
  }

 private:
  static std::vector<Found> Best(const Tensor& boxes, const Tensor& scores, const Limits& limits,
                                 int64_t image, int64_t count) {
    const int64_t n = boxes.dim(1), sets = boxes.dim(2), classes = scores.dim(2);
    const float* all = boxes.data<float>() + image * n * sets * 4;
    const float* values = scores.data<float>() + image * n * classes;
    std::vector<Found> found;
    std::vector<float> of_class(static_cast<size_t>(n));
    for (int64_t c = 0; c < classes && !RunningStep::IsOver(); ++c) {
      for (int64_t i = 0; i < n; ++i) of_class[static_cast<size_t>(i)] = values[i * classes + c];
      const float* first = all + (sets == 1 ? 0 : c * 4);
      const SelectionLimits<float> per_class{limits.per_class, limits.overlap, limits.score};
      for (const SelectedBox<float>& box :
           SelectBoxes<float>(of_class, per_class, BoxOverlap<float>{first, sets * 4})) {
        found.push_back({first + box.box * sets * 4, box.score, c});
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.score > b.score; });
    if (static_cast<int64_t>(found.size()) > count) found.resize(static_cast<size_t>(count));
    return found;
  }

  const bool pad_per_class_, clip_boxes_;
};

Status CombinedShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 3));
  for (int i = 2; i < 6; ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  WB_ASSIGN_OR_RETURN(const PartialShape batch,
                      PartialShape::Merge(PartialShape({boxes.dim(0), boxes.dim(1)}),
                                          PartialShape({scores.dim(0), scores.dim(1)})));
  WB_RETURN_IF_ERROR(PartialShape::Merge(boxes, PartialShape({-1, -1, -1, 4})).status());
  WB_ASSIGN_OR_RETURN(const bool pads, c.attr<bool>("pad_per_class"));
  int64_t count = c.ConstantScalar(3).value_or(-1);
  if (pads) {
    const int64_t per_class = c.ConstantScalar(2).value_or(-1), classes = scores.dim(2);
    const bool is_known = count > 0 && per_class > 0 && classes >= 0;
    count = is_known ? std::min(count, per_class * classes) : -1;
  }
  if (count < 1) count = -1;
  c.set_output(0, PartialShape({batch.dim(0), count, 4}));
  c.set_output(1, PartialShape({batch.dim(0), count}));
  c.set_output(2, PartialShape({batch.dim(0), count}));
  c.set_output(3, PartialShape({batch.dim(0)}));
  return OkStatus();
}

WB_OP("CombinedNonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size_per_class: int32")
    .Input("max_total_size: int32")
    .Input("iou_threshold: float")
    .Input("score_threshold: float")
    .Output("nmsed_boxes: float")
    .Output("nmsed_scores: float")
    .Output("nmsed_classes: float")
    .Output("valid_detections: int32")
    .Attr("pad_per_class: bool = false")
    .Attr("clip_boxes: bool = true")
    .Shape(CombinedShape);
WB_KERNEL("CombinedNonMaxSuppression", CombinedKernel).Cpu();

}  // namespace
}  // namespace warpbeam
