// Rendezvous: where what one part of a step computes meets the part that waits for it.
//
// A value is sent under a key, once, and received under it, once; either may come first. Who
// receives waits without a thread, or blocks. A branch that was not taken sends a dead value, so
// that nobody waits for it. An aborted rendezvous lets all go, those that wait and those that come
// later.
//
//   Rendezvous meeting;
//   meeting.Receive("feed", [](StatusOr<Rendezvous::Value> value) { … });
//   WB_RETURN_IF_ERROR(meeting.Send("feed", {tensor}));          // calls the receiver
//   StatusOr<Rendezvous::Value> y = meeting.ReceiveWithin("fetch", 1000);
//
// Ownership: values that nobody has received are held until the end. Thread safety: any thread; a
// receiver is called on the sender's thread, or on its own where the value is there, without a
// lock. Errors: Send and Receive refuse a second one under a key that still has the first
// (INVALID_ARGUMENT); ReceiveWithin gives DEADLINE_EXCEEDED, and the key may then be asked again;
// everybody gets the reason of Abort.
#ifndef WARPBEAM_RUNTIME_COMM_RENDEZVOUS_H_
#define WARPBEAM_RUNTIME_COMM_RENDEZVOUS_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class Collectives;

class Rendezvous {
 public:
  struct Value {
    Tensor tensor;
    bool is_dead = false;
  };
  using Receiver = std::function<void(StatusOr<Value> value)>;

  Rendezvous() = default;
  // Aborts.
  virtual ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  Status Send(absl::string_view key, Value value);
  // `receiver` is called exactly once. A task of a cluster asks others for what they send
  // (runtime/dist/cluster/task_rendezvous.h).
  virtual void Receive(absl::string_view key, Receiver receiver);
  // The same, of what is sent here. The number is for Forget; 0: the receiver has been called.
  int64_t ReceiveNumbered(absl::string_view key, Receiver receiver);
  // The receiver of this number is not called any more; false where it has been, or is just being.
  bool Forget(absl::string_view key, int64_t number);
  // Blocks, at most `timeout_ms`; 0: without end.
  StatusOr<Value> ReceiveWithin(absl::string_view key, int64_t timeout_ms);
  // The first reason stays. `why` is an error.
  virtual void Abort(Status why);
  // What finds members of collectives on other tasks (communicator.h); null: all are on this one.
  virtual Collectives* collectives() const { return nullptr; }

 private:
  // A value that waits for its receiver, or the other way round.
  struct Meeting {
    Value value;
    Receiver receiver;  // null: the value is there
    int64_t number = 0;
  };

  std::mutex mutex_;
  Status aborted_;
  int64_t next_number_ = 1;
  absl::flat_hash_map<std::string, Meeting> meetings_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_RENDEZVOUS_H_
