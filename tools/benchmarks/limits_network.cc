#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tools/benchmarks/limits.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr int kEchoes = 20000;
constexpr size_t kEchoBytes = 64;
constexpr int kStreams = 12;
constexpr size_t kStreamBytes = size_t{64} << 20;

bool ReadFully(int socket, char* to, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = read(socket, to + done, size - done);
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

bool WriteFully(int socket, const char* from, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(socket, from + done, size - done);
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

void SendAtOnce(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Echoes small messages, then answers each single byte with a stream.
void Serve(int listener) {
  const int socket = accept(listener, nullptr, nullptr);
  if (socket < 0) return;
  SendAtOnce(socket);
  char message[kEchoBytes];
  bool alive = true;
  for (int i = 0; alive && i < kEchoes; ++i) {
    alive = ReadFully(socket, message, kEchoBytes) && WriteFully(socket, message, kEchoBytes);
  }
  const std::vector<char> data(kStreamBytes, 1);
  for (int i = 0; alive && i < kStreams; ++i) {
    alive = ReadFully(socket, message, 1) && WriteFully(socket, data.data(), data.size());
  }
  close(socket);
}

void MeasureAgainstServer(int socket) {
  char message[kEchoBytes] = {};
  bool alive = true;
  const std::vector<double> echoes = TimeEach(kEchoes, [&] {
    alive =
        alive && WriteFully(socket, message, kEchoBytes) && ReadFully(socket, message, kEchoBytes);
  });
  std::vector<char> data(kStreamBytes, 0);
  const std::vector<double> streams = TimeEach(kStreams, [&] {
    alive = alive && WriteFully(socket, message, 1) && ReadFully(socket, data.data(), data.size());
  });
  if (!alive) return;
  PrintMetric("limit.tcp_echo_64B", Quantile(echoes, 0.5) * 1e6, "us");
  PrintMetric("limit.tcp_stream_64MiB", kStreamBytes / Quantile(streams, 0.5) / 1e9, "GB/s");
}

}  // namespace

void MeasureLoopback() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  sockaddr* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, generic, length) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, generic, &length) != 0) {
    if (listener >= 0) close(listener);
    return;
  }
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  if (client >= 0 && connect(client, generic, length) == 0) {
    SendAtOnce(client);
    std::thread server(Serve, listener);
    MeasureAgainstServer(client);
    close(client);
    server.join();
  } else if (client >= 0) {
    close(client);
  }
  close(listener);
}

}  // namespace benchmarks
}  // namespace warpbeam
