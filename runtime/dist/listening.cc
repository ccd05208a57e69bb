#include "runtime/dist/listening.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/dist/cluster_spec.h"

namespace warpbeam {
namespace {

namespace fs = std::filesystem;

constexpr char kListening[] = "0A";
constexpr char kAllInterfaces[] = "::";

// Of the sockets that listen on the port, in "socket:[4711]" form, as a process's files name them.
void AddListeners(const char* table, int port, std::set<std::string>* sockets) {
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // the head
  while (std::getline(file, line)) {
    // sl local rem st tx:rx tr:when retransmits uid timeout inode …
    std::istringstream words(line);
    std::string slot, local, remote, state, skipped, inode;
    words >> slot >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    const size_t colon = local.rfind(':');
    if (!words || state != kListening || colon == std::string::npos) continue;
    if (std::strtol(local.c_str() + colon + 1, nullptr, 16) != port) continue;
    sockets->insert("socket:[" + inode + "]");
  }
}

bool HasSocket(const fs::path& process, const std::set<std::string>& sockets) {
  std::error_code error;
  for (fs::directory_iterator file(process / "fd", error), end; !error && file != end;
       file.increment(error)) {
    std::error_code gone;
    if (sockets.count(fs::read_symlink(file->path(), gone).string()) > 0) return true;
  }
  return false;
}

struct AddressList {
  ~AddressList() {
    if (first != nullptr) freeaddrinfo(first);
  }
  addrinfo* first = nullptr;
};

// 0, or what is in the way.
int TryToBind(const addrinfo& address) {
  const int socket =
      ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol);
  if (socket < 0) return errno;
  // As servers do: what is left of earlier connections is in nobody's way.
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const int error = bind(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  close(socket);
  return error;
}

}  // namespace

bool IsLoopback(absl::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || absl::StartsWith(host, "127.");
}

std::string ListeningHost(const std::string& host) {
  if (!IsLoopback(host)) return absl::StrCat("[", kAllInterfaces, "]");
  return host == "::1" ? "[::1]" : host;
}

std::string ProcessOnPort(int port) {
  std::set<std::string> sockets;
  AddListeners("/proc/net/tcp", port, &sockets);
  AddListeners("/proc/net/tcp6", port, &sockets);
  if (sockets.empty()) return "";
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    const std::string pid = process->path().filename().string();
    const bool is_number = std::all_of(pid.begin(), pid.end(), absl::ascii_isdigit);
    if (!is_number || !HasSocket(process->path(), sockets)) continue;
    std::string name;
    std::ifstream comm(process->path() / "comm");
    std::getline(comm, name);
    return absl::StrCat("process ", pid, name.empty() ? "" : absl::StrCat(" (", name, ")"));
  }
  return "";
}

Status CheckCanListen(const std::string& host, int port) {
  absl::string_view plain = host;
  if (absl::StartsWith(plain, "[") && absl::EndsWith(plain, "]")) {
    plain = plain.substr(1, plain.size() - 2);
  }
  const std::string name(plain);
  const auto refuse = [&](absl::string_view why) {
    return Unavailable("cannot listen on ", AddressOf(name, port), ": ", why);
  };
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  AddressList addresses;
  if (const int error =
          getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &addresses.first);
      error != 0) {
    return refuse(gai_strerror(error));
  }
  int in_the_way = 0;
  bool is_free = false;
  for (const addrinfo* at = addresses.first; at != nullptr; at = at->ai_next) {
    const int error = TryToBind(*at);
    if (error == EADDRINUSE) {
      const std::string process = ProcessOnPort(port);
      return refuse(process.empty() ? "another process listens there" : process + " listens there");
    }
    is_free = is_free || error == 0;
    if (error != 0) in_the_way = error;
  }
  if (is_free) return OkStatus();
  // A machine without IPv6 listens on all interfaces that it has.
  if (name == kAllInterfaces) return CheckCanListen("0.0.0.0", port);
  return refuse(std::strerror(in_the_way));
}

}  // namespace warpbeam
