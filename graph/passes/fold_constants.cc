#include "graph/passes/fold_constants.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/abandonment.h"
#include "graph/passes/constant_node.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

class Folder {
 public:
  Folder(GraphPart* part, const Evaluator& evaluate, const FoldLimits& limits)
      : part_(part), evaluate_(evaluate), limits_(limits) {
    for (const OutputRef feed : part->feeds) fed_.insert(feed.node);
  }

  Status Run() {
    WB_ASSIGN_OR_RETURN(const GraphPart::Order order, part_->Ordered());
    follows_feeds_ = part_->ShapesFollowFeeds(*order);
    for (const NodeId id : *order) {
      const Node& node = part_->graph->node(id);
      if (fed_.contains(id)) continue;
      WB_RETURN_IF_ERROR(CheckStillWanted());
      if (const Tensor* value = ConstantTensor(node)) {
        values_[id] = {*value};
        continue;
      }
      std::vector<Tensor> results = ShapeValues(node);
      const bool from_shape = !results.empty();
      if (!from_shape) results = Evaluate(node);
      if (results.empty()) continue;
      NoteWaits(node, from_shape);
      folded_.push_back(id);
      values_[id] = std::move(results);
    }
    return ReplaceRead(*order);
  }

 private:
  static int64_t Bytes(const std::vector<Tensor>& tensors) {
    int64_t sum = 0;
    for (const Tensor& t : tensors) sum += static_cast<int64_t>(t.bytes());
    return sum;
  }

  static bool MayFold(const Node& node) {
    if (node.num_inputs() == 0 || node.num_outputs() == 0 || node.op().is_stateful ||
        IsControlFlow(node)) {
      return false;
    }
    for (const DType type : node.output_types()) {
      if (!IsPlainData(type) || IsRef(type)) return false;
    }
    for (const auto& [name, value] : node.attrs()) {
      const AttrValue::Kind kind = value.kind();
      if (kind == AttrValue::Kind::kFunction || kind == AttrValue::Kind::kFunctionList) {
        return false;
      }
    }
    return true;
  }

  // What a known shape answers.
  std::vector<Tensor> ShapeValues(const Node& node) const {
    const std::string& op = node.op_name();
    if (!node.op().reads_shapes_only) return {};
    if (follows_feeds_[node.id()]) return {};
    std::vector<Tensor> values;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (in.node == kNoNode) return {};
      // Of what has been folded more may be known than the graph says.
      const auto known = values_.find(in.node);
      const PartialShape shape = known != values_.end()
                                     ? PartialShape(known->second[in.index].shape())
                                     : part_->graph->node(in.node).output_shape(in.index);
      if (!shape.IsFullyDefined()) return {};
      std::vector<int64_t> dims;
      for (int d = 0; d < shape.rank(); ++d) dims.push_back(shape.dim(d));
      const bool wide = node.output_type(i) == DType::kInt64;
      if (op == "Rank") {
        values.push_back(Tensor::Scalar<int32_t>(shape.rank()));
      } else if (op == "Size") {
        const int64_t size = shape.num_elements();
        values.push_back(wide ? Tensor::Scalar<int64_t>(size)
                              : Tensor::Scalar<int32_t>(static_cast<int32_t>(size)));
        if (!wide && size > INT32_MAX) return {};
      } else if (wide) {
        values.push_back(Tensor::Vector<int64_t>(dims));
      } else {
        std::vector<int32_t> narrow(dims.begin(), dims.end());
        if (!std::equal(dims.begin(), dims.end(), narrow.begin())) return {};
        values.push_back(Tensor::Vector<int32_t>(narrow));
      }
    }
    return values;
  }

  std::vector<Tensor> Evaluate(const Node& node) {
    if (!MayFold(node)) return {};
    std::vector<Tensor> inputs;
    for (const OutputRef in : node.inputs()) {
      const auto found = values_.find(in.node);
      if (found == values_.end()) return {};
      inputs.push_back(found->second[in.index]);
    }
    const int64_t before = Bytes(inputs);
    int64_t expected = 0;
    for (int o = 0; o < node.num_outputs(); ++o) {
      const int64_t count = node.output_shape(o).num_elements();
      if (count > limits_.most_bytes) return {};
      expected +=
          std::max<int64_t>(0, count) * static_cast<int64_t>(DTypeSize(node.output_type(o)));
    }
    if (before + expected > limits_.most_bytes || used_ > limits_.all_bytes ||
        expected > std::max(before, limits_.free_bytes)) {
      return {};
    }
    StatusOr<std::vector<Tensor>> results = evaluate_(node, inputs);
    if (!results.ok() || static_cast<int>(results->size()) != node.num_outputs()) return {};
    const int64_t after = Bytes(*results);
    used_ += before + after;
    if (after > std::max(before, limits_.free_bytes)) return {};
    return *std::move(results);
  }

  // The constant waits for what the node and its constant inputs waited for, so that it is there,
  // or dead, when they would have been. Where that is much, it waits for the input itself: in a
  // long chain each constant would wait for what all before it waited for.
  void NoteWaits(const Node& node, bool from_shape) {
    std::vector<NodeId> waits = node.control_inputs();
    for (const OutputRef in : node.inputs()) {
      const std::vector<NodeId>& more = WaitsOf(in.node);
      if (from_shape || more.size() > Redirects::kFew) {
        waits.push_back(in.node);
      } else {
        waits.insert(waits.end(), more.begin(), more.end());
      }
    }
    if (waits.empty()) return;
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    waits_[node.id()] = std::move(waits);
  }
  const std::vector<NodeId>& WaitsOf(NodeId id) const {
    const auto found = waits_.find(id);
    return found != waits_.end() ? found->second : part_->graph->node(id).control_inputs();
  }

  // Replaces the folded nodes that somebody still sees: who is read by folded nodes alone goes away
  // with the part's next pruning, and need not become a constant before.
  Status ReplaceRead(const std::vector<NodeId>& order) {
    std::vector<bool> is_folded(part_->graph->num_nodes(), false);
    std::vector<bool> is_read(part_->graph->num_nodes(), false);
    for (const NodeId id : folded_) is_folded[id] = true;
    for (const OutputRef fetch : part_->fetches) is_read[fetch.node] = true;
    for (const NodeId target : part_->targets) is_read[target] = true;
    for (const NodeId id : order) {
      if (is_folded[id]) continue;
      const Node& node = part_->graph->node(id);
      for (const OutputRef in : node.inputs()) {
        if (in.node != kNoNode) is_read[in.node] = true;
      }
      for (const NodeId control : node.control_inputs()) is_read[control] = true;
    }
    // Whom a constant waits for comes before it.
    std::vector<NodeId> read;
    for (auto id = folded_.rbegin(); id != folded_.rend(); ++id) {
      if (!is_read[*id]) continue;
      read.push_back(*id);
      for (const NodeId wait : WaitsOf(*id)) is_read[wait] = true;
    }
    for (auto id = read.rbegin(); id != read.rend(); ++id) {
      WB_RETURN_IF_ERROR(Replace(*id, values_[*id]));
    }
    return OkStatus();
  }

  Status Replace(NodeId id, const std::vector<Tensor>& values) {
    std::vector<NodeId> waits = WaitsOf(id);
    NodeSpec spec;
    spec.op = values.size() == 1 ? "Const" : "_Constants";
    std::vector<PartialShape> shapes;
    std::vector<DType> types;
    for (const Tensor& value : values) {
      shapes.emplace_back(value.shape());
      types.push_back(value.dtype());
    }
    if (values.size() == 1) {
      spec.attrs.Set("value", values[0]);
      spec.attrs.Set("dtype", values[0].dtype());
    } else {
      spec.attrs.Set("values", values);
      spec.attrs.Set("Tout", types);
    }
    return part_->Edit().ReplaceNode(id, std::move(spec), {}, std::move(waits), std::move(shapes));
  }

  GraphPart* const part_;
  const Evaluator& evaluate_;
  const FoldLimits& limits_;
  absl::flat_hash_set<NodeId> fed_;
  std::vector<bool> follows_feeds_;
  absl::flat_hash_map<NodeId, std::vector<Tensor>> values_;  // of constants
  std::vector<NodeId> folded_;                               // in the order
  absl::flat_hash_map<NodeId, std::vector<NodeId>> waits_;   // of folded nodes that wait at all
  int64_t used_ = 0;
};

}  // namespace

Status FoldConstants(GraphPart* part, const Evaluator& evaluate, const FoldLimits& limits) {
  const bool any = part->HasOp(
      [](const OpSchema& op) { return op.role == OpRole::kConstant || op.reads_shapes_only; });
  if (!any) return OkStatus();
  return Folder(part, evaluate, limits).Run();
}

}  // namespace warpbeam
