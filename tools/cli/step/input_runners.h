// InputRunners: threads that run a graph's enqueue targets again and again while its steps run.
//
//   InputRunners runners;
//   WB_RETURN_IF_ERROR(runners.Start(session, spec.queue_runners));
//   return runners.Explain(Measure(session));   // the reader's error, not that nothing comes
//
// A runner that fails closes the session, as the steps would wait for its elements for ever.
// Ownership: the session is the caller's and outlives the runners; the destructor closes it.
// Thread safety: one thread uses the object. Errors: RESOURCE_EXHAUSTED without threads.
#ifndef WARPBEAM_TOOLS_CLI_STEP_INPUT_RUNNERS_H_
#define WARPBEAM_TOOLS_CLI_STEP_INPUT_RUNNERS_H_

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/session/session.h"

namespace warpbeam {
namespace cli {

class InputRunners {
 public:
  InputRunners() = default;
  ~InputRunners();
  InputRunners(const InputRunners&) = delete;
  InputRunners& operator=(const InputRunners&) = delete;

  Status Start(Session* session, const std::vector<std::string>& targets);
  // What came of the steps: where they failed after a runner had, that runner's error.
  Status Explain(Status steps);

 private:
  void Keep(const std::string& target);  // runs it until it fails

  Session* session_ = nullptr;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  Status first_error_;  // guarded by it
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_STEP_INPUT_RUNNERS_H_
