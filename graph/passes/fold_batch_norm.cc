#include "graph/passes/fold_batch_norm.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/constant_node.h"

namespace warpbeam {
namespace {

bool IsBatchNorm(const std::string& op) {
  return op == "FusedBatchNorm" || op == "FusedBatchNormV2" || op == "FusedBatchNormV3";
}
bool IsConvolution(const std::string& op) {
  return op == "Conv2D" || op == "Conv3D" || op == "DepthwiseConv2dNative";
}
bool IsChannelsLast(const Node& node) {
  const std::string format = node.attrs().GetOr<std::string>("data_format", "NHWC");
  return format == "NHWC" || format == "NDHWC";
}

class BatchNormFolder {
 public:
  explicit BatchNormFolder(GraphPart* part)
      : part_(part),
        kept_graph_(part->graph),
        graph_(*kept_graph_),
        consumers_(part->consumers()),
        kept_(graph_.num_nodes(), false) {
    for (const NodeId id : part->nodes) kept_[id] = true;
    for (const OutputRef feed : part->feeds) fed_.insert(feed.node);
    for (const OutputRef fetch : part->fetches) fetched_.insert(fetch);
    for (const NodeId target : part->targets) targets_.insert(target);
  }

  absl::Status Run() {
    for (const NodeId id : std::vector<NodeId>(part_->nodes)) {
      const Node& norm = graph_.node(id);
      if (IsBatchNorm(norm.op_name()) && MayFold(norm)) WB_RETURN_IF_ERROR(Fold(norm));
    }
    return absl::OkStatus();
  }

 private:
  // Whether the node is read by `reader` alone, once, and by nobody else.
  bool IsOnlyFor(NodeId id, NodeId reader) const {
    if (fed_.contains(id) || targets_.contains(id) || fetched_.contains(OutputRef{id, 0})) {
      return false;
    }
    int uses = 0;
    for (const Consumers::Use& use : consumers_->of(id)) {
      if (!kept_[use.node]) continue;
      if (use.node != reader || use.input < 0) return false;
      ++uses;
    }
    return uses == 1;
  }

  const Tensor* Vector(OutputRef r, int64_t size) const {
    if (r.node == kNoNode || fed_.contains(r.node)) return nullptr;
    const Tensor* t = ConstantTensor(graph_.node(r.node));
    const bool fits =
        t != nullptr && t->dtype() == DType::kFloat && t->rank() == 1 && t->dim(0) == size;
    return fits ? t : nullptr;
  }

  bool MayFold(const Node& norm) const {
    if (fed_.contains(norm.id()) || norm.attrs().GetOr<bool>("is_training", true) ||
        !IsChannelsLast(norm) || norm.output_type(0) != DType::kFloat) {
      return false;
    }
    for (int o = 1; o < norm.num_outputs(); ++o) {
      if (fetched_.contains(OutputRef{norm.id(), o})) return false;
    }
    for (const Consumers::Use& use : consumers_->of(norm.id())) {
      if (kept_[use.node] && use.output > 0) return false;
    }
    const Node& conv = graph_.node(norm.input(0).node);
    if (!IsConvolution(conv.op_name()) || !IsChannelsLast(conv) ||
        !IsOnlyFor(conv.id(), norm.id()) || conv.output_type(0) != DType::kFloat) {
      return false;
    }
    const NodeId filter = conv.input(1).node, offset = norm.input(2).node;
    return ConstantTensor(graph_.node(filter)) != nullptr && IsOnlyFor(filter, conv.id()) &&
           IsOnlyFor(offset, norm.id());
  }

  absl::Status Fold(const Node& norm) {
    const Node& conv = graph_.node(norm.input(0).node);
    const Tensor& filter = *ConstantTensor(graph_.node(conv.input(1).node));
    const int rank = filter.rank();
    if (rank < 2 || filter.dtype() != DType::kFloat) return absl::OkStatus();
    // The channels of a depthwise convolution are its filter's last two dimensions.
    const bool depthwise = conv.op_name() == "DepthwiseConv2dNative";
    const int64_t channels = filter.dim(rank - 1) * (depthwise ? filter.dim(rank - 2) : 1);
    const Tensor *scale = Vector(norm.input(1), channels),
                 *offset = Vector(norm.input(2), channels), *mean = Vector(norm.input(3), channels),
                 *variance = Vector(norm.input(4), channels);
    if (scale == nullptr || offset == nullptr || mean == nullptr || variance == nullptr) {
      return absl::OkStatus();
    }
    const float epsilon = norm.attrs().GetOr<float>("epsilon", 0.0001f);
    std::vector<float> factor(channels), shift(channels);
    for (int64_t c = 0; c < channels; ++c) {
      factor[c] = scale->data<float>()[c] / std::sqrt(variance->data<float>()[c] + epsilon);
      shift[c] = offset->data<float>()[c] - mean->data<float>()[c] * factor[c];
      if (!std::isfinite(factor[c]) || !std::isfinite(shift[c])) return absl::OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor scaled, Tensor::Allocate(DType::kFloat, filter.shape()));
    for (int64_t i = 0; i < filter.num_elements(); ++i) {
      scaled.data<float>()[i] = filter.data<float>()[i] * factor[i % channels];
    }
    absl::StrAppend(&part_->notes, "# ", norm.name(), " is in the filter of ", conv.name(), "\n");
    WB_RETURN_IF_ERROR(ReplaceConstant(conv.input(1).node, std::move(scaled)));
    WB_RETURN_IF_ERROR(ReplaceConstant(norm.input(2).node, Tensor::Vector<float>(shift)));
    NodeSpec spec;
    spec.op = "BiasAdd";
    spec.attrs.Set("T", DType::kFloat);
    spec.attrs.Set("data_format", std::string("NHWC"));
    std::vector<NodeId> controls = norm.control_inputs();
    for (int i = 1; i < norm.num_inputs(); ++i) {
      const auto& more = graph_.node(norm.input(i).node).control_inputs();
      controls.insert(controls.end(), more.begin(), more.end());
    }
    const PartialShape shape = norm.output_shape(0);
    return part_->Edit().ReplaceNode(norm.id(), std::move(spec), {norm.input(0), norm.input(2)},
                                     std::move(controls), {shape});
  }

  absl::Status ReplaceConstant(NodeId id, Tensor value) {
    NodeSpec spec;
    spec.op = "Const";
    spec.attrs.Set("dtype", value.dtype());
    const PartialShape shape(value.shape());
    spec.attrs.Set("value", std::move(value));
    return part_->Edit().ReplaceNode(id, std::move(spec), {}, graph_.node(id).control_inputs(),
                                     {shape});
  }

  GraphPart* const part_;
  const std::shared_ptr<const Graph> kept_graph_;
  const Graph& graph_;
  const std::shared_ptr<const Consumers> consumers_;
  std::vector<bool> kept_;
  absl::flat_hash_set<NodeId> fed_;
  absl::flat_hash_set<OutputRef> fetched_;
  absl::flat_hash_set<NodeId> targets_;
};

}  // namespace

absl::Status FoldBatchNorm(GraphPart* part) {
  if (part->graph->ops().Find("BiasAdd") == nullptr) return absl::OkStatus();
  if (!part->HasOp([](const OpSchema& op) { return IsBatchNorm(op.name); })) {
    return absl::OkStatus();
  }
  part->Fork();
  return BatchNormFolder(part).Run();
}

}  // namespace warpbeam
