#include "graph/passes/pass_pipeline.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {

std::string GraphPart::ToText() const {
  std::string text;
  for (NodeId id : nodes) {
    const Node& node = graph->node(id);
    std::vector<std::string> inputs;
    for (OutputRef in : node.inputs()) {
      inputs.push_back(absl::StrCat(graph->node(in.node).name(), ":", in.index));
    }
    for (NodeId control : node.control_inputs()) {
      inputs.push_back(absl::StrCat("^", graph->node(control).name()));
    }
    absl::StrAppend(&text, node.name(), " = ", node.op_name(), "(", absl::StrJoin(inputs, ", "),
                    ")\n");
  }
  return absl::StrCat(text, notes);
}

absl::Status PassPipeline::Select(absl::string_view passes) {
  for (Entry& entry : entries_) entry.selected = entry.required || passes == "default";
  if (passes == "default" || passes == "none") return absl::OkStatus();
  for (absl::string_view name : absl::StrSplit(passes, ',', absl::SkipWhitespace())) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    if (found == entries_.end()) {
      const std::string all = absl::StrJoin(
          entries_, ", ", [](std::string* out, const Entry& e) { out->append(e.name); });
      return InvalidArgument("there is no pass '", name, "'; there are default, none, ", all);
    }
    found->selected = true;
  }
  return absl::OkStatus();
}

absl::Status PassPipeline::Run(GraphPart* part, const Dump& dump) const {
  for (const Entry& entry : entries_) {
    if (!entry.selected) continue;
    part->notes.clear();
    WB_RETURN_IF_ERROR(Annotate(entry.pass(part), absl::StrCat("pass '", entry.name, "'")));
    if (dump) dump(entry.name, part->ToText());
  }
  return absl::OkStatus();
}

}  // namespace warpbeam
