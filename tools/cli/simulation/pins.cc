#include "tools/cli/simulation/pins.h"

#include <re2/re2.h>

#include <memory>
#include <utility>

#include "graph/types/errors.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {
namespace {

struct Pin {
  std::unique_ptr<RE2> pattern;
  DeviceName device;
};

StatusOr<Pin> ParsePin(const std::string& text) {
  // Devices have no '=' in their names, patterns may.
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return WrongCall(
        InvalidArgument("--pin=", text, ": it is PATTERN=DEVICE, such as 'tower_1/.*=/gpu:1'"));
  }
  Pin pin;
  pin.pattern = std::make_unique<RE2>(text.substr(0, equals), RE2::Quiet);
  if (!pin.pattern->ok()) {
    return WrongCall(InvalidArgument("--pin=", text, ": '", pin.pattern->pattern(),
                                     "' is no regular expression: ", pin.pattern->error()));
  }
  const StatusOr<DeviceName> device = DeviceName::Parse(text.substr(equals + 1));
  if (!device.ok()) {
    return WrongCall(InvalidArgument("--pin=", text, ": ", device.status().message()));
  }
  pin.device = *device;
  return pin;
}

}  // namespace

Status Pins::Apply(Graph* graph) const {
  for (const std::string& text : texts) {
    WB_ASSIGN_OR_RETURN(const Pin pin, ParsePin(text));
    bool any = false;
    for (NodeId id = 0; id < graph->num_nodes(); ++id) {
      if (!RE2::FullMatch(graph->node(id).name(), *pin.pattern)) continue;
      graph->SetDevice(id, pin.device.ToString());
      any = true;
    }
    if (!any) return NotFound("--pin=", text, ": no node's whole name matches the pattern");
  }
  return OkStatus();
}

Status Pins::Check(const Graph& graph, Span<const Site> sites,
                   const std::vector<DeviceName>& devices) const {
  for (const std::string& text : texts) {
    WB_ASSIGN_OR_RETURN(const Pin pin, ParsePin(text));
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      const Node& node = graph.node(id);
      // What a later pin has taken is that one's.
      if (node.device() != pin.device.ToString()) continue;
      if (pin.device.Matches(devices[sites[id]]) || !RE2::FullMatch(node.name(), *pin.pattern)) {
        continue;
      }
      return InvalidArgument("--pin=", text, ": '", node.name(), "' (", node.op_name(),
                             ") cannot be there, for want of the device or of a kernel, or because "
                             "a node that it must "
                             "be beside cannot; it would go to '",
                             devices[sites[id]].ToString(), "'");
    }
  }
  return OkStatus();
}

}  // namespace cli
}  // namespace warpbeam
