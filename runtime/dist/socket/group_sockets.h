// GroupSockets: connects the tasks of a group with each other, every two by a socket.
//
//   WB_ASSIGN_OR_RETURN(auto group, GroupSockets::Listen(own_host, rank, hosts, names, tls));
//   Send(2, group->address());                           // "host port token"
//   WB_RETURN_IF_ERROR(group->Connect(addresses));       // what the others have sent
//   std::vector<Socket> sockets = group->Take();         // by rank
//
// A task calls those of lower rank and is called by those of higher; who calls shows the token of
// the address, and its rank. Who does not, within seconds, is sent away; so is everybody, once all
// are there.
//
// Ownership: owns the sockets until they are taken, and its threads. Thread safety: one thread, but
// for Abort. Errors: INVALID_ARGUMENT for what is no address; UNAVAILABLE and DEADLINE_EXCEEDED
// naming the task that cannot be reached or does not call; ABORTED after Abort.
#ifndef WARPBEAM_RUNTIME_DIST_SOCKET_GROUP_SOCKETS_H_
#define WARPBEAM_RUNTIME_DIST_SOCKET_GROUP_SOCKETS_H_

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/dist/socket/socket.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {

class GroupSockets {
 public:
  // `hosts`: by which name each task is called, for its certificate. `names`: for messages.
  static StatusOr<std::unique_ptr<GroupSockets>> Listen(const std::string& own_host, int rank,
                                                        std::vector<std::string> hosts,
                                                        std::vector<std::string> names,
                                                        const TlsFiles& tls);
  ~GroupSockets();
  GroupSockets(const GroupSockets&) = delete;
  GroupSockets& operator=(const GroupSockets&) = delete;

  const std::string& address() const { return address_; }
  Status Connect(const std::vector<std::string>& addresses);
  std::vector<Socket> Take() { return std::move(sockets_); }
  void Abort();

 private:
  using Clock = std::chrono::steady_clock;

  GroupSockets(int rank, std::vector<std::string> hosts, std::vector<std::string> names,
               const TlsFiles& tls);
  void AcceptAll();
  Status Greet(const std::shared_ptr<Socket>& socket);
  Status Call(int rank, const std::string& address, Clock::time_point end);
  Status AwaitCallers(Clock::time_point end);
  bool is_aborted();
  // Nobody comes in any more.
  void StopListening();

  const int rank_;
  const std::vector<std::string> hosts_, names_;
  const TlsFiles tls_;
  std::string token_;
  std::string address_;
  std::unique_ptr<SocketListener> listener_;
  std::thread accepts_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool is_aborted_ = false;
  std::vector<std::shared_ptr<Socket>> greeted_;  // who has not said yet who it is
  std::vector<Socket> sockets_;                   // by rank
  CallThreads threads_;                           // ends first
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_SOCKET_GROUP_SOCKETS_H_
