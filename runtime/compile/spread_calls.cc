#include "runtime/compile/spread_calls.h"

#include <algorithm>

#include "absl/strings/strip.h"
#include "graph/node_roles.h"
#include "graph/types/span.h"

namespace warpbeam {
namespace {

using Kind = SpreadCall::Kind;

// Deeper calls stay calls.
constexpr int kMaxDepth = 64;

bool Runs(const Node& node) { return !IsArgument(node) && !IsResult(node) && !IsConstant(node); }

using Types = Span<const DType>;

// Whether the functions take what the call gives them and return what it returns. A call of which
// they do not says so when it runs.
bool Fits(const SpreadCall& call, const Node& node) {
  const Types args = Types(node.input_types()).subspan(static_cast<size_t>(call.first_arg));
  const auto takes = [](const InstantiatedFunction& body, Types types) {
    return body.args.size() == types.size() &&
           std::equal(types.begin(), types.end(), body.arg_types.begin(),
                      [](DType given, DType taken) { return BaseType(given) == taken; });
  };
  for (const auto& body : call.bodies) {
    if (!takes(*body, args)) return false;
    const bool is_condition = call.kind == Kind::kWhile && body == call.bodies.front();
    if (is_condition ? body->results.size() != 1
                     : Types(body->result_types) != Types(node.output_types())) {
      return false;
    }
  }
  return !call.bodies.empty();
}

}  // namespace

Site SpreadCalls::TargetOf(const Graph& graph, const Node& remote_call) const {
  const Site own = graph.site(remote_call.id());
  const std::optional<Tensor> target = graph.ConstantValue(remote_call.input(0));
  if (!target.has_value() || target->rank() != 0) return own;
  const StatusOr<DeviceName> wanted = DeviceName::Parse(target->scalar<std::string>());
  if (!wanted.ok()) return own;
  DeviceName full = sites_.names()[own];
  full.OverrideWith(*wanted);
  const auto found = std::find(sites_.names().begin(), sites_.names().end(), full);
  return found == sites_.names().end() ? own : static_cast<Site>(found - sites_.names().begin());
}

std::optional<SpreadCalls::Functions> SpreadCalls::FunctionsOf(const Graph& graph,
                                                               const Node& node) const {
  Functions found;
  found.site = graph.site(node.id());
  const absl::string_view op =
      absl::StripPrefix(absl::StripPrefix(absl::string_view(node.op_name()), "Stateless"), "_");
  const auto function = [&](absl::string_view attr) {
    return node.attrs().GetOr<FunctionRef>(StdView(attr), FunctionRef());
  };
  if (op == "If") {
    found.kind = Kind::kIf;
    found.first_arg = 1;
    found.functions = {function("else_branch"), function("then_branch")};
  } else if (op == "Case") {
    found.kind = Kind::kCase;
    found.first_arg = 1;
    found.functions = node.attrs().GetOr<std::vector<FunctionRef>>("branches", {});
  } else if (op == "While") {
    if (node.num_inputs() == 0) return std::nullopt;
    found.kind = Kind::kWhile;
    found.functions = {function("cond"), function("body")};
  } else if (op == "RemoteCall") {
    found.first_arg = 1;
    found.functions = {function("f")};
    found.site = TargetOf(graph, node);
  } else if (node.role() == OpRole::kCall) {
    found.functions = {function("f")};
  } else if (graph.ops().Find(node.op_name()) == nullptr &&
             graph.functions().Find(node.op_name()) != nullptr) {
    found.functions = {FunctionRef{node.op_name(), node.attrs()}};
  } else {
    return std::nullopt;
  }
  return found;
}

std::shared_ptr<const InstantiatedFunction> SpreadCalls::BodyOf(const FunctionRef& function,
                                                                Site site) const {
  auto body = bodies_(function, sites_.names()[site].ToString());
  return body.ok() ? *body : nullptr;
}

bool SpreadCalls::ReadsElsewhere(const Graph& graph, const Node& node) const {
  for (int i = 0; i < node.num_inputs(); ++i) {
    const OutputRef in = node.input(i);
    if (in.node == kNoNode || node.input_type(i) != DType::kResource) continue;
    const Site from = graph.site(in.node), to = graph.site(node.id());
    if (from != kNoSite && to != kNoSite && sites_.task_of(from) != sites_.task_of(to)) return true;
  }
  return false;
}

bool SpreadCalls::IsSpread(const FunctionRef& function, Site site, int depth) {
  auto& known = known_[{function.name, site}];
  const auto is_it = [&](const auto& entry) { return entry.first == function; };
  const auto entry = std::find_if(known.begin(), known.end(), is_it);
  if (entry != known.end()) return entry->second;
  const size_t at = known.size();
  known.emplace_back(function, false);
  const std::shared_ptr<const InstantiatedFunction> body = BodyOf(function, site);
  if (body == nullptr || depth > kMaxDepth) return false;
  const Graph& graph = *body->graph;
  const auto spreads = [&](const Node& node) {
    const Site there = graph.site(node.id());
    if (!Runs(node) || there == kNoSite) return false;
    if (sites_.task_of(there) != sites_.task_of(site)) return true;
    const std::optional<Functions> called = FunctionsOf(graph, node);
    if (!called.has_value()) return false;
    return std::any_of(called->functions.begin(), called->functions.end(),
                       [&](const FunctionRef& f) {
                         return sites_.task_of(called->site) != sites_.task_of(site) ||
                                IsSpread(f, called->site, depth + 1);
                       });
  };
  for (const Node& node : graph.nodes()) {
    if (!spreads(node)) continue;
    known_[{function.name, site}][at].second = true;
    return true;
  }
  return false;
}

std::optional<SpreadCall> SpreadCalls::Find(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const std::optional<Functions> found = FunctionsOf(graph, node);
  if (!found.has_value() || graph.site(id) == kNoSite) return std::nullopt;
  const bool is_spread =
      ReadsElsewhere(graph, node) ||
      sites_.task_of(found->site) != sites_.task_of(graph.site(id)) ||
      std::any_of(found->functions.begin(), found->functions.end(),
                  [&](const FunctionRef& f) { return IsSpread(f, found->site, 0); });
  if (!is_spread) return std::nullopt;
  SpreadCall call;
  call.kind = found->kind;
  call.first_arg = found->first_arg;
  for (const FunctionRef& function : found->functions) {
    call.bodies.push_back(BodyOf(function, found->site));
    if (call.bodies.back() == nullptr) return std::nullopt;
  }
  if (!Fits(call, node)) return std::nullopt;
  return call;
}

}  // namespace warpbeam
