// AddressTowards: the address of this machine from which it reaches others, as the system's routes
// have it.
//
//   WB_ASSIGN_OR_RETURN(const std::string own, AddressTowards({"b.example.com:2222"}));
//   // "10.0.0.1"; of {"localhost:2222"} it is "127.0.0.1"
//
// Where they are reached from several, it is that for the first that is not of this machine's
// loopback. Thread safety: any thread; it may ask a name server. Errors: UNAVAILABLE naming the
// address that cannot be found.
#ifndef WARPBEAM_RUNTIME_DIST_SOCKET_LOCAL_ADDRESS_H_
#define WARPBEAM_RUNTIME_DIST_SOCKET_LOCAL_ADDRESS_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

// The host of "host:port", without brackets.
std::string HostOf(const std::string& address);
StatusOr<std::string> AddressTowards(const std::vector<std::string>& others);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_SOCKET_LOCAL_ADDRESS_H_
