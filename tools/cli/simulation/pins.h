// Pins: nodes that somebody wants on a device, by the pattern of their names, whatever the graph
// asks for.
//
//   Pins pins;
//   args.WholeStrings("pin", &pins.texts, Pins::kHelp);          // --pin='tower_1/.*=/gpu:1'
//   WB_RETURN_IF_ERROR(pins.Apply(graph.get()));                 // before it is placed
//   WB_RETURN_IF_ERROR(pins.Check(*graph, sites, device_names)); // after
//
// A pattern is a regular expression (RE2) that a whole name matches; of several that match one node
// the last one counts. Thread safety: none. Errors: INVALID_ARGUMENT for what is no pattern or no
// device, and for pinned nodes that had to go elsewhere, NOT_FOUND for a pattern without nodes.
#ifndef WARPBEAM_TOOLS_CLI_SIMULATION_PINS_H_
#define WARPBEAM_TOOLS_CLI_SIMULATION_PINS_H_

#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/device_name.h"

namespace warpbeam {
namespace cli {

struct Pins {
  static constexpr char kHelp[] =
      "PATTERN=DEVICE: nodes whose whole name matches the regular expression go to the device "
      "(repeatable)";

  std::vector<std::string> texts;

  Status Apply(Graph* graph) const;
  // Whether all pinned nodes are where they are to be.
  Status Check(const Graph& graph, Span<const Site> sites,
               const std::vector<DeviceName>& devices) const;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SIMULATION_PINS_H_
