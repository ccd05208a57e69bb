// A graph and what a step of it is, as the commands that time graphs read it from a file
// (tools/benchmarks/README.md describes it).
//
//   WB_ASSIGN_OR_RETURN(GraphSpec spec, ReadSpec("mlp.json"));
//   session->Run(options, spec.feeds, spec.fetches, spec.targets, &fetched);
//
// Thread safety: pure. Errors: NOT_FOUND for a file that is not there, INVALID_ARGUMENT for one
// that is no spec.
#ifndef WARPBEAM_TOOLS_CLI_STEP_GRAPH_SPEC_H_
#define WARPBEAM_TOOLS_CLI_STEP_GRAPH_SPEC_H_

#include <string>
#include <vector>

#include "runtime/session/session.h"

namespace warpbeam {
namespace cli {

struct GraphSpec {
  std::string graph_path;  // of a GraphDef; or:
  std::string saved_model;
  int devices = 1;  // CPU devices
  NamedTensors feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> init;           // run first, one after the other
  std::vector<std::string> queue_runners;  // run all the time, each in a thread
  std::string save;                        // writes the checkpoint "model"; empty: none is measured
};

StatusOr<GraphSpec> ReadSpec(const std::string& path);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_STEP_GRAPH_SPEC_H_
