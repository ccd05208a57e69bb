// SentTensors: what this task has sent to those who asked for it with numbered requests, so that a
// request that comes again, because its answer was lost, gets the same tensor.
//
//   auto sent = std::make_shared<SentTensors>(/*kept_bytes=*/0);
//   int64_t number = 0;
//   if (sent->Begin(request_id, step_id, &receiver, &number)) {   // it comes for the first time
//     const int64_t at = rendezvous->ReceiveNumbered(key, std::move(receiver));
//     sent->SetWaiting(request_id, rendezvous, key, at);
//   }
//   …  sent->Forget(request_id, number);                          // who has asked has gone
//
// A request that comes again while the first still waits waits with it. Tensors are kept until
// they are said to have been received, their step ends, or there are too many: then the oldest go.
// Small ones always are; larger ones, which would have to be copied before their variables can
// change, only where `kept_bytes` says so.
//
// Ownership: shared by the calls that wait. Thread safety: any thread; receivers are called without
// a lock. Errors: ABORTED for a request that came before and whose tensor is not kept.
#ifndef WARPBEAM_RUNTIME_DIST_REQUESTS_SENT_TENSORS_H_
#define WARPBEAM_RUNTIME_DIST_REQUESTS_SENT_TENSORS_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/rendezvous.h"
#include "runtime/dist/requests/recent_requests.h"

namespace warpbeam {

class SentTensors : public std::enable_shared_from_this<SentTensors> {
 public:
  // Below, a copy costs less than asking whether one is needed.
  static constexpr int64_t kSmallBytes = int64_t{16} << 10;
  static constexpr int64_t kSmallTotal = int64_t{16} << 20;

  // `kept_bytes`: so many bytes of tensors of any size are kept; 0: small ones alone.
  explicit SentTensors(int64_t kept_bytes) : kept_bytes_(kept_bytes) {}

  // Whether the receivers are to say when they have a tensor.
  bool asks_for_word() const { return kept_bytes_ > 0; }

  // True for a new request: what `*receiver` then is is for the rendezvous. False: it came before,
  // and its receiver has been or will be called. `*number` is for Forget, 0 for a receiver that has
  // been called. Requests without a number are not for here.
  bool Begin(int64_t request_id, int64_t step_id, Rendezvous::Receiver* receiver, int64_t* number);
  // Where the receiver of a new request waits; 0: it does not, for it has been called.
  void SetWaiting(int64_t request_id, std::shared_ptr<Rendezvous> rendezvous, std::string key,
                  int64_t number);
  // This receiver is not called any more; false where it has been, or is just being. When nobody
  // is left who waits for the request it is as if it had never come.
  bool Forget(int64_t request_id, int64_t number);
  void MarkReceived(int64_t request_id);
  void EndStep(int64_t step_id);
  int64_t bytes() const;

 private:
  struct Request {
    int64_t step_id = 0;
    std::vector<std::pair<int64_t, Rendezvous::Receiver>> waiting;
    std::optional<StatusOr<Rendezvous::Value>> value;  // set once it has come
    int64_t bytes = 0;
    std::list<int64_t>::iterator age;        // in order_, once the value has come
    std::shared_ptr<Rendezvous> rendezvous;  // where the first receiver waits
    std::string key;
    int64_t number = 0;
  };
  using Requests = std::map<int64_t, Request>;

  void Arrive(int64_t request_id, StatusOr<Rendezvous::Value> value);
  bool IsKept(int64_t bytes) const;
  // With the mutex held; what goes is put into `gone`, which is destroyed without it.
  void Drop(Requests::iterator request, std::vector<Request>* gone);
  int64_t Most() const { return kept_bytes_ > 0 ? kept_bytes_ : kSmallTotal; }

  const int64_t kept_bytes_;
  mutable std::mutex mutex_;  // of what follows
  RecentRequests recent_;
  int64_t next_number_ = 1;
  int64_t bytes_ = 0;
  Requests requests_;
  std::list<int64_t> order_;                    // of what is kept, the oldest first
  std::map<int64_t, std::set<int64_t>> steps_;  // what is kept of each
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_REQUESTS_SENT_TENSORS_H_
