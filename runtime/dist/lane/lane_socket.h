// LaneSocket: a TCP connection; LaneListener: where they are accepted.
//
//   WB_ASSIGN_OR_RETURN(LaneSocket socket, LaneSocket::Connect("localhost", port, 1000));
//   WB_RETURN_IF_ERROR(socket.Read(&header, sizeof(header)));
//   socket.ShutDown();                   // from another thread: reads and writes end
//
// Ownership: a socket owns its descriptor. Thread safety: one thread reads, one writes, any shuts
// down. Errors: UNAVAILABLE with what the system says; "closed" where the other side has closed.
#ifndef WARPBEAM_RUNTIME_DIST_LANE_LANE_SOCKET_H_
#define WARPBEAM_RUNTIME_DIST_LANE_LANE_SOCKET_H_

#include <sys/uio.h>

#include <memory>
#include <string>

#include "absl/types/span.h"
#include "graph/types/status.h"

namespace warpbeam {

class LaneSocket {
 public:
  LaneSocket() = default;
  explicit LaneSocket(int descriptor) : descriptor_(descriptor) {}
  LaneSocket(LaneSocket&& other) noexcept : descriptor_(other.descriptor_) {
    other.descriptor_ = -1;
  }
  LaneSocket& operator=(LaneSocket&& other) noexcept;
  ~LaneSocket();

  // `host` is a name or a number, in brackets or not.
  static absl::StatusOr<LaneSocket> Connect(const std::string& host, int port, int timeout_ms);

  // All of it.
  absl::Status Read(void* to, size_t bytes);
  // What there is, at least one byte.
  absl::StatusOr<size_t> ReadSome(void* to, size_t bytes);
  // How much of it was written: all that fits now, perhaps nothing, or, with `blocks`, something.
  absl::StatusOr<size_t> Write(absl::Span<iovec> pieces, bool blocks);
  // How long a read waits; 0: for ever. DEADLINE_EXCEEDED then.
  void SetReadTimeout(int timeout_ms);
  void ShutDown();
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

class LaneListener {
 public:
  // On a port that is free.
  static absl::StatusOr<std::unique_ptr<LaneListener>> Open(const std::string& host);
  ~LaneListener();

  int port() const { return port_; }
  // Waits; UNAVAILABLE once it has been shut down.
  absl::StatusOr<LaneSocket> Accept();
  void ShutDown();

 private:
  LaneListener() = default;
  int descriptor_ = -1;
  int port_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LANE_LANE_SOCKET_H_
