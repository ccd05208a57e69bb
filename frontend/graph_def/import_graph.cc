#include "frontend/graph_def/import_graph.h"

#include "absl/strings/match.h"
#include "frontend/device/device_functions.h"
#include "frontend/graph_state.h"
#include "graph/build/assemble.h"
#include "graph/io/graph_import.h"
#include "graph/types/nearest_name.h"

namespace warpbeam {
namespace frontend {
namespace {

// `output` as it can be used in the scope's graph.
StatusOr<Output> Here(const Scope& scope, const std::string& input, const Output& output) {
  if (output.valid() && output.graph() == &scope.state()) return output;
  if (output.valid() && scope.state().capture()) return scope.state().capture()(output);
  return InvalidArgument("the input map: what '", input, "' is mapped to is ",
                         output.valid() ? "of another graph" : "not valid");
}

StatusOr<ImportedElement> Find(const Scope& scope, const std::string& prefix,
                               const ImportGraphOptions& options, const std::string& name) {
  WB_ASSIGN_OR_RETURN(const InputName parsed, ParseInputName(name));
  const bool is_tensor = absl::StrContains(name, ":");
  if (is_tensor) {
    auto mapped = options.input_map.find(name);
    if (mapped == options.input_map.end() && parsed.index == 0) {
      mapped = options.input_map.find(std::string(parsed.node));
    }
    if (mapped != options.input_map.end()) {
      return ImportedElement{mapped->second.op(), mapped->second};
    }
  }
  const Node* node = scope.graph()->Find(absl::StrCat(prefix, parsed.node));
  if (node == nullptr || parsed.index < 0) {
    NearestName nearest(parsed.node);
    for (const Node& other : scope.graph()->nodes()) {
      if (absl::StartsWith(other.name(), prefix)) nearest.Offer(other.name().substr(prefix.size()));
    }
    return InvalidArgument("the graph has no '", name, "' that could be returned",
                           nearest.Question());
  }
  ImportedElement element;
  element.op = Operation(&scope.state(), node->id());
  if (!is_tensor) return element;
  element.output = element.op.output(parsed.index);
  if (element.output.valid()) return element;
  return InvalidArgument("the graph has no '", name, "' that could be returned: its node has ",
                         node->num_outputs(), " outputs");
}

}  // namespace

StatusOr<std::vector<ImportedElement>> ImportGraphDef(ScopeRef scope_ref,
                                                      const std::string& graph_def,
                                                      const ImportGraphOptions& options) {
  const Scope scope = scope_ref.scope();
  WB_RETURN_IF_ERROR(scope.status());
  WB_RETURN_IF_ERROR(scope.state().CheckGrows(options.name, "an imported graph"));
  const std::string prefix =
      options.name.empty() ? scope.name_scope() : scope.NameScope(options.name).name_scope();
  WB_RETURN_IF_ERROR(scope.status());
  ImportOptions import;
  import.prefix = prefix.substr(0, prefix.size() - (prefix.empty() ? 0 : 1));
  import.default_device = scope.device();
  for (const auto& [input, output] : options.input_map) {
    WB_ASSIGN_OR_RETURN(const Output here, Here(scope, input, output));
    import.input_map[input] =
        absl::StartsWith(input, "^") ? absl::StrCat("^", here.op().name()) : here.name();
  }
  const int first_new = scope.graph()->num_nodes();
  WB_RETURN_IF_ERROR(warpbeam::ImportGraphDef(graph_def, import, scope.graph().get()));
  WB_RETURN_IF_ERROR(AskDeviceFunctionsForNew(scope, first_new));
  std::vector<ImportedElement> elements;
  for (const std::string& name : options.return_elements) {
    WB_ASSIGN_OR_RETURN(ImportedElement element, Find(scope, prefix, options, name));
    elements.push_back(std::move(element));
  }
  return elements;
}

}  // namespace frontend
}  // namespace warpbeam
