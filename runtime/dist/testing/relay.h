// Relay: the network between two programs of this machine, which a test breaks: connections to its
// port are passed on to another one.
//
//   Relay relay(server->port());
//   … clients connect to the port of the relay …
//   relay.Stall();                    // nothing passes, and nobody is told
//   relay.Cut();                      // connections end, new ones are refused
//   relay.Restore();                  // it is as before; connections that were cut are not
//
// Ownership: its threads and sockets; the destructor cuts. Thread safety: one thread. Errors: what
// cannot be passed on ends its connection; a port that cannot be listened on any more is a failed
// expectation.
#ifndef WARPBEAM_RUNTIME_DIST_TESTING_RELAY_H_
#define WARPBEAM_RUNTIME_DIST_TESTING_RELAY_H_

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace warpbeam {

class Relay {
 public:
  // `own_port`: where it listens; 0: on any that is free.
  explicit Relay(int to_port, int own_port = 0);
  ~Relay() { Cut(); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }
  void Cut();
  void Stall();
  // What is sent from now on comes so much later.
  void Delay(std::chrono::milliseconds by);
  void Restore();

 private:
  // One connection: two threads that copy from one socket to the other.
  struct Connection {
    int near = -1;
    int far = -1;
    std::thread there, back;
  };

  void Listen();
  void Accept(int listener);
  void Pump(int from, int to);

  const int to_port_;
  int port_ = 0;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool is_cut_ = false;
  bool is_stalled_ = false;
  std::chrono::milliseconds delay_{0};
  int listener_ = -1;
  std::list<Connection> connections_;
  std::thread accepting_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TESTING_RELAY_H_
