// Relay: passes one connection on to a port of this machine until it is cut. Neither end hears a
// word of that before, as when a client is killed.
//
//   Relay relay(server->port());
//   … a client connects to the port of the relay …
//   relay.Cut();
//
// Ownership: its threads and sockets; the destructor waits for the end of the connection. Thread
// safety: Cut from any thread, once the connection is there. Errors: Cut or not, what cannot be
// passed on ends the connection.
#ifndef WARPBEAM_RUNTIME_DIST_TESTING_RELAY_H_
#define WARPBEAM_RUNTIME_DIST_TESTING_RELAY_H_

#include <atomic>
#include <thread>

namespace warpbeam {

class Relay {
 public:
  explicit Relay(int port);
  ~Relay();
  int port() const { return port_; }
  void Cut();

 private:
  static void Pump(int from, int to);

  int listener_ = -1;
  std::atomic<int> client_{-1};
  std::atomic<int> server_{-1};
  int port_ = 0;
  std::thread there_;
  std::thread back_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TESTING_RELAY_H_
