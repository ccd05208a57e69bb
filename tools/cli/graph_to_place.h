// A graph to place, the devices or the machine to place it on, and what a step of it runs, as the
// commands take them that only look ahead: no session, and no machine that has the devices.
//
//   GraphToPlace flags;
//   flags.AddTo(args);
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<Graph> graph, flags.Read("model.pb", console));
//
//   StepToSimulate step_flags;
//   step_flags.AddTo(args);
//   WB_ASSIGN_OR_RETURN(Machine machine, step_flags.MachineFor("cpu:1,gpu:4"));
//   WB_ASSIGN_OR_RETURN(StepPart part, step_flags.PartOf(*graph));
//
// Thread safety: none. Errors: those of reading the files; INVALID_ARGUMENT for a text that is no
// list of devices and for costs of which none is of the graph's ops; NOT_FOUND for a fetch or
// target that the graph has not.
#ifndef WARPBEAM_TOOLS_CLI_GRAPH_TO_PLACE_H_
#define WARPBEAM_TOOLS_CLI_GRAPH_TO_PLACE_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/placer.h"
#include "placement/simulate/step_graph.h"
#include "runtime/session/step_part.h"
#include "tools/cli/command.h"
#include "tools/cli/fallback_flags.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/simulation/pins.h"

namespace warpbeam {
namespace cli {

struct GraphToPlace {
  ImportFlags import;
  std::vector<std::string> tags;
  FallbackFlags fallbacks;
  Pins pins;

  void AddTo(Arguments& args);
  PlacerOptions Options() const;
  // A graph (.pb, .pbtxt), a .meta file or a SavedModel's folder, with the pins for requests.
  StatusOr<std::shared_ptr<Graph>> Read(const std::string& path, Console& console) const;
};

struct StepToSimulate {
  std::string machine;
  std::string costs;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  int unknown_extent = kDefaultUnknownExtent;
  std::vector<std::string> turns;

  void AddTo(Arguments& args);
  // The machine of the file, or usual devices ("cpu:1,gpu:4") where none is given.
  StatusOr<Machine> MachineFor(const std::string& devices) const;
  StatusOr<StepPart> PartOf(const Graph& graph) const {
    return StepPart::OfNames(graph, fetches, targets);
  }
  // No costs where no file is given. They must outlive the options made of them.
  StatusOr<OpCosts> ReadCosts() const;
  StatusOr<StepGraphOptions> Options(const OpCosts* measured) const;
  // INVALID_ARGUMENT for costs that have been given and are of none of the step's nodes.
  Status CheckMeasured(const StepGraph& step, const OpCosts& measured) const;
  // The part as numbers, with the kernels that the program has. `before_passes` is null for a graph
  // that has not been through any.
  StatusOr<StepGraph> Prepare(const Graph& graph, const PlanBounds& bounds, const Machine& on,
                              const Graph* before_passes = nullptr) const;
};

// To the screen where there is no path.
Status WriteText(const std::string& text, const std::string& path, Console& console);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_GRAPH_TO_PLACE_H_
