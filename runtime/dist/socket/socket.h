// Socket: a TCP connection, encrypted or not; SocketListener: where they are accepted.
//
//   WB_ASSIGN_OR_RETURN(Socket socket, Socket::Connect("localhost", port, 1000));
//   WB_RETURN_IF_ERROR(socket.Read(&header, sizeof(header)));
//   socket.ShutDown();                   // from another thread: reads and writes end
//
// With TLS who connects shows its certificate, and so does who is connected to, before anything
// else: StartTls, on either side (tls_stream.h).
//
// Ownership: a socket owns its descriptor. Thread safety: one thread reads, one writes, any shuts
// down. Errors: UNAVAILABLE with what the system says; "closed" where the other side has closed.
#ifndef WARPBEAM_RUNTIME_DIST_SOCKET_SOCKET_H_
#define WARPBEAM_RUNTIME_DIST_SOCKET_SOCKET_H_

#include <sys/uio.h>

#include <memory>
#include <string>

#include "graph/types/errors.h"
#include "graph/types/span.h"
#include "runtime/dist/tls_files.h"

namespace warpbeam {

class TlsStream;

class Socket {
 public:
  Socket();
  explicit Socket(int descriptor);
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  // `host` is a name or a number, in brackets or not.
  static StatusOr<Socket> Connect(const std::string& host, int port, int timeout_ms);
  // Nothing where `tls` is not set. `host`: who was connected to; "": the other side has connected.
  Status StartTls(const TlsFiles& tls, const std::string& host, int timeout_ms);

  // All of it.
  Status Read(void* to, size_t bytes);
  // What there is, at least one byte.
  StatusOr<size_t> ReadSome(void* to, size_t bytes);
  // How much of it was written: all that fits now, perhaps nothing, or, with `blocks`, something.
  // What was not is the beginning of what is written next.
  StatusOr<size_t> Write(Span<iovec> pieces, bool blocks);
  // What is there now, perhaps nothing.
  StatusOr<size_t> ReadNow(void* to, size_t bytes);
  // How long a read waits; 0: for ever. DEADLINE_EXCEEDED then.
  void SetReadTimeout(int timeout_ms) { read_timeout_ms_ = timeout_ms; }
  void ShutDown();
  bool is_open() const { return descriptor_ >= 0; }
  // For poll; -1: closed.
  int descriptor() const { return descriptor_; }

 private:
  StatusOr<size_t> WriteNow(Span<iovec> pieces);

  int descriptor_ = -1;
  int read_timeout_ms_ = 0;
  std::unique_ptr<TlsStream> tls_;  // null: not encrypted
};

// Bytes that nobody can guess, for whoever connects to show.
std::string NewToken(size_t bytes);

class SocketListener {
 public:
  // On a port that is free.
  static StatusOr<std::unique_ptr<SocketListener>> Open(const std::string& host);
  ~SocketListener();

  int port() const { return port_; }
  // Waits; UNAVAILABLE once it has been shut down. Whoever has connected may be anybody.
  StatusOr<Socket> Accept();
  void ShutDown();

 private:
  SocketListener() = default;
  int descriptor_ = -1;
  int port_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_SOCKET_SOCKET_H_
