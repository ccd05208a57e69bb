// WaitingResource: a shared object whose users wait in line, without a thread, until they get
// through: what staging areas and barriers are made of.
//
// An attempt is a function that is called under the object's lock: it does its work and returns
// true, or returns false and is called again whenever another attempt got through. Attempts are
// tried in the order in which they came, but one that has to wait holds up nobody behind it, unless
// that is of its kind: of the attempts of one kind none can go on while the first of them cannot,
// so that only the first is tried, and thousands that wait cost nothing. An attempt without a kind
// is alone with its own.
//
//   area->Attempt(ctx.step(), [area, &row](Status* s) { … return true; },
//                 [done](Status s) { done(std::move(s)); });
//
// A step that is cancelled leaves the line with CANCELLED. Ownership: the session's ResourceStore,
// and steps while they use it. `finished` runs once, without the lock, on the thread that got the
// attempt through. Thread safety: any thread. Errors: CANCELLED; those of attempts.
#ifndef WARPBEAM_RUNTIME_COMM_WAITING_RESOURCE_H_
#define WARPBEAM_RUNTIME_COMM_WAITING_RESOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/kernel/step_context.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class WaitingResource : public Resource, public std::enable_shared_from_this<WaitingResource> {
 public:
  using Try = std::function<bool(Status* status)>;
  using Finished = std::function<void(Status status)>;

  // What an attempt wants, as the derived class numbers it.
  using Kind = std::pair<int, int64_t>;

  void Attempt(StepContext* step, Try attempt, Finished finished);
  void Attempt(StepContext* step, Kind kind, Try attempt, Finished finished);
  // For what never waits: under the lock, and those who wait are tried afterwards.
  Status Now(const std::function<Status()>& change);
  // The same for callers that may hold locks of their own, such as destructors of tensors: those
  // who get through are told on another thread.
  void Elsewhere(const std::function<void()>& change);

 protected:
  mutable std::mutex mutex_;

 private:
  struct Waiter {
    StepContext* step;
    Try attempt;
    Finished finished;
    StepContext::Token token = StepContext::kAlreadyCancelled;
    Status status;
  };
  using Line = std::map<uint64_t, Waiter>;  // in the order of their arrival
  using Served = std::vector<Waiter>;

  // Takes the waiter out of its line.
  void ServeLocked(const Kind& kind, Line::iterator waiter, Served* served);
  // All who can go on, after something has changed.
  void ServeAllLocked(Served* served);
  void Withdraw(const Kind& kind, uint64_t id);
  static void Finish(Served served);

  uint64_t next_id_ = 0;
  std::map<Kind, Line> lines_;  // none is empty; nobody in them could go on when last tried
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_WAITING_RESOURCE_H_
