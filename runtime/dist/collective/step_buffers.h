// StepBuffers: where the members of collectives with tasks of TensorFlow's give each other pieces
// of tensors, by the step and a key: what a member offers waits until another asks for it, on this
// task or by RecvBuf, and whoever asks first waits for it.
//
//   StepBuffers buffers;
//   buffers.Begin(step);
//   buffers.Offer(step, key, piece, [](const Status& taken) { … });
//   const int64_t number = buffers.Take(step, key, device, [](StatusOr<Tensor> piece) { … });
//   buffers.Forget(step, key, number);                   // whoever asked has gone
//   buffers.Fail(step, why);
//   buffers.End(step, why);
//
// What is offered is told when it has been taken, so that its memory may then be used for something
// else. A step that has failed gives everybody the reason, those that come later, too, until it
// ends or is begun again: TensorFlow's masters give a step that is repeated the same number, and
// who comes late meets it. One whose collective itself has failed goes on giving the reason.
//
// Ownership: pieces are held until they are taken. Thread safety: any thread; what is given to be
// called is called once, without a lock, on the thread of whoever comes last. Errors: INTERNAL for
// a second offer or a second taker under a key; the reason of an end.
#ifndef WARPBEAM_RUNTIME_DIST_COLLECTIVE_STEP_BUFFERS_H_
#define WARPBEAM_RUNTIME_DIST_COLLECTIVE_STEP_BUFFERS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class StepBuffers {
 public:
  using Taken = std::function<void(const Status& status)>;
  using Receiver = std::function<void(StatusOr<Tensor> piece)>;

  void Offer(int64_t step, const std::string& key, Tensor piece, Taken taken);
  // `device`: of whoever asks. The number is for Forget; 0: the receiver has been called.
  int64_t Take(int64_t step, const std::string& key, const std::string& device, Receiver receiver);
  // The receiver is not called any more; false where it has been, or is just being.
  bool Forget(int64_t step, const std::string& key, int64_t number);
  void Begin(int64_t step);
  // Nothing, for a step that nobody has begun or asked for; of an end, only those that wait are
  // told.
  void Fail(int64_t step, const Status& why);
  // The same of a collective, which is told after the end, too: but for `knows`, the device that
  // has told this one, or "".
  void FailCollective(int64_t step, const Status& why, const std::string& knows);
  void End(int64_t step, const Status& why);
  void EndAll(const Status& why);

 private:
  // An offer, or somebody who waits for one.
  struct Entry {
    Tensor piece;
    Taken taken;        // null: nothing is offered yet
    Receiver receiver;  // null: nobody has asked yet
    int64_t number = 0;
  };
  using Entries = std::map<std::string, Entry>;
  struct Step {
    bool has_begun = false;  // or others ask for what it will give
    Status failed;
    Entries entries;
  };
  // A collective that has failed.
  struct Failure {
    Status why;
    std::string knows;
  };

  static void Tell(Entries* entries, const Status& why);
  static constexpr size_t kRemembered = 1000;
  // With the lock held. Why the step takes nothing any more, to be told to a device.
  Status FailedLocked(int64_t step, const std::string& device) const;
  void RemoveLocked(int64_t step, const std::string& key);

  mutable std::mutex mutex_;  // of what follows
  int64_t next_number_ = 1;
  std::map<int64_t, Step> steps_;
  std::map<int64_t, Failure> failures_;
  std::deque<int64_t> order_;  // of the failures, and of some that are forgotten
  Status all_ended_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_COLLECTIVE_STEP_BUFFERS_H_
