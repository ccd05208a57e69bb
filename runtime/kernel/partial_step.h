// PartialStep: the context of a step whose feeds arrive, and whose fetches leave, while it runs.
//
// A plan compiled for a partial run has an item for each feed, which waits without a thread until
// the value comes, and one for each fetch, which hands its value out. Everything between runs as
// soon as it can.
//
//   auto step =
//       std::make_shared<PartialStep>(id, resources, functions, /*feeds=*/2, /*fetches=*/1);
//   runner.Start(step, [step](absl::Status s) { step->End(std::move(s)); });
//   step->Feed(0, x);  …
//   absl::Status s = step->Fetch(0, timeout_ms, &tensor);
//
// Ownership: whoever runs the step shares it with the runner. Thread safety: any thread. Errors:
// Fetch returns the step's error once it has failed, and DEADLINE_EXCEEDED.
#ifndef WARPBEAM_RUNTIME_KERNEL_PARTIAL_STEP_H_
#define WARPBEAM_RUNTIME_KERNEL_PARTIAL_STEP_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {

class PartialStep final : public StepContext {
 public:
  PartialStep(int64_t step_id, ResourceStore* resources, FunctionRunner* functions, int num_feeds,
              int num_fetches);

  // The caller's side. A feed is given once.
  void Feed(int feed, Tensor value);
  // Waits for a fetch, at most `timeout_ms`; 0: without end.
  absl::Status Fetch(int fetch, int64_t timeout_ms, Tensor* value);
  // Waits until the step has ended, at most `timeout_ms` (0: without end); its status.
  absl::Status WaitForEnd(int64_t timeout_ms);
  // The step is over.
  void End(absl::Status status);

  // The kernels' side: `done` is called once the feed is there, with its value in `slot`, or with
  // an error once the step is cancelled.
  void Await(int feed, Tensor* slot, Kernel::Done done);
  void Deliver(int fetch, absl::StatusOr<Tensor> value);

 private:
  struct Feeding {
    Tensor value;
    Tensor* slot = nullptr;
    Kernel::Done done;  // set while the kernel waits
  };

  void CancelWaiting();
  // True once `holds` does, false after `timeout_ms` (0: never).
  bool WaitFor(std::unique_lock<std::mutex>& lock, int64_t timeout_ms,
               absl::FunctionRef<bool()> holds);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Feeding> feeds_;
  std::vector<absl::StatusOr<Tensor>> fetches_;  // UNAVAILABLE until they are delivered
  bool ended_ = false;
  absl::Status status_;
};

// Kernels of plans that are run with a PartialStep only.
std::unique_ptr<Kernel> NewPartialFeedKernel(int feed);
std::unique_ptr<Kernel> NewPartialFetchKernel(int fetch);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_PARTIAL_STEP_H_
