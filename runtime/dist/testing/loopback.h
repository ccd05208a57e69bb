// Sockets of the loopback for tests of servers.
//
//   const std::vector<std::string> free = FreeAddresses(2);    // "localhost:40001", …
//   LoopbackSocket other;
//   other.Listen(1);                                           // takes connections, says nothing
//   Connect(other.port());
//
// Ownership: a socket is closed with its object. Thread safety: one thread. Errors: failed
// expectations. Somebody else may take a free port before it is used.
#ifndef WARPBEAM_RUNTIME_DIST_TESTING_LOOPBACK_H_
#define WARPBEAM_RUNTIME_DIST_TESTING_LOOPBACK_H_

#include <string>
#include <vector>

namespace warpbeam {

// On a port of the loopback's first address that nobody else has.
class LoopbackSocket {
 public:
  LoopbackSocket();
  ~LoopbackSocket() { Close(); }
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;

  void Listen(int backlog);
  void Close();
  int port() const { return port_; }

 private:
  int socket_;  // -1: closed
  int port_ = 0;
};

// "localhost:PORT" of ports that nobody listens on, all different.
std::vector<std::string> FreeAddresses(int count);
int FreePort();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TESTING_LOOPBACK_H_
