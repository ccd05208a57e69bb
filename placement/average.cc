#include "placement/average.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/constant_node.h"
#include "placement/liveness.h"

namespace warpbeam {
namespace {

class AverageFinder {
 public:
  AverageFinder(const Graph& graph, const PlanBounds& bounds, const Consumers& consumers)
      : graph_(graph),
        bounds_(bounds),
        consumers_(consumers),
        liveness_(graph, bounds.kept, bounds.feeds),
        kept_(graph.num_nodes(), false),
        fed_(bounds.feeds.begin(), bounds.feeds.end()) {
    for (NodeId id : bounds.kept) kept_[id] = true;
    for (NodeId id : bounds.targets) visible_.insert(id);
    for (OutputRef fetch : bounds.fetches) visible_.insert(fetch.node);
    for (OutputRef feed : bounds.feeds) visible_.insert(feed.node);
  }

  std::vector<AverageMatch> Run() {
    for (NodeId id : bounds_.kept) {
      const Node& node = graph_.node(id);
      AverageMatch match;
      if (!Recognise(node, &match) || !Sound(node, match)) continue;
      match.result = id;
      match.updates = Updates(id);
      matches_.push_back(std::move(match));
    }
    DropConstants();
    for (AverageMatch& match : matches_) CollectControls(&match);
    return std::move(matches_);
  }

 private:
  bool Recognise(const Node& node, AverageMatch* match) const;
  bool RecogniseMean(const Node& mean, AverageMatch* match) const;
  bool RecogniseConcat(const Node& concat, AverageMatch* match) const;
  bool RecogniseScaledSum(const Node& node, AverageMatch* match) const;
  bool Sound(const Node& result, const AverageMatch& match);
  bool LiveControls(const Node& node);
  NodeId Updates(NodeId result) const;
  void DropConstants();
  void CollectControls(AverageMatch* match) const;

  // The node that makes `output`, when nobody but one input reads it and nothing shows it.
  const Node* Inner(OutputRef output) const;
  // The tensor of a Const node that is not fed.
  std::optional<Tensor> Constant(OutputRef output) const;
  // Whether `output` is the constant axis 0 of something of `rank` (-1: not known).
  bool IsAxisZero(OutputRef output, int rank) const;

  const Graph& graph_;
  const PlanBounds& bounds_;
  const Consumers& consumers_;
  Liveness liveness_;
  std::vector<bool> kept_;
  const absl::flat_hash_set<OutputRef> fed_;
  absl::flat_hash_set<NodeId> visible_;  // fed, fetched or a target
  absl::flat_hash_set<NodeId> gone_;     // what no match leaves running
  std::vector<AverageMatch> matches_;
};

const Node* AverageFinder::Inner(OutputRef output) const {
  if (output.node == kNoNode || !kept_[output.node] || visible_.contains(output.node)) {
    return nullptr;
  }
  // No further than to a second one: each of many readers may ask.
  int uses = 0;
  for (const Consumers::Use& use : consumers_.of(output.node)) {
    if (kept_[use.node] && ++uses > 1) return nullptr;
  }
  return uses == 1 ? &graph_.node(output.node) : nullptr;
}

std::optional<Tensor> AverageFinder::Constant(OutputRef output) const {
  if (output.node == kNoNode || fed_.contains(output)) return std::nullopt;
  const Tensor* value = ConstantTensor(graph_.node(output.node));
  return value == nullptr ? std::nullopt : std::make_optional(*value);
}

bool AverageFinder::IsAxisZero(OutputRef output, int rank) const {
  const std::optional<Tensor> axis = Constant(output);
  if (!axis || axis->num_elements() != 1 || axis->rank() > 1) return false;
  int64_t value = -1;
  if (axis->dtype() == DType::kInt32) {
    value = axis->scalar<int32_t>();
  } else if (axis->dtype() == DType::kInt64) {
    value = axis->scalar<int64_t>();
  } else {
    return false;
  }
  return value == 0 || (rank > 0 && value == -rank);
}

bool AverageFinder::Recognise(const Node& node, AverageMatch* match) const {
  if (!MayEndAverage(node.op())) return false;
  return node.op_name() == "Mean" ? RecogniseMean(node, match) : RecogniseScaledSum(node, match);
}

bool AverageFinder::RecogniseMean(const Node& mean, AverageMatch* match) const {
  if (mean.num_inputs() != 2 || mean.attrs().GetOr<bool>("keep_dims", false)) return false;
  if (!kFloatingTypes.contains(mean.output_type(0))) return false;
  const Node* stacked = Inner(mean.input(0));
  if (stacked == nullptr || !IsAxisZero(mean.input(1), stacked->output_shape(0).rank())) {
    return false;
  }
  match->replaced.push_back(stacked->id());
  if (stacked->op_name() == "Pack") {
    if (stacked->attrs().GetOr<int64_t>("axis", 0) != 0) return false;
    match->inputs = stacked->inputs();
  } else if (!RecogniseConcat(*stacked, match)) {
    return false;
  }
  match->scaling = AverageMatch::Scaling::kDivide;
  match->factor = static_cast<double>(match->inputs.size());
  return true;
}

bool AverageFinder::RecogniseConcat(const Node& concat, AverageMatch* match) const {
  const bool v2 = concat.op_name() == "ConcatV2";
  if ((!v2 && concat.op_name() != "Concat") || concat.num_inputs() < 2) return false;
  const int axis = v2 ? concat.num_inputs() - 1 : 0;
  if (!IsAxisZero(concat.input(axis), concat.output_shape(0).rank())) return false;
  for (int i = 0; i < concat.num_inputs(); ++i) {
    if (i == axis) continue;
    const Node* expand = Inner(concat.input(i));
    if (expand == nullptr || expand->op_name() != "ExpandDims") return false;
    if (!IsAxisZero(expand->input(1), expand->output_shape(0).rank())) return false;
    match->replaced.push_back(expand->id());
    match->inputs.push_back(expand->input(0));
  }
  return true;
}

bool AverageFinder::RecogniseScaledSum(const Node& node, AverageMatch* match) const {
  const DType type = node.output_type(0);
  if (type != DType::kFloat && type != DType::kDouble) return false;
  const bool multiplies = node.op_name() == "Mul";
  for (int sum : {0, 1}) {
    if (sum == 1 && !multiplies) return false;  // a division by the sum
    const std::optional<Tensor> factor = Constant(node.input(1 - sum));
    if (!factor || factor->rank() != 0 || factor->dtype() != type) continue;
    const Node* add = Inner(node.input(sum));
    if (add == nullptr || add->op_name() != "AddN") continue;
    match->replaced.push_back(add->id());
    match->inputs = add->inputs();
    match->scaling = multiplies ? AverageMatch::Scaling::kMultiply : AverageMatch::Scaling::kDivide;
    match->factor =
        type == DType::kFloat ? double{factor->scalar<float>()} : factor->scalar<double>();
    return static_cast<float>(match->factor) == match->factor;
  }
  return false;
}

// What all patterns have in common: equal known dtypes and shapes, and nothing that may be dead.
bool AverageFinder::Sound(const Node& result, const AverageMatch& match) {
  if (visible_.contains(result.id()) && fed_.contains({result.id(), 0})) return false;
  const PartialShape* shape = nullptr;
  for (OutputRef input : match.inputs) {
    const Node& producer = graph_.node(input.node);
    const DType type = producer.output_type(input.index);
    const PartialShape& own = producer.output_shape(input.index);
    if (type != result.output_type(0) || !own.IsFullyDefined()) return false;  // also references
    if (shape != nullptr && *shape != own) return false;
    shape = &own;
    if (liveness_.MayBeDead(input)) return false;
  }
  if (!LiveControls(result)) return false;
  for (NodeId replaced : match.replaced) {
    if (!LiveControls(graph_.node(replaced))) return false;
  }
  return shape != nullptr;
}

bool AverageFinder::LiveControls(const Node& node) {
  for (NodeId control : node.control_inputs()) {
    if (liveness_.MayBeDead(control)) return false;
  }
  for (OutputRef input : node.inputs()) {  // constants bring control inputs of their own
    if (liveness_.MayBeDead(input)) return false;
  }
  return true;
}

NodeId AverageFinder::Updates(NodeId result) const {
  NodeId reader = kNoNode;
  for (const Consumers::Use& use : consumers_.of(result)) {
    if (!kept_[use.node] || use.input < 0) continue;
    if (reader != kNoNode) return kNoNode;
    reader = use.node;
  }
  if (reader == kNoNode) return kNoNode;
  for (DType type : graph_.node(reader).input_types()) {
    if (IsRef(type) || type == DType::kResource) return reader;
  }
  return kNoNode;
}

// The axes and factors that now nobody reads. One may serve several matches.
void AverageFinder::DropConstants() {
  absl::flat_hash_set<NodeId> inputs;   // of the matches
  absl::flat_hash_set<NodeId> results;  // run, but without their former inputs
  for (const AverageMatch& match : matches_) {
    gone_.insert(match.replaced.begin(), match.replaced.end());
    results.insert(match.result);
    for (OutputRef input : match.inputs) inputs.insert(input.node);
  }
  auto unread = [&](NodeId constant) {
    if (!kept_[constant] || visible_.contains(constant) || inputs.contains(constant)) return false;
    for (const Consumers::Use& use : consumers_.of(constant)) {
      if (!kept_[use.node] || gone_.contains(use.node)) continue;
      if (use.input < 0 || !results.contains(use.node)) return false;
    }
    return true;
  };
  for (AverageMatch& match : matches_) {
    std::vector<NodeId> readers = match.replaced;
    readers.push_back(match.result);
    for (NodeId reader : readers) {
      for (OutputRef input : graph_.node(reader).inputs()) {
        auto& replaced = match.replaced;
        if (!Constant(input) || !unread(input.node) ||
            std::find(replaced.begin(), replaced.end(), input.node) != replaced.end()) {
          continue;
        }
        replaced.push_back(input.node);
      }
    }
  }
  for (const AverageMatch& match : matches_) {
    gone_.insert(match.replaced.begin(), match.replaced.end());
  }
}

// Through dropped constants to what does run.
void AverageFinder::CollectControls(AverageMatch* match) const {
  absl::flat_hash_set<NodeId> seen(match->replaced.begin(), match->replaced.end());
  for (NodeId own : graph_.node(match->result).control_inputs()) {
    if (!gone_.contains(own)) seen.insert(own);
  }
  std::vector<NodeId> open = match->replaced;
  open.push_back(match->result);
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    for (NodeId control : graph_.node(node).control_inputs()) {
      if (!kept_[control] || !seen.insert(control).second) continue;
      if (gone_.contains(control)) {
        open.push_back(control);
      } else {
        match->control_inputs.push_back(control);
      }
    }
  }
}

}  // namespace

bool MayEndAverage(const OpSchema& op) {
  return op.name == "Mean" || op.name == "RealDiv" || op.name == "Div" || op.name == "Mul";
}

std::vector<AverageMatch> FindAverages(const Graph& graph, const PlanBounds& bounds,
                                       const Consumers& consumers) {
  return AverageFinder(graph, bounds, consumers).Run();
}

}  // namespace warpbeam
