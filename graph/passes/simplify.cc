#include "graph/passes/simplify.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "graph/node_roles.h"
#include "graph/passes/constant_node.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/redirects.h"
#include "graph/passes/regrouping.h"
#include "graph/types/span.h"

namespace warpbeam {
namespace {

bool HandsOn(const OpSchema& op) {
  return op.passes_on == PassOn::kValue || op.passes_on == PassOn::kDefault;
}

// What changes nothing: op(x, value) is x, and op(value, x) too where it is so on both sides.
struct NeutralElement {
  absl::string_view op;
  double value;
  bool on_both_sides = true;
  bool of_integers_only = false;
};
constexpr NeutralElement kNeutralElements[] = {
    {"Mul", 1},
    {"Add", -0.0},
    {"AddV2", -0.0},
    {"LogicalAnd", 1},
    {"LogicalOr", 0},
    {"BitwiseOr", 0},
    {"BitwiseXor", 0},
    // 0 - -0 would be 0, but -0 - 0 is -0: only a difference keeps every x.
    {"Sub", 0, false},
    {"RealDiv", 1, false},
    {"Div", 1, false},
    {"Pow", 1, false},
    {"FloorDiv", 1, false, true},
    {"TruncateDiv", 1, false, true},
};

// Bits of a number that matter: those of an integer, or of a float's mantissa.
struct Precision {
  int bits;
  bool is_signed;
  bool is_float;
};
std::optional<Precision> PrecisionOf(DType type) {
  switch (type) {
    case DType::kBool:
      return Precision{1, false, false};
    case DType::kUInt8:
      return Precision{8, false, false};
    case DType::kUInt16:
      return Precision{16, false, false};
    case DType::kUInt32:
      return Precision{32, false, false};
    case DType::kInt8:
      return Precision{7, true, false};
    case DType::kInt16:
      return Precision{15, true, false};
    case DType::kInt32:
      return Precision{31, true, false};
    case DType::kInt64:
      return Precision{63, true, false};
    case DType::kFloat:
      return Precision{24, true, true};
    case DType::kDouble:
      return Precision{53, true, true};
    default:
      return std::nullopt;
  }
}

// Whether every value of `from` is a value of `to`, so that it comes back whole.
bool Holds(DType to, DType from) {
  if (from == DType::kHalf || from == DType::kBFloat16) {
    return to == DType::kFloat || to == DType::kDouble;
  }
  const std::optional<Precision> a = PrecisionOf(from), b = PrecisionOf(to);
  return a.has_value() && b.has_value() && a->bits <= b->bits && a->is_signed <= b->is_signed &&
         a->is_float <= b->is_float;
}

class Simplifier {
 public:
  explicit Simplifier(GraphPart* part)
      : part_(part), graph_(*part->graph), redirects_(graph_), uses_(graph_.num_nodes(), 0) {
    for (const OutputRef feed : part->feeds) fed_.insert(feed.node);
    for (const OutputRef fetch : part->fetches) ++uses_[fetch.node];
    for (const NodeId id : part->nodes) {
      for (const NodeId c : graph_.node(id).control_inputs()) ++uses_[c];
    }
    has_control_flow_ = part->HasOp([](const OpSchema& op) { return IsControlFlow(op.role); });
    for (const NodeId target : part->targets) uses_[target] += 2;
  }

  Status Run() {
    WB_ASSIGN_OR_RETURN(const GraphPart::Order order, part_->Ordered());
    follows_feeds_ = part_->ShapesFollowFeeds(*order);
    for (const NodeId id : *order) {
      const Node& node = graph_.node(id);
      if (fed_.contains(id)) continue;
      if (node.op_name() == "NoOp") {
        const size_t inputs = node.control_inputs().size();
        if (inputs == 1 || (inputs > 1 && uses_[id] == 1)) {
          redirects_.Control(id, node.control_inputs());
        }
        continue;
      }
      waits_ = node.control_inputs();
      if (node.op_name() == "Unpack" && node.num_outputs() > 1) {
        HandOnPacked(node);
        continue;
      }
      const OutputRef source = StandIn(node);
      if (source.node != kNoNode) {
        HandOn(node, source);
      } else if (IsSquare(node)) {
        WB_RETURN_IF_ERROR(MakeSquare(node));
      }
    }
    return redirects_.Apply(part_);
  }

 private:
  // Ops whose result may be an earlier tensor, and how it is found.
  struct StandInRule {
    absl::string_view op;
    OutputRef (Simplifier::*find)(const Node& node);
  };
  static Span<const StandInRule> StandIns();

  // The node's only output is `source`.
  void HandOn(const Node& node, OutputRef source) {
    redirects_.Output({node.id(), 0}, source, waits_);
    waits_.push_back(source.node);
    redirects_.Control(node.id(), std::move(waits_));
  }

  // What is the same as the node's result, or nothing.
  OutputRef StandIn(const Node& node) {
    if (node.num_outputs() != 1 || node.num_inputs() == 0 || IsRef(node.output_type(0))) return {};
    if (RegroupedInputOf(node) >= 0) return BeforeRegrouping(node);
    if (HandsOn(node.op())) return Plain(node.input(0));
    for (const StandInRule& rule : StandIns()) {
      if (rule.op == node.op_name()) return (this->*rule.find)(node);
    }
    return WithoutNeutral(node);
  }

  // What stands for `r`, if it is plain; its readers then wait for what lies between.
  OutputRef Plain(OutputRef r) {
    const OutputRef to = redirects_.Resolve(r);
    return MayBeReadLater(graph_, to) && WaitAsReaderOf(r) ? to : OutputRef{};
  }

  // Adds what readers of `r` wait for besides what stands for it: the nodes, or, where they are
  // many, the node that was given up for them. False where that would be to wait for a feed's node.
  bool WaitAsReaderOf(OutputRef r) {
    const Span<const NodeId> waits = redirects_.Waits(r);
    if (waits.size() <= Redirects::kFew) {
      waits_.insert(waits_.end(), waits.begin(), waits.end());
      return true;
    }
    waits_.push_back(r.node);
    return !fed_.contains(redirects_.Resolve(r).node);
  }

  int RegroupedInputOf(const Node& node) const {
    return RegroupedInput(graph_, node, [this](OutputRef r) { return Ints(r); });
  }

  bool Regroups(const Node& node) const {
    const int input = RegroupedInputOf(node);
    if (input < 0) return false;
    const int64_t before = ShapeOf(node.input(input)).num_elements();
    return before >= 0 && before == node.output_shape(0).num_elements();
  }

  bool Waits(OutputRef r) const {
    return r.node == kNoNode || !graph_.node(r.node).control_inputs().empty();
  }

  const PartialShape& ShapeOf(OutputRef r) const {
    return graph_.node(r.node).output_shape(r.index);
  }

  // Whether the shape of the node's results is known, whatever is fed.
  bool IsSureOfShape(const Node& node) const {
    return node.output_shape(0).IsFullyDefined() && !follows_feeds_[node.id()];
  }

  // The first tensor of a chain of regroupings that has the node's shape.
  OutputRef BeforeRegrouping(const Node& node) {
    if (!IsSureOfShape(node) || node.output_type(0) == DType::kVariant) return {};
    OutputRef at{node.id(), 0};
    OutputRef best;
    constexpr int kLongest = 16;
    for (int i = 0; i < kLongest; ++i) {
      const Node& from = graph_.node(at.node);
      // What a chain's inner nodes, its shapes and axes wait for would be lost.
      if (!Regroups(from) || (i > 0 && (fed_.contains(at.node) || Waits(at)))) break;
      const int input = RegroupedInputOf(from);
      bool waits = false;
      for (int k = 0; k < from.num_inputs(); ++k) waits |= k != input && Waits(from.input(k));
      if (waits) break;
      at = redirects_.Resolve(from.input(input));
      if (!MayBeReadLater(graph_, at) || !redirects_.Waits(from.input(input)).empty()) break;
      if (ShapeOf(at) == node.output_shape(0)) best = at;
    }
    return best;
  }

  // The node that makes `r`, if it is of that op and nothing else depends on when it runs.
  const Node* MakerOf(OutputRef r, const std::string& op) const {
    r = redirects_.Resolve(r);
    if (r.node == kNoNode || fed_.contains(r.node)) return nullptr;
    const Node& maker = graph_.node(r.node);
    return maker.op_name() == op && maker.control_inputs().empty() ? &maker : nullptr;
  }

  OutputRef BeforePair(const Node& node) {
    const Node* inner = MakerOf(node.input(0), node.op_name());
    return inner == nullptr ? OutputRef{} : PlainThrough(node.input(0), inner->input(0));
  }

  // `Plain` of an inner node's input; `read` is how that node is reached.
  OutputRef PlainThrough(OutputRef read, OutputRef source) {
    return WaitAsReaderOf(read) ? Plain(source) : OutputRef{};
  }

  OutputRef BeforeCast(const Node& node) {
    const OutputRef x = node.input(0);
    const DType to = node.output_type(0);
    if (BaseType(node.input_type(0)) == to) return Plain(x);
    const Node* inner = MakerOf(x, "Cast");
    if (inner == nullptr || inner->input_type(0) != to || !Holds(node.input_type(0), to)) return {};
    return PlainThrough(x, inner->input(0));
  }

  OutputRef BeforeTransposes(const Node& node) {
    const auto second = Ints(node.input(1));
    if (!second.has_value() || !IsPermutation(*second) || !IsSureOfShape(node)) return {};
    const Node* inner = MakerOf(node.input(0), "Transpose");
    if (inner == nullptr) return {};
    const auto first = Ints(inner->input(1));
    if (!first.has_value() || first->size() != second->size() || !IsPermutation(*first)) return {};
    for (size_t i = 0; i < second->size(); ++i) {
      if ((*first)[(*second)[i]] != static_cast<int64_t>(i)) return {};
    }
    return PlainThrough(node.input(0), inner->input(0));
  }

  // Where a constant predicate chooses everything from one side of the result's shape. Whoever
  // reads it waits for the other side, too, as before; where that may be dead, nothing is done.
  OutputRef Chosen(const Node& node) {
    if (has_control_flow_) return {};
    const Tensor* predicate = Constant(node.input(0));
    if (predicate == nullptr || predicate->dtype() != DType::kBool ||
        predicate->num_elements() == 0 || !IsSureOfShape(node)) {
      return {};
    }
    const auto values = predicate->flat<bool>();
    const bool first = values[0];
    if (!std::all_of(values.begin(), values.end(), [&](bool v) { return v == first; })) return {};
    const OutputRef taken = node.input(first ? 1 : 2), other = node.input(first ? 2 : 1);
    if (taken.node == kNoNode || other.node == kNoNode || ShapeOf(taken) != node.output_shape(0)) {
      return {};
    }
    if (Constant(other) == nullptr) waits_.push_back(other.node);
    return Plain(taken);
  }

  // The tensor whose parts are put together again.
  OutputRef BeforeUnpack(const Node& node) {
    const Node* unpack = MakerOf(node.input(0), "Unpack");
    if (unpack == nullptr || unpack->num_outputs() != node.num_inputs() || !IsSureOfShape(node) ||
        unpack->attrs().GetOr<int64_t>("axis", 0) != node.attrs().GetOr<int64_t>("axis", 0) ||
        !(ShapeOf(unpack->input(0)) == node.output_shape(0))) {
      return {};
    }
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef part = node.input(i);
      if (redirects_.Resolve(part) != OutputRef{unpack->id(), i} ||
          !redirects_.Waits(part).empty()) {
        return {};
      }
    }
    return Plain(unpack->input(0));
  }

  // Unpack of a Pack: each output is what was packed. Its readers wait for all of that, as before.
  void HandOnPacked(const Node& node) {
    const Node* pack = MakerOf(node.input(0), "Pack");
    if (pack == nullptr || has_control_flow_ || pack->num_inputs() != node.num_outputs() ||
        !IsSureOfShape(*pack) ||
        pack->attrs().GetOr<int64_t>("axis", 0) != node.attrs().GetOr<int64_t>("axis", 0)) {
      return;
    }
    std::vector<OutputRef> parts;
    for (const OutputRef in : pack->inputs()) {
      parts.push_back(Plain(in));
      if (parts.back().node == kNoNode || !(ShapeOf(in) == node.output_shape(0))) return;
      if (Constant(in) == nullptr) waits_.push_back(parts.back().node);
    }
    std::sort(waits_.begin(), waits_.end());
    waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
    // One list for all outputs, which is that of the node.
    const std::vector<NodeId> waits = waits_.empty() ? waits_ : std::vector<NodeId>{node.id()};
    for (int i = 0; i < node.num_outputs(); ++i) {
      redirects_.Output({node.id(), i}, parts[i], waits);
    }
    if (waits_.empty()) waits_.push_back(parts[0].node);
    redirects_.Control(node.id(), std::move(waits_));
  }

  // The value of a constant that is not fed.
  const Tensor* Constant(OutputRef r) const {
    r = redirects_.Resolve(r);
    if (r.node == kNoNode || fed_.contains(r.node)) return nullptr;
    const Node& node = graph_.node(r.node);
    return node.control_inputs().empty() ? ConstantTensor(node) : nullptr;
  }

  std::optional<std::vector<int64_t>> Ints(OutputRef r) const {
    const Tensor* t = Constant(r);
    if (t == nullptr) return std::nullopt;
    if (t->dtype() == DType::kInt64) {
      return std::vector<int64_t>(t->flat<int64_t>().begin(), t->flat<int64_t>().end());
    }
    if (t->dtype() != DType::kInt32) return std::nullopt;
    return std::vector<int64_t>(t->flat<int32_t>().begin(), t->flat<int32_t>().end());
  }

  // The value of a scalar constant of a number type.
  std::optional<double> Scalar(OutputRef r) const {
    const Tensor* t = Constant(r);
    if (t == nullptr || t->rank() != 0) return std::nullopt;
    switch (t->dtype()) {
      case DType::kFloat:
        return static_cast<double>(t->scalar<float>());
      case DType::kDouble:
        return t->scalar<double>();
      case DType::kInt32:
        return t->scalar<int32_t>();
      case DType::kInt64:
        return static_cast<double>(t->scalar<int64_t>());
      case DType::kBool:
        return t->scalar<bool>() ? 1 : 0;
      default:
        return std::nullopt;
    }
  }
  // The sign of a zero counts: -0 + 0 is 0, so that only -0 adds nothing to every float.
  bool IsNeutral(OutputRef r, double neutral) const {
    const std::optional<double> value = Scalar(r);
    if (value != neutral) return false;
    return !kFloatingTypes.contains(Constant(r)->dtype()) ||
           std::signbit(*value) == std::signbit(neutral);
  }

  OutputRef WithoutNeutral(const Node& node) {
    if (node.num_inputs() != 2) return {};
    const bool is_integer = kIntegerTypes.contains(BaseType(node.output_type(0)));
    for (const NeutralElement& rule : kNeutralElements) {
      if (rule.op != node.op_name() || (rule.of_integers_only && !is_integer)) continue;
      if (IsNeutral(node.input(1), rule.value)) return Plain(node.input(0));
      if (rule.on_both_sides && IsNeutral(node.input(0), rule.value)) return Plain(node.input(1));
    }
    return {};
  }

  bool IsSquare(const Node& node) const {
    return node.op_name() == "Pow" && Scalar(node.input(1)) == 2 &&
           graph_.ops().Find("Square") != nullptr;
  }

  // x * x is rounded once, so it is at most as far from the true value.
  Status MakeSquare(const Node& node) {
    NodeSpec spec;
    spec.op = "Square";
    spec.attrs.Set("T", node.output_type(0));
    return part_->Edit().ReplaceNode(node.id(), std::move(spec), {node.input(0)},
                                     node.control_inputs(), {node.output_shape(0)});
  }

  GraphPart* const part_;
  const Graph& graph_;
  Redirects redirects_;
  std::vector<bool> follows_feeds_;
  std::vector<NodeId> waits_;  // what readers of the node at hand wait for, once it is gone
  std::vector<int> uses_;      // of control edges and bounds
  absl::flat_hash_set<NodeId> fed_;
  bool has_control_flow_ = false;
};

Span<const Simplifier::StandInRule> Simplifier::StandIns() {
  static constexpr StandInRule kRules[] = {
      {"Cast", &Simplifier::BeforeCast},
      // Twice is not at all.
      {"Neg", &Simplifier::BeforePair},
      {"LogicalNot", &Simplifier::BeforePair},
      {"Invert", &Simplifier::BeforePair},
      {"Conj", &Simplifier::BeforePair},
      {"Transpose", &Simplifier::BeforeTransposes},
      {"Select", &Simplifier::Chosen},
      {"SelectV2", &Simplifier::Chosen},
      {"Pack", &Simplifier::BeforeUnpack},
  };
  return kRules;
}

}  // namespace

Status Simplify(GraphPart* part) {
  const std::shared_ptr<const Graph> kept = part->graph;
  return Simplifier(part).Run();
}

}  // namespace warpbeam
