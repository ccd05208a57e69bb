// FreePort: a TCP port of this machine that nobody listens on.
//
//   const int port = FreePort();
//
// Thread safety: any thread. Errors: a failed expectation; somebody else may take the port before
// it is used.
#ifndef WARPBEAM_TESTS_CLUSTER_FREE_PORT_H_
#define WARPBEAM_TESTS_CLUSTER_FREE_PORT_H_

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace warpbeam {

inline int FreePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(socket);
  return ntohs(address.sin_port);
}

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CLUSTER_FREE_PORT_H_
