// What a command runs of a model: the flags that say it, and the model and its step once they are
// read. Models are GraphDef files (.pb, .pbtxt), MetaGraphDefs (.meta) beside their checkpoints and
// SavedModels (folders).
//
//   StepFlags flags;
//   flags.AddTo(args);
//   WB_RETURN_IF_ERROR(flags.Check(path));
//   WB_ASSIGN_OR_RETURN(const Runnable runnable, flags.Open(path, options, import, console));
//   WB_ASSIGN_OR_RETURN(const NamedStep step, flags.StepOf(runnable));
//   WB_RETURN_IF_ERROR(runnable.Initialise(flags.init, RunOptions(), console));
//   WB_RETURN_IF_ERROR(runnable.session().Run(run, step.feeds, step.fetches, step.targets, &out));
//
// A step is named by its nodes (--feed, --fetch, --target), or it is a signature (--signature,
// --input), by default the usual one.
//
// Ownership: a Runnable owns the model or the session; it must outlive nothing of its step. Thread
// safety: none. Errors: wrong calls for flags that do not fit together and for a model of which
// nothing is asked; those of reading models, files and literals, and of sessions.
#ifndef WARPBEAM_TOOLS_CLI_STEP_MODEL_STEP_H_
#define WARPBEAM_TOOLS_CLI_STEP_MODEL_STEP_H_

#include <string>
#include <vector>

#include "frontend/model/open_model.h"
#include "runtime/session/session.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {

// What is run, again and again.
struct NamedStep {
  NamedTensors feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> names;  // of the fetches, as they are shown
};

// A model or a graph alone, as the commands run it.
struct Runnable : frontend::OpenedModel {
  // Runs these nodes, one after the other.
  Status Initialise(const std::vector<std::string>& nodes, const RunOptions& options,
                    Console& console) const;
};

struct StepFlags {
  std::vector<std::string> tags;
  std::string checkpoint;
  std::string signature;
  std::vector<std::string> inputs;
  std::vector<std::string> init;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;

  void AddTo(Arguments& args);
  Status Check(const std::string& file) const;
  StatusOr<Runnable> Open(const std::string& file, const SessionOptions& session,
                          const ImportOptions& import, Console& console) const;
  StatusOr<NamedStep> StepOf(const Runnable& runnable) const;

  bool names_nodes() const { return !fetches.empty() || !targets.empty(); }
  bool names_signature() const { return !signature.empty() || !inputs.empty(); }
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_STEP_MODEL_STEP_H_
