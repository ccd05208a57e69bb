#include "runtime/effects/node_effects.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/match.h"
#include "graph/functions/callees.h"

namespace warpbeam {
namespace {

// Calls of functions with random ops: the calls of one function share its kernels.
constexpr char kDrawingFunctions[] = "(random ops in functions)";

// What hands on its first input's handle or reference.
constexpr const char* kForwarding[] = {
    "Identity",  "RefIdentity",      "Enter",          "RefEnter",  "Exit",      "RefExit",
    "Switch",    "RefSwitch",        "_SwitchN",       "Merge",     "RefMerge",  "NextIteration",
    "RefSelect", "RefNextIteration", "GuaranteeConst", "FakeQueue", "IdentityN",
};
bool Forwards(const std::string& op) {
  return std::any_of(std::begin(kForwarding), std::end(kForwarding),
                     [&](const char* name) { return op == name; });
}
// Whether the op hands on one of several inputs, and only a step tells which.
bool Chooses(const std::string& op) {
  return op == "Merge" || op == "RefMerge" || op == "RefSelect" || op == "IdentityN";
}

struct NamedEffect {
  const char* prefix;
  std::optional<EffectKind> effect;
};
// By the beginning of an op's name, the first that fits; what takes a handle and is not here
// writes.
constexpr NamedEffect kByName[] = {
    {"QueueEnqueue", EffectKind::kFill},
    {"QueueDequeue", EffectKind::kDrain},
    {"QueueClose", EffectKind::kEnd},
    {"QueueSize", EffectKind::kRead},
    {"QueueIsClosed", EffectKind::kRead},
    {"AccumulatorApplyGradient", EffectKind::kFill},
    {"AccumulatorTakeGradient", EffectKind::kDrain},
    {"AccumulatorNumAccumulated", EffectKind::kRead},
    {"ResourceAccumulatorApplyGradient", EffectKind::kFill},
    {"ResourceAccumulatorTakeGradient", EffectKind::kDrain},
    {"ResourceAccumulatorNumAccumulated", EffectKind::kRead},
    {"BarrierInsertMany", EffectKind::kFill},
    {"BarrierTakeMany", EffectKind::kDrain},
    {"BarrierClose", EffectKind::kEnd},
    {"BarrierReadySize", EffectKind::kRead},
    {"BarrierIncompleteSize", EffectKind::kRead},
    {"LookupTableFind", EffectKind::kRead},
    {"LookupTableSize", EffectKind::kRead},
    {"LookupTableExport", EffectKind::kRead},
    {"ReadVariableOp", EffectKind::kRead},
    {"ResourceGather", EffectKind::kRead},
    {"VarIsInitializedOp", EffectKind::kRead},
    {"IsVariableInitialized", EffectKind::kRead},
    {"ReaderNum", EffectKind::kRead},
    {"ReaderSerializeState", EffectKind::kRead},
    {"VariableShape", std::nullopt},
    {"DisableCopyOnRead", std::nullopt},
    {"IteratorToStringHandle", std::nullopt},
    {"MultiDeviceIteratorToStringHandle", std::nullopt},
    // Their order follows from the flow between them, but for sums (see GradientArray).
    {"TensorArray", std::nullopt},
    {"Stack", std::nullopt},
    {"ShuffleDataset", std::nullopt},
    {"ShuffleAndRepeatDataset", std::nullopt},
    {"CacheDataset", std::nullopt},
};
std::optional<EffectKind> EffectOnHandle(const std::string& op) {
  for (const NamedEffect& known : kByName) {
    if (absl::StartsWith(op, known.prefix)) return known.effect;
  }
  return EffectKind::kWrite;
}

bool IsHandle(DType type) { return BaseType(type) == DType::kResource; }
bool IsGradientArray(const std::string& op) { return absl::StartsWith(op, "TensorArrayGrad"); }

// The node behind a handle or reference; kNoNode where only a step tells.
NodeId OwnerOf(const Graph& graph, OutputRef handle) {
  for (;;) {
    const Node& node = graph.node(handle.node);
    const std::string& op = node.op_name();
    if (Chooses(op)) return kNoNode;
    const bool hands_on = node.num_inputs() > 0 &&
                          (Forwards(op) || (IsRef(node.output_type(handle.index)) &&
                                            IsRef(node.input_type(0)) && !IsGradientArray(op)));
    if (!hands_on) return handle.node;
    handle = node.input(0);
  }
}

std::string StateOf(const Graph& graph, OutputRef handle) {
  const NodeId owner = OwnerOf(graph, handle);
  if (owner == kNoNode) return kAnyState;
  const Node& node = graph.node(owner);
  const std::string& op = node.op_name();
  if (op == "_Arg" || absl::StartsWith(op, "Placeholder") || absl::StartsWith(op, "IteratorFrom")) {
    return kAnyState;
  }
  std::string name = node.attrs().GetOr<std::string>("shared_name", "");
  if (name.empty()) name = node.name();
  const std::string container = node.attrs().GetOr<std::string>("container", "");
  return container.empty() ? name : absl::StrCat(container, "/", name);
}

// Takes an element of the iterator that a string names.
std::optional<Effect> EffectOnNamedIterator(const Graph& graph, const Node& node) {
  if (!absl::EndsWith(node.op_name(), "IteratorGetNextOnDevice") || node.num_inputs() == 0) {
    return std::nullopt;
  }
  const Node& named = graph.node(node.input(0).node);
  const bool is_known = absl::EndsWith(named.op_name(), "IteratorToStringHandle");
  return Effect{is_known ? StateOf(graph, named.input(0)) : std::string(kAnyState),
                EffectKind::kWrite};
}

// What is written to one place of a gradient's array is added up.
std::optional<Effect> EffectOnGradientArray(const Graph& graph, const Node& node) {
  constexpr const char* kWrites[] = {"TensorArrayWrite", "TensorArrayScatter", "TensorArraySplit",
                                     "TensorArrayUnpack"};
  const bool writes = std::any_of(std::begin(kWrites), std::end(kWrites), [&](const char* name) {
    return absl::StartsWith(node.op_name(), name);
  });
  if (!writes || node.num_inputs() == 0) return std::nullopt;
  const NodeId owner = OwnerOf(graph, node.input(0));
  if (owner == kNoNode) return Effect{kAnyState, EffectKind::kWrite};
  const Node& array = graph.node(owner);
  if (!IsGradientArray(array.op_name())) return std::nullopt;
  return Effect{absl::StrCat(StateOf(graph, array.input(0)), " gradient ",
                             array.attrs().GetOr<std::string>("source", "")),
                EffectKind::kWrite};
}

bool MakesHandle(const OpSchema& op) {
  if (absl::StartsWith(op.name, "TensorArray") || absl::StartsWith(op.name, "Stack") ||
      Forwards(op.name)) {
    return false;
  }
  return std::any_of(op.outputs.begin(), op.outputs.end(),
                     [](const ArgSpec& out) { return out.is_ref || out.type == DType::kResource; });
}

void AddCallEffects(const Graph& graph, const Node& node, std::vector<FunctionRef> functions,
                    std::vector<Effect>* effects) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!IsHandle(node.input_type(i)) && !IsRef(node.input_type(i))) continue;
    effects->push_back({StateOf(graph, node.input(i)), EffectKind::kWrite});
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
  if (draws) effects->push_back({kDrawingFunctions, EffectKind::kWrite});
  if (makes) effects->push_back({kAnyState, EffectKind::kWrite});
  if (writes || reads) {
    effects->push_back({kFiles, writes ? EffectKind::kWrite : EffectKind::kRead});
  }
}

}  // namespace

bool OrderMatters(EffectKind a, EffectKind b) {
  if (a == EffectKind::kRead && b == EffectKind::kRead) return false;
  const auto puts = [](EffectKind k) { return k == EffectKind::kFill || k == EffectKind::kEnd; };
  return !((puts(a) && b == EffectKind::kDrain) || (a == EffectKind::kDrain && puts(b)));
}

std::vector<Effect> EffectsOf(const Graph& graph, const Node& node) {
  std::vector<Effect> effects;
  const std::string& op = node.op_name();
  if (auto sum = EffectOnGradientArray(graph, node)) effects.push_back(*std::move(sum));
  if (auto taken = EffectOnNamedIterator(graph, node)) effects.push_back(*std::move(taken));
  std::vector<FunctionRef> calls = CalledFunctions(graph.functions(), op, node.attrs());
  if (!calls.empty()) {
    if (!MakesDataset(op)) AddCallEffects(graph, node, std::move(calls), &effects);
    return effects;
  }
  const bool forwards = Forwards(op);
  for (int i = 0; i < node.num_inputs(); ++i) {
    const OutputRef in = node.input(i);
    if (in.node == kNoNode) continue;
    const bool is_ref = IsRef(graph.node(in.node).output_type(in.index));
    if (is_ref && !IsRef(node.input_type(i))) {
      effects.push_back({StateOf(graph, in), EffectKind::kRead});
    } else if ((is_ref || IsHandle(node.input_type(i))) && !forwards && !IsGradientArray(op)) {
      // A reader takes its files' names from a queue.
      const bool takes = i == 1 && absl::StartsWith(op, "ReaderRead");
      const auto kind = takes ? std::optional<EffectKind>(EffectKind::kDrain) : EffectOnHandle(op);
      if (kind.has_value()) effects.push_back({StateOf(graph, in), *kind});
    }
  }
  if (node.op().capability == Capability::kReadFile) {
    effects.push_back({kFiles, EffectKind::kRead});
  } else if (node.op().capability == Capability::kWriteFile) {
    effects.push_back({kFiles, EffectKind::kWrite});
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

bool MakesDataset(const std::string& op) {
  return op == "OneShotIterator" || (absl::StrContains(op, "Dataset") && op != "ReduceDataset" &&
                                     op != "DatasetToSingleElement" && op != "DatasetCardinality");
}

}  // namespace warpbeam
