// LaneClient: receives what another Warpbeam task sends, on sockets beside gRPC.
//
//   WB_ASSIGN_OR_RETURN(auto lane, LaneClient::Connect("host", announced, 1000));
//   const uint64_t id = lane->Ask(step_id, key, receiver);      // receiver: called once
//   lane->Cancel(id, Cancelled("…"));                           // now, with this error
//
// Ownership: its threads keep what they need until it is closed, which its destructor does. Thread
// safety: any thread; a receiver is called on the lane's thread, on that of Cancel, or within Ask.
// Errors: UNAVAILABLE where the other task does not let it in; receivers get the sender's error,
// and UNAVAILABLE when the connection ends.
#ifndef WARPBEAM_RUNTIME_DIST_LANE_LANE_CLIENT_H_
#define WARPBEAM_RUNTIME_DIST_LANE_LANE_CLIENT_H_

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/comm/rendezvous.h"
#include "runtime/dist/tls_files.h"

namespace warpbeam {

// What a task says of its LaneServer. No port: it has none.
struct LaneAddress {
  int port = 0;
  std::string token;
};

class LaneClient {
 public:
  // `tls`: that of the other task's gRPC.
  static StatusOr<std::unique_ptr<LaneClient>> Connect(const std::string& host,
                                                       const LaneAddress& address, int timeout_ms,
                                                       const TlsFiles& tls = {});
  ~LaneClient();
  LaneClient(const LaneClient&) = delete;
  LaneClient& operator=(const LaneClient&) = delete;

  uint64_t Ask(int64_t step_id, absl::string_view key, Rendezvous::Receiver receiver);
  // Calls the receiver with this error, unless it has been called.
  void Cancel(uint64_t id, const Status& why);
  bool is_open() const;

 private:
  struct State;

  explicit LaneClient(std::shared_ptr<State> state);

  const std::shared_ptr<State> state_;
  std::vector<std::thread> readers_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LANE_LANE_CLIENT_H_
