#include "tools/cli/node_check.h"

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "runtime/function/function_plans.h"

namespace warpbeam {
namespace cli {

NodeCheck::NodeCheck(const Graph& graph, const SessionOptions& options)
    : allow_(options.allow.value_or(CapabilitySet::All())),
      catalog_(KernelRegistry::Global(), graph.functions()) {}

StatusOr<std::unique_ptr<NodeCheck>> NodeCheck::Create(const Graph& graph,
                                                       const SessionOptions& options) {
  auto check = absl::WrapUnique(new NodeCheck(graph, options));
  WB_ASSIGN_OR_RETURN(check->devices_, CreateDevices(options));
  check->resources_ = std::make_shared<ResourceStore>();
  FunctionPlans::Setup setup;
  setup.ops = &graph.ops();
  setup.devices = check->devices_;
  setup.resources = check->resources_;
  setup.allow = check->allow_;
  check->functions_ = std::make_shared<FunctionPlans>(graph.functions(), setup);
  return check;
}

NodeProblem NodeCheck::NoKernel(const Node& node) const {
  std::vector<std::string> types;
  for (const AttrMap::Entry& entry : node.attrs()) {
    if (entry.second.kind() == AttrValue::Kind::kType) {
      types.push_back(
          absl::StrCat(absl::string_view(entry.first), "=", DTypeName(entry.second.type())));
    }
  }
  NodeProblem problem;
  if (!types.empty()) problem.reason = absl::StrCat("(", absl::StrJoin(types, ", "), ") ");
  problem.reason += "has no kernel on the CPU";
  const std::vector<std::string> kernels = catalog_.Describe(node.op_name());
  problem.advice = kernels.empty()
                       ? "The op is known but not computed here."
                       : absl::StrCat("There are kernels for ", absl::StrJoin(kernels, "; "),
                                      ": cast its inputs to one of these.");
  return problem;
}

NodeProblem NodeCheck::Against(const Node& node, bool will_run) const {
  if (IsCall(node)) return {};  // its function is looked at
  if (will_run) {
    if (const Status allowed = allow_.Check(node.op()); !allowed.ok()) {
      return {"is not allowed", absl::StrCat(allowed.message(), ".")};
    }
  }
  for (int i = 0; i < devices_->size(); ++i) {
    Device* device = devices_->device(i);
    if (!catalog_.Supports(node.op(), node.attrs(), device->type())) continue;
    KernelInit init{node.name(),         node.op(),      node.attrs(), node.input_types(),
                    node.output_types(), device->type(), device,       resources_.get(),
                    functions_.get()};
    const auto kernel = KernelRegistry::Global().Create(init);
    if (kernel.ok()) return {};
    return {"cannot run here", absl::StrCat("Its kernel says: ", kernel.status().message(), ".")};
  }
  return NoKernel(node);
}

NodeProblem NodeCheck::AtRun(const Node& node) {
  const std::string& op = node.op_name();
  // Their kernels only say so.
  if (op == "PyFunc" || op == "PyFuncStateless") {
    return {"calls a function of the Python program that wrote the graph",
            "What needs it cannot run here: feed its results, or fetch what comes before it."};
  }
  return {};
}

std::vector<std::pair<std::string, FunctionRef>> CalledFunctions(const Node& node, bool is_call) {
  std::vector<std::pair<std::string, FunctionRef>> called;
  if (is_call) called.emplace_back("", FunctionRef{node.op_name(), node.attrs()});
  for (const AttrMap::Entry& entry : node.attrs()) {
    const std::string name(absl::string_view(entry.first));
    // Hints for others; nobody calls them.
    if (absl::StartsWith(name, "_")) continue;
    if (entry.second.kind() == AttrValue::Kind::kFunction) {
      called.emplace_back(name, entry.second.func());
    } else {
      for (const FunctionRef& f : entry.second.list<FunctionRef>()) called.emplace_back(name, f);
    }
  }
  return called;
}

}  // namespace cli
}  // namespace warpbeam
