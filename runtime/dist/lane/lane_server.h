// LaneServer: gives other Warpbeam tasks what this one sends, on sockets beside gRPC.
//
//   LaneServer::Source source = [](const LaneAsk& ask, Rendezvous::Receiver receiver) {
//     return Receive(ask, std::move(receiver));             // gives a way to forget it
//   };
//   WB_ASSIGN_OR_RETURN(auto lanes, LaneServer::Start("localhost", source));
//   worker->AnnounceLane(lanes->port(), lanes->token());
//
// A task that wants to receive opens two sockets, one for asks and small values and one for large
// values, and shows the token that it has been told over gRPC, where it was let in. A lane has
// three threads. What comes and is no frame ends the lane.
//
// Ownership: `source` is not called any more, and no receiver is, once Stop has returned. Thread
// safety: any thread. Errors: UNAVAILABLE where it cannot listen.
#ifndef WARPBEAM_RUNTIME_DIST_LANE_LANE_SERVER_H_
#define WARPBEAM_RUNTIME_DIST_LANE_LANE_SERVER_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/dist/lane/lane_frame.h"
#include "runtime/dist/socket/socket.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {

class LaneServer {
 public:
  // Makes sure that a receiver is not called any more, if it has not been called yet.
  using Forget = std::function<void()>;
  // `receiver` may be called before it returns; null: it has been.
  using Source = std::function<Forget(const LaneAsk& ask, Rendezvous::Receiver receiver)>;

  // `tls`: who comes shows a certificate, if it is set.
  static StatusOr<std::unique_ptr<LaneServer>> Start(const std::string& host, Source source,
                                                     const TlsFiles& tls = {});
  ~LaneServer() { Stop(); }
  LaneServer(const LaneServer&) = delete;
  LaneServer& operator=(const LaneServer&) = delete;

  int port() const { return listener_->port(); }
  const std::string& token() const { return token_; }
  // Closes all lanes.
  void Stop();

 private:
  class Lane;

  LaneServer() = default;
  void AcceptAll();
  void Serve(std::shared_ptr<Socket> socket);
  void ServeBulk(const LaneHello& hello, std::shared_ptr<Socket> socket);

  Source source_;
  TlsFiles tls_;
  std::string token_;
  std::unique_ptr<SocketListener> listener_;
  std::thread accepts_;
  std::mutex mutex_;  // of what follows
  bool has_stopped_ = false;
  std::map<uint64_t, std::shared_ptr<Lane>> lanes_;
  std::map<const Socket*, std::weak_ptr<Socket>> sockets_;  // all that are open
  CallThreads threads_;                                     // ends first
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LANE_LANE_SERVER_H_
