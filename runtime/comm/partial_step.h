// PartialStep: the context of a step whose feeds arrive, and whose fetches leave, while it runs.
//
// A plan compiled for a partial run has an item for each feed, which waits without a thread until
// the value comes, and one for each fetch, which hands its value out. Everything between runs as
// soon as it can. Both sides meet at a rendezvous.
//
//   auto step = std::make_shared<PartialStep>(id, resources, functions, meeting);
//   runner.Start(step, [step](Status s) { step->End(std::move(s)); });
//   step->Feed(0, x);  …
//   Status s = step->Fetch(0, timeout_ms, &tensor);
//
// Ownership: whoever runs the step shares it with the runner. Thread safety: any thread. Errors:
// Fetch returns the step's error once it has failed, and DEADLINE_EXCEEDED.
#ifndef WARPBEAM_RUNTIME_COMM_PARTIAL_STEP_H_
#define WARPBEAM_RUNTIME_COMM_PARTIAL_STEP_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "graph/types/tensor.h"
#include "runtime/comm/rendezvous.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {

class PartialStep final : public StepContext {
 public:
  // `meeting`: where the step that runs finds its feeds, under keys that no device begins.
  PartialStep(int64_t step_id, ResourceStore* resources, FunctionRunner* functions,
              std::shared_ptr<Rendezvous> meeting);

  // The caller's side. A feed is given once; what an ended step is fed comes to nothing.
  void Feed(int feed, Tensor value);
  // Waits for a fetch, at most `timeout_ms`; 0: without end.
  Status Fetch(int fetch, int64_t timeout_ms, Tensor* value);
  // Waits until the step has ended, at most `timeout_ms` (0: without end); its status.
  Status WaitForEnd(int64_t timeout_ms);
  // The step is over.
  void End(Status status);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  Status status_;
};

// Kernels of plans that are run with a PartialStep only.
std::unique_ptr<Kernel> NewPartialFeedKernel(int feed);
std::unique_ptr<Kernel> NewPartialFetchKernel(int fetch);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_PARTIAL_STEP_H_
