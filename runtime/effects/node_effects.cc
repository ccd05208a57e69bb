#include "runtime/effects/node_effects.h"

#include <algorithm>
#include <optional>

#include "graph/functions/callees.h"
#include "graph/node_roles.h"

namespace warpbeam {
namespace {

// Calls of functions with random ops: the calls of one function share its kernels.
constexpr char kDrawingFunctions[] = "(random ops in functions)";

// Whether the op hands on the handle or reference that is its first input.
bool Forwards(const OpSchema& op) {
  return op.passes_on != PassOn::kNothing || IsControlFlow(op.role);
}
// Whether the op hands on one of several inputs, and only a step tells which.
bool Chooses(const OpSchema& op) {
  return op.role == OpRole::kMerge || op.passes_on == PassOn::kOneOf;
}

bool IsHandle(DType type) { return BaseType(type) == DType::kResource; }

// The node behind a handle, a reference or a name of one; kNoNode where only a step tells.
NodeId OwnerOf(const Graph& graph, OutputRef handle) {
  for (;;) {
    const Node& node = graph.node(handle.node);
    const OpSchema& op = node.op();
    if (Chooses(op)) return kNoNode;
    const bool hands_on =
        node.num_inputs() > 0 &&
        (Forwards(op) || (IsRef(node.output_type(handle.index)) && IsRef(node.input_type(0)) &&
                          op.role != OpRole::kGradientArray));
    if (!hands_on) return handle.node;
    handle = node.input(op.passes_on == PassOn::kEach ? handle.index : 0);
    if (handle.node == kNoNode) return kNoNode;
  }
}

// Whether what handles of the node's op stand for is known from the node: it makes them itself.
bool IsKnownOwner(const Node& node) {
  if (IsArgument(node) || node.role() == OpRole::kPlaceholder) return false;
  const std::vector<DType>& types = node.output_types();
  return std::any_of(types.begin(), types.end(),
                     [](DType type) { return IsRef(type) || IsHandle(type); });
}

std::string StateOf(const Graph& graph, OutputRef handle) {
  const NodeId owner = OwnerOf(graph, handle);
  if (owner == kNoNode || !IsKnownOwner(graph.node(owner))) return kAnyState;
  const Node& node = graph.node(owner);
  std::string name = node.attrs().GetOr<std::string>("shared_name", "");
  if (name.empty()) name = node.name();
  const std::string container = node.attrs().GetOr<std::string>("container", "");
  return container.empty() ? name : absl::StrCat(container, "/", name);
}

// What is written to one place of a gradient's array is added up.
std::optional<Effect> EffectOnGradientArray(const Graph& graph, const Node& node) {
  const NodeId owner = OwnerOf(graph, node.input(0));
  if (owner == kNoNode) return Effect{kAnyState, StateEffect::kWrite};
  const Node& array = graph.node(owner);
  if (array.role() != OpRole::kGradientArray) return std::nullopt;
  return Effect{absl::StrCat(StateOf(graph, array.input(0)), " gradient ",
                             array.attrs().GetOr<std::string>("source", "")),
                StateEffect::kWrite};
}

// Whether the op makes handles of a state that has effects.
bool MakesHandle(const OpSchema& op) {
  if (op.effect == StateEffect::kNone || Forwards(op)) return false;
  return std::any_of(op.outputs.begin(), op.outputs.end(),
                     [](const ArgSpec& out) { return out.is_ref || out.type == DType::kResource; });
}

// What the op declares for this input apart from others: nothing where its arguments are lists.
std::optional<StateEffect> DeclaredEffect(const OpSchema& op, int input) {
  const auto at = static_cast<size_t>(input);
  return at < op.inputs.size() ? op.inputs[at].effect : std::nullopt;
}

void AddCallEffects(const Graph& graph, const Node& node, std::vector<FunctionRef> functions,
                    std::vector<Effect>* effects) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!IsHandle(node.input_type(i)) && !IsRef(node.input_type(i))) continue;
    effects->push_back({StateOf(graph, node.input(i)), StateEffect::kWrite});
  }
  bool draws = false, makes = false, reads = false, writes = false;
  VisitBodies(graph.functions(), std::move(functions), [&](const NodeSpec& spec) {
    const OpSchema* op = graph.ops().Find(spec.op);
    if (op == nullptr) return true;
    draws |= DrawsNumbers(*op);
    makes |= MakesHandle(*op);
    reads |= op->capability == Capability::kReadFile;
    writes |= op->capability == Capability::kWriteFile;
    return true;
  });
  if (draws) effects->push_back({kDrawingFunctions, StateEffect::kWrite});
  if (makes) effects->push_back({kAnyState, StateEffect::kWrite});
  if (writes || reads) {
    effects->push_back({kFiles, writes ? StateEffect::kWrite : StateEffect::kRead});
  }
}

}  // namespace

bool OrderMatters(StateEffect a, StateEffect b) {
  if (a == StateEffect::kRead && b == StateEffect::kRead) return false;
  const auto puts = [](StateEffect k) { return k == StateEffect::kFill || k == StateEffect::kEnd; };
  return !((puts(a) && b == StateEffect::kDrain) || (a == StateEffect::kDrain && puts(b)));
}

std::vector<Effect> EffectsOf(const Graph& graph, const Node& node) {
  std::vector<Effect> effects;
  const OpSchema& op = node.op();
  if (op.effect == StateEffect::kSum && node.num_inputs() > 0) {
    if (auto sum = EffectOnGradientArray(graph, node)) effects.push_back(*std::move(sum));
  }
  std::vector<FunctionRef> calls = CalledFunctions(graph.functions(), op.name, node.attrs());
  if (!calls.empty()) {
    if (op.role != OpRole::kDataset) AddCallEffects(graph, node, std::move(calls), &effects);
    return effects;
  }
  const bool forwards = Forwards(op);
  for (int i = 0; i < node.num_inputs(); ++i) {
    const OutputRef in = node.input(i);
    if (in.node == kNoNode) continue;
    const bool is_ref = IsRef(graph.node(in.node).output_type(in.index));
    if (const std::optional<StateEffect> declared = DeclaredEffect(op, i)) {
      effects.push_back({StateOf(graph, in), *declared});
    } else if (is_ref && !IsRef(node.input_type(i))) {
      effects.push_back({StateOf(graph, in), StateEffect::kRead});
    } else if ((is_ref || IsHandle(node.input_type(i))) && !forwards) {
      const StateEffect kind = op.effect == StateEffect::kLookUp ? StateEffect::kRead : op.effect;
      if (kind == StateEffect::kNone || kind == StateEffect::kSum) continue;
      effects.push_back({StateOf(graph, in), kind});
    }
  }
  if (op.capability == Capability::kReadFile) {
    effects.push_back({kFiles, StateEffect::kRead});
  } else if (op.capability == Capability::kWriteFile) {
    effects.push_back({kFiles, StateEffect::kWrite});
  }
  return effects;
}

bool DrawsNumbers(const OpSchema& op) {
  const auto is_int = [&](absl::string_view name) {
    const AttrSpec* attr = op.FindAttr(name);
    return attr != nullptr && attr->type == "int";
  };
  return op.is_stateful && is_int("seed") && is_int("seed2");
}

}  // namespace warpbeam
