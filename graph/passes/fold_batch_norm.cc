#include "graph/passes/fold_batch_norm.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/constant_node.h"
#include "graph/passes/rewrite_rule.h"

namespace warpbeam {
namespace {

constexpr absl::string_view kBatchNorms[] = {"FusedBatchNorm", "FusedBatchNormV2",
                                             "FusedBatchNormV3"};
constexpr absl::string_view kConvolutions[] = {"Conv2D", "Conv3D", "DepthwiseConv2dNative"};

bool IsChannelsLast(const Node& node) {
  const std::string format = node.attrs().GetOr<std::string>("data_format", "NHWC");
  return format == "NHWC" || format == "NDHWC";
}

// The value of a constant of floats that is not fed.
const Tensor* Constant(const RewriteMatch& match, OutputRef r) {
  if (r.node == kNoNode || match.bounds.IsFed(r.node)) return nullptr;
  const Tensor* value = ConstantTensor(match.graph.node(r.node));
  return value != nullptr && value->dtype() == DType::kFloat ? value : nullptr;
}

const Tensor* Filter(const RewriteMatch& match) {
  const Tensor* filter = Constant(match, match.inner_node().input(1));
  return filter != nullptr && filter->rank() >= 2 ? filter : nullptr;
}

// What the normalisation multiplies each channel with and adds to it.
struct Affine {
  std::vector<float> factor, shift;
};

// Nothing where it is not known or not finite.
std::optional<Affine> AffineOf(const RewriteMatch& match) {
  const Tensor* filter = Filter(match);
  if (filter == nullptr) return std::nullopt;
  // The channels of a depthwise convolution are its filter's last two dimensions.
  const int rank = filter->rank();
  const bool is_depthwise = match.inner_node().op_name() == "DepthwiseConv2dNative";
  const int64_t channels = filter->dim(rank - 1) * (is_depthwise ? filter->dim(rank - 2) : 1);
  const Tensor* vectors[4];  // scale, offset, mean, variance
  for (int i = 0; i < 4; ++i) {
    vectors[i] = Constant(match, match.outer_node().input(i + 1));
    if (vectors[i] == nullptr || vectors[i]->rank() != 1 || vectors[i]->dim(0) != channels) {
      return std::nullopt;
    }
  }
  const auto [scale, offset, mean, variance] = vectors;
  const float epsilon = match.outer_node().attrs().GetOr<float>("epsilon", 0.0001f);
  Affine affine;
  for (int64_t c = 0; c < channels; ++c) {
    const float factor = scale->data<float>()[c] / std::sqrt(variance->data<float>()[c] + epsilon);
    affine.factor.push_back(factor);
    affine.shift.push_back(offset->data<float>()[c] - mean->data<float>()[c] * factor);
    if (!std::isfinite(factor) || !std::isfinite(affine.shift.back())) return std::nullopt;
  }
  return affine;
}

// Whether somebody reads the batch's statistics.
bool IsReadBeyondFirst(const RewriteMatch& match) {
  const auto uses = match.consumers.of(match.outer);
  return match.bounds.IsFetchedBeyondFirst(match.outer) ||
         std::any_of(uses.begin(), uses.end(), [&](const Consumers::Use& use) {
           return use.output > 0 && match.bounds.Runs(use.node);
         });
}

bool MayFold(const RewriteMatch& match) {
  const Node &norm = match.outer_node(), &conv = match.inner_node();
  if (norm.attrs().GetOr<bool>("is_training", true) || !IsChannelsLast(norm) ||
      norm.output_type(0) != DType::kFloat || !IsChannelsLast(conv) ||
      conv.output_type(0) != DType::kFloat || IsReadBeyondFirst(match)) {
    return false;
  }
  return match.IsOnlyFor(conv.input(1).node, conv.id(), 1) &&
         match.IsOnlyFor(norm.input(2).node, norm.id(), 2) && AffineOf(match).has_value();
}

Status ReplaceConstant(NodeId id, Tensor value, GraphPart* part) {
  NodeSpec spec;
  spec.op = "Const";
  spec.attrs.Set("dtype", value.dtype());
  const PartialShape shape(value.shape());
  spec.attrs.Set("value", std::move(value));
  std::vector<NodeId> controls = part->graph->node(id).control_inputs();
  return part->Edit().ReplaceNode(id, std::move(spec), {}, std::move(controls), {shape});
}

Status Fold(const RewriteMatch& match, GraphPart* part) {
  const Node &norm = match.outer_node(), &conv = match.inner_node();
  const Affine affine = *AffineOf(match);
  const Tensor& filter = *Filter(match);
  WB_ASSIGN_OR_RETURN(Tensor scaled, Tensor::Allocate(DType::kFloat, filter.shape()));
  for (int64_t i = 0; i < filter.num_elements(); ++i) {
    scaled.data<float>()[i] = filter.data<float>()[i] * affine.factor[i % affine.factor.size()];
  }
  absl::StrAppend(&part->notes, "# ", norm.name(), " is in the filter of ", conv.name(), "\n");
  WB_RETURN_IF_ERROR(ReplaceConstant(conv.input(1).node, std::move(scaled), part));
  WB_RETURN_IF_ERROR(
      ReplaceConstant(norm.input(2).node, Tensor::Vector<float>(affine.shift), part));
  NodeSpec spec;
  spec.op = "BiasAdd";
  spec.attrs.Set("T", DType::kFloat);
  spec.attrs.Set("data_format", std::string("NHWC"));
  std::vector<NodeId> controls = norm.control_inputs();
  for (int i = 1; i < norm.num_inputs(); ++i) {
    const auto& more = match.graph.node(norm.input(i).node).control_inputs();
    controls.insert(controls.end(), more.begin(), more.end());
  }
  const PartialShape shape = norm.output_shape(0);
  return part->Edit().ReplaceNode(norm.id(), std::move(spec), {norm.input(0), norm.input(2)},
                                  std::move(controls), {shape});
}

RewriteRule FoldBatchNormRule() {
  RewriteRule rule;
  rule.outer = kBatchNorms;
  rule.inner = kConvolutions;
  rule.guard = MayFold;
  rule.replace = Fold;
  return rule;
}

}  // namespace

Status FoldBatchNorm(GraphPart* part) {
  if (part->graph->ops().Find("BiasAdd") == nullptr) return OkStatus();
  return Rewrite(FoldBatchNormRule(), part);
}

}  // namespace warpbeam
