// What would keep a model from running on this machine, and what to do about it; found without
// running anything of it.
//
//   std::vector<ModelStep> steps = {{"signature 'serving_default'", {"x:0"}, {"y:0"}, {}}};
//   ModelFindings found = CheckSteps(graph, options, steps);
//   AppendCheckpointProblems("/m/variables/variables", found.restored, &found.problems);
//
// Only what a step reaches counts, into the functions that it calls: an op without a kernel in a
// function that nobody calls keeps nothing from running. What a step compiles without is no problem
// of it either, as a branch that its passes take away.
//
// Thread safety: as Graph. Errors: the problems themselves; none: it runs, as far as can be told.
#ifndef WARPBEAM_TOOLS_CLI_MODEL_PROBLEMS_H_
#define WARPBEAM_TOOLS_CLI_MODEL_PROBLEMS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/session/session.h"

namespace warpbeam {
namespace cli {

// One way in which a graph is run.
struct ModelStep {
  std::string what;  // for messages
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

struct ModelFindings {
  // One for each op and reason, with the number of its nodes and the first of them.
  std::vector<std::string> problems;
  // What is worth knowing and keeps nothing from running.
  std::vector<std::string> notes;
  // The tensors that the steps read from checkpoints, by name, as far as it says them.
  std::map<std::string, DType> restored;
};

ModelFindings CheckSteps(const std::shared_ptr<Graph>& graph, const SessionOptions& options,
                         const std::vector<ModelStep>& steps);
// Checks a graph whose steps nobody has named: every node counts.
ModelFindings CheckWholeGraph(const std::shared_ptr<Graph>& graph, const SessionOptions& options);

// Files that are missing or too short, and tensors that are not there or of another dtype than
// `restored` says.
void AppendCheckpointProblems(const std::string& prefix,
                              const std::map<std::string, DType>& restored,
                              std::vector<std::string>* problems);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_MODEL_PROBLEMS_H_
