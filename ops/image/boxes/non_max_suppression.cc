// NonMaxSuppression, V2 to V5, NonMaxSuppressionWithOverlaps: the best of many boxes.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/image/boxes/box_selection.h"
#include "ops/image/boxes/nms_arguments.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

enum class NmsOp { kFirst, kV2, kV3, kV4, kV5, kOverlaps };

template <NmsOp kOp>
class NmsKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<NmsKernel>();
    if (kOp == NmsOp::kFirst) {
      WB_ASSIGN_OR_RETURN(kernel->iou_threshold_, init.attr<float>("iou_threshold"));
    }
    kernel->is_padded_ = init.attrs.GetOr<bool>("pad_to_max_output_size", false);
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    constexpr bool kOverlaps = kOp == NmsOp::kOverlaps;
    WB_RETURN_IF_ERROR(CheckNmsInputs(ctx, kOverlaps));
    WB_ASSIGN_OR_RETURN(const NmsThresholds thresholds,
                        ReadNmsThresholds(ctx, iou_threshold_, kOverlaps));
    return DispatchTypes<float, Half>(ctx.input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Select<T>(ctx, thresholds);
    });
  }

 private:
  template <class T>
  Status Select(KernelContext& ctx, const NmsThresholds& t) const {
    const int64_t n = ctx.input(0).dim(0);
    const int64_t count = ctx.input(2).scalar<int32_t>();
    const SelectionLimits<T> limits{count, T(t.overlap), T(t.score), T(t.sigma)};
    const Span<const T> scores = ctx.input(1).flat<T>();
    const T* boxes = ctx.input(0).data<T>();
    std::vector<SelectedBox<T>> selected;
    if (kOp == NmsOp::kOverlaps) {
      selected =
          SelectBoxes<T>(scores, limits, [&](int64_t i, int64_t j) { return boxes[i * n + j]; });
    } else {
      selected = SelectBoxes<T>(scores, limits, BoxOverlap<T>{boxes});
    }
    const int64_t found = static_cast<int64_t>(selected.size());
    const Shape shape({is_padded_ ? count : found});
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, shape));
    for (int64_t i = 0; i < shape.dim(0); ++i) {
      indices->data<int32_t>()[i] =
          i < found ? static_cast<int32_t>(selected[static_cast<size_t>(i)].box) : 0;
    }
    if (kOp == NmsOp::kV5) {
      WB_ASSIGN_OR_RETURN(Tensor * kept, ctx.Allocate(1, shape));
      for (int64_t i = 0; i < shape.dim(0); ++i) {
        kept->data<T>()[i] = i < found ? selected[static_cast<size_t>(i)].score : T(0);
      }
    }
    if (kOp == NmsOp::kV4 || kOp == NmsOp::kV5) {
      WB_ASSIGN_OR_RETURN(Tensor * valid, ctx.Allocate(kOp == NmsOp::kV4 ? 1 : 2, Shape()));
      *valid->data<int32_t>() = static_cast<int32_t>(found);
    }
    return OkStatus();
  }

  float iou_threshold_ = 0.5f;
  bool is_padded_ = false;
};

Status NmsShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 1));
  for (int i = 2; i < c.num_inputs(); ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  WB_RETURN_IF_ERROR(PartialShape::Merge(PartialShape({boxes.dim(0)}), scores).status());
  WB_RETURN_IF_ERROR(PartialShape::Merge(boxes, PartialShape({-1, 4})).status());
  c.set_output(0, PartialShape({-1}));
  return OkStatus();
}
Status NmsWithOverlapsShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape overlaps, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 1));
  for (int i = 2; i < c.num_inputs(); ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  WB_RETURN_IF_ERROR(PartialShape::Merge(PartialShape({overlaps.dim(0)}), scores).status());
  c.set_output(0, PartialShape({-1}));
  return OkStatus();
}
// With the number of boxes found as the last output; lists are as long as asked for when padded.
Status PaddedNmsShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(NmsShape(c));
  WB_ASSIGN_OR_RETURN(const bool is_padded, c.attr<bool>("pad_to_max_output_size"));
  int64_t length = -1;
  if (is_padded) {
    if (const std::optional<int64_t> known = c.ConstantScalar(2)) length = *known;
    if (length < -1) return InvalidArgument("max_output_size must be non-negative, got ", length);
  }
  for (int i = 0; i + 1 < c.num_outputs(); ++i) c.set_output(i, PartialShape({length}));
  c.set_output(c.num_outputs() - 1, PartialShape(Shape()));
  return OkStatus();
}

constexpr TypeSet kNmsTypes = {DType::kFloat, DType::kHalf};
constexpr TypeSet kNmsGpuTypes = {DType::kFloat};

WB_OP("NonMaxSuppression")
    .Input("boxes: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Output("selected_indices: int32")
    .Attr("iou_threshold: float = 0.5")
    .Shape(NmsShape);
WB_KERNEL("NonMaxSuppression", NmsKernel<NmsOp::kFirst>).Cpu();
WB_NO_GRADIENT("NonMaxSuppression");

WB_OP("NonMaxSuppressionV2")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .Shape(NmsShape);
WB_KERNEL("NonMaxSuppressionV2", NmsKernel<NmsOp::kV2>)
    .Cpu({{"T", kNmsTypes}})
    .Gpu({{"T", kNmsGpuTypes}})
    .HostMemory({"iou_threshold", "max_output_size"});
WB_NO_GRADIENT("NonMaxSuppressionV2");

WB_OP("NonMaxSuppressionV3")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .Shape(NmsShape);
WB_KERNEL("NonMaxSuppressionV3", NmsKernel<NmsOp::kV3>)
    .Cpu({{"T", kNmsTypes}})
    .Gpu({{"T", kNmsGpuTypes}})
    .HostMemory({"iou_threshold", "max_output_size", "score_threshold"});

WB_OP("NonMaxSuppressionV4")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T_threshold")
    .Input("score_threshold: T_threshold")
    .Output("selected_indices: int32")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("T_threshold: {half, float} = DT_FLOAT")
    .Attr("pad_to_max_output_size: bool = false")
    .Shape(PaddedNmsShape);
WB_KERNEL("NonMaxSuppressionV4", NmsKernel<NmsOp::kV4>)
    .Cpu({{"T", kNmsTypes}})
    .Gpu({{"T", kNmsGpuTypes}})
    .HostMemory({"iou_threshold", "max_output_size", "score_threshold"});

WB_OP("NonMaxSuppressionV5")
    .Input("boxes: T")
    .Input("scores: T")
    .Input("max_output_size: int32")
    .Input("iou_threshold: T")
    .Input("score_threshold: T")
    .Input("soft_nms_sigma: T")
    .Output("selected_indices: int32")
    .Output("selected_scores: T")
    .Output("valid_outputs: int32")
    .Attr("T: {half, float} = DT_FLOAT")
    .Attr("pad_to_max_output_size: bool = false")
    .Shape(PaddedNmsShape);
WB_KERNEL("NonMaxSuppressionV5", NmsKernel<NmsOp::kV5>).Cpu({{"T", kNmsTypes}});

WB_OP("NonMaxSuppressionWithOverlaps")
    .Input("overlaps: float")
    .Input("scores: float")
    .Input("max_output_size: int32")
    .Input("overlap_threshold: float")
    .Input("score_threshold: float")
    .Output("selected_indices: int32")
    .Shape(NmsWithOverlapsShape);
WB_KERNEL("NonMaxSuppressionWithOverlaps", NmsKernel<NmsOp::kOverlaps>).Cpu();
WB_NO_GRADIENT("NonMaxSuppressionWithOverlaps");

}  // namespace
}  // namespace warpbeam
