#include "runtime/dist/socket/local_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace warpbeam {
namespace {

// "" where this kind of address does not lead there.
std::string Numeric(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST];
  const int failed = getnameinfo(address, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return failed != 0 ? "" : text;
}

std::string SourceFor(const addrinfo& target) {
  const int fd = socket(target.ai_family, SOCK_DGRAM, 0);
  if (fd < 0) return "";
  // Nothing is sent: it only chooses a route.
  sockaddr_storage own;
  socklen_t size = sizeof(own);
  const bool is_known = connect(fd, target.ai_addr, target.ai_addrlen) == 0 &&
                        getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0;
  close(fd);
  return is_known ? Numeric(reinterpret_cast<const sockaddr*>(&own), size) : "";
}

StatusOr<std::string> SourceTowards(const std::string& host) {
  // Where a name has both, all tasks have to take the same kind.
  for (const int family : {AF_INET, AF_INET6}) {
    addrinfo hints;
    memset(&hints, 0, sizeof(hints));
    hints.ai_family = family;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    // No kernel takes a port of 0 as a target.
    if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) continue;
    std::string source;
    for (const addrinfo* at = found; at != nullptr && source.empty(); at = at->ai_next) {
      source = SourceFor(*at);
    }
    freeaddrinfo(found);
    if (!source.empty()) return source;
  }
  return Unavailable("no address of this machine leads to ", host);
}

}  // namespace

std::string HostOf(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  return std::string(absl::StripSuffix(absl::StripPrefix(host, "["), "]"));
}

StatusOr<std::string> AddressTowards(const std::vector<std::string>& others) {
  std::string found = "127.0.0.1";
  for (const std::string& other : others) {
    WB_ASSIGN_OR_RETURN(found, SourceTowards(HostOf(other)));
    if (!absl::StartsWith(found, "127.") && found != "::1") return found;
  }
  return found;
}

}  // namespace warpbeam
