#include "runtime/effects/determinism_checks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/functions/callees.h"
#include "graph/node_roles.h"
#include "graph/types/shown_name.h"
#include "runtime/effects/any_order.h"
#include "runtime/effects/node_effects.h"

namespace warpbeam {
namespace {

constexpr char kNoSeed[] =
    "it has no seed, so that its numbers are others in every run; set a graph seed "
    "(Scope::SetRandomSeed, tf.set_random_seed) before it is built, or give it seeds of its own";
constexpr char kHowFull[] =
    "which element it hands out depends on how full it is at that moment; shuffle with a seeded "
    "ShuffleDataset, or with RandomShuffle in front of a FIFOQueue";
constexpr char kStage[] =
    "what a stage holds depends on how far other steps have come; use a FIFOQueue or a "
    "PrefetchDataset";
constexpr char kProgress[] =
    "its result tells how far other steps have come; leave it out of what is fetched";
constexpr char kAnyOrder[] =
    "it may hand out elements in the order in which they get ready; leave `sloppy` false and "
    "`deterministic` true";

const char* WhyChance(Chance chance) {
  switch (chance) {
    case Chance::kNone:
      return nullptr;
    case Chance::kFullness:
      return kHowFull;
    case Chance::kOtherSteps:
      return kStage;
    case Chance::kProgress:
      return kProgress;
  }
  return nullptr;
}

// Why an op of such attributes cannot be relied upon; null when it can.
const char* WhyNot(const OpSchema& op, const AttrMap& attrs) {
  if (const char* why = WhyChance(op.chance)) return why;
  if (DrawsNumbers(op) && attrs.GetOr<int64_t>("seed", 0) == 0 &&
      attrs.GetOr<int64_t>("seed2", 0) == 0) {
    return kNoSeed;
  }
  if (attrs.GetOr<bool>("sloppy", false) ||
      (op.role == OpRole::kDataset && attrs.GetOr<std::string>("deterministic", "") == "false")) {
    return kAnyOrder;
  }
  return nullptr;
}

bool HasInput(const OpSchema& op, absl::string_view name) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](const ArgSpec& input) { return input.name == name; });
}

// What a dataset's function reads or changes besides its arguments. Tables it may look into.
bool TouchesState(const OpSchema& op) {
  if (op.passes_on != PassOn::kNothing || IsControlFlow(op.role)) return false;
  return op.effect != StateEffect::kNone && op.effect != StateEffect::kLookUp &&
         op.effect != StateEffect::kSum &&
         std::any_of(op.inputs.begin(), op.inputs.end(), [](const ArgSpec& input) {
           return input.is_ref || input.type == DType::kResource;
         });
}

// Whether several threads call the dataset's function.
bool CallsInParallel(const OpSchema& op) {
  return op.role == OpRole::kDataset &&
         (HasInput(op, "num_parallel_calls") || HasInput(op, "num_parallel_batches") ||
          HasInput(op, "sloppy"));
}

class Checker {
 public:
  Checker(const GraphPart& part, absl::FunctionRef<const Device*(Site)> device_of)
      : part_(part), graph_(*part.graph), device_of_(device_of) {}

  Status Run() {
    for (const NodeId id : part_.nodes) {
      const Node& node = graph_.node(id);
      if (const char* why = WhyNot(node.op(), node.attrs())) return Refuse(node, why);
      WB_RETURN_IF_ERROR(CheckThreadOrder(id));
      WB_RETURN_IF_ERROR(CheckSeeds(node));
      WB_RETURN_IF_ERROR(CheckFunctions(node));
    }
    return CheckFillers();
  }

 private:
  static Status Refuse(const Node& node, absl::string_view why) {
    return FailedPrecondition(DescribeNode(node), " cannot run in a deterministic session: ", why);
  }

  // Threads of a CPU have pieces of their own, which are put together in order.
  Status CheckThreadOrder(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.num_outputs() == 0 || !IsInAnyOrderOnGpus(node.op_name(), node.output_type(0))) {
      return OkStatus();
    }
    const Device* const device = device_of_(graph_.site(id));
    if (device == nullptr || device->type() != DeviceType::kGpu || !device->runs_gpu_kernels()) {
      return OkStatus();
    }
    return Refuse(node, absl::StrCat("the threads of its kernel on ", device->name().ToString(),
                                     " write to the same places in no order, so that its ",
                                     DTypeName(node.output_type(0)),
                                     " results may have other bits in every run; place it on a "
                                     "CPU (/cpu:0), or leave `deterministic` off"));
  }

  // Datasets take their seeds as inputs.
  Status CheckSeeds(const Node& node) const {
    if (!HasInput(node.op(), "seed") || !HasInput(node.op(), "seed2")) return OkStatus();
    bool has_seeds = false, may_be_zero = true;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (static_cast<size_t>(i) >= node.op().inputs.size()) break;
      const std::string& name = node.op().inputs[static_cast<size_t>(i)].name;
      if (name != "seed" && name != "seed2") continue;
      has_seeds = true;
      const std::optional<Tensor> value = graph_.ConstantValue(node.input(i));
      if (value.has_value() && value->dtype() == DType::kInt64 && value->num_elements() == 1 &&
          value->data<int64_t>()[0] != 0) {
        may_be_zero = false;
      }
    }
    return has_seeds && may_be_zero ? Refuse(node, kNoSeed) : OkStatus();
  }

  Status CheckFunctions(const Node& node) const {
    std::vector<FunctionRef> functions =
        CalledFunctions(graph_.functions(), node.op_name(), node.attrs());
    if (functions.empty()) return OkStatus();
    // The function of a one-shot iterator makes the dataset, when the node runs and not later.
    const bool is_dataset =
        node.role() == OpRole::kDataset && node.output_type(0) == DType::kVariant;
    const bool in_parallel = CallsInParallel(node.op());
    std::string why;
    VisitBodies(graph_.functions(), std::move(functions), [&](const NodeSpec& spec) {
      const OpSchema* op = graph_.ops().Find(spec.op);
      if (op == nullptr) return true;
      const std::string inner =
          absl::StrCat("in its function, '", ShownName(spec.name), "' (", spec.op, ")");
      if (const char* reason = WhyNot(*op, spec.attrs)) {
        why = absl::StrCat(inner, ": ", reason);
      } else if (is_dataset && TouchesState(*op)) {
        why = absl::StrCat(inner,
                           " touches what steps change, and when the function runs depends "
                           "on how far ahead the pipeline is; pass the value in as data");
      } else if (in_parallel && DrawsNumbers(*op)) {
        why = absl::StrCat(inner,
                           " draws its next number whenever one of several threads comes "
                           "by; use a MapDataset, or stateless random ops");
      }
      return why.empty();
    });
    return why.empty() ? OkStatus() : Refuse(node, why);
  }

  // Looks at the whole graph, since another step may run beside this one.
  Status CheckFillers() const {
    std::map<std::string, NodeId> filled;  // by whom in this part
    const auto for_fills = [&](NodeId id, auto fn) {
      for (const Effect& e : EffectsOf(graph_, graph_.node(id))) {
        if (e.kind == StateEffect::kFill && e.state != kAnyState) fn(e.state);
      }
    };
    std::vector<bool> in_part(static_cast<size_t>(graph_.num_nodes()), false);
    for (const NodeId id : part_.nodes) {
      in_part[static_cast<size_t>(id)] = true;
      for_fills(id, [&](const std::string& state) { filled.emplace(state, id); });
    }
    if (filled.empty()) return OkStatus();
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (in_part[static_cast<size_t>(id)] || graph_.node(id).num_inputs() == 0) continue;
      Status status;
      for_fills(id, [&](const std::string& state) {
        const auto found = filled.find(state);
        if (found == filled.end()) return;
        status = Refuse(
            graph_.node(found->second),
            absl::StrCat("'", ShownName(graph_.node(id).name()), "' (", graph_.node(id).op_name(),
                         ") fills '", state,
                         "' too, and which of the two comes first is chance "
                         "where they run in different steps; fill it from one node, or from all "
                         "of them in one step"));
      });
      WB_RETURN_IF_ERROR(status);
    }
    return OkStatus();
  }

  const GraphPart& part_;
  const Graph& graph_;
  const absl::FunctionRef<const Device*(Site)> device_of_;
};

}  // namespace

Status CheckDeterminism(const GraphPart& part, absl::FunctionRef<const Device*(Site)> device_of) {
  return Checker(part, device_of).Run();
}

}  // namespace warpbeam
