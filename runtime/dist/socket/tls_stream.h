// TlsStream: what two tasks say to each other on a connection, encrypted; both have shown a
// certificate (tls_files.h).
//
//   WB_ASSIGN_OR_RETURN(auto stream, TlsStream::Create(descriptor, tls, "b.example.com"));
//   WB_RETURN_IF_ERROR(stream->ShakeHands(1000));
//   WB_ASSIGN_OR_RETURN(const size_t read, stream->ReadNow(buffer, sizeof(buffer)));
//
// The files are read for each connection, so those that have changed count for the next one.
//
// Ownership: the descriptor, which does not block from then on, is the caller's and outlives it.
// Thread safety: any thread reads, any writes; neither waits. Errors: INVALID_ARGUMENT for files
// that are none; UNAVAILABLE, with what OpenSSL says, for a peer without the right certificate and
// for a connection that has ended.
#ifndef WARPBEAM_RUNTIME_DIST_SOCKET_TLS_STREAM_H_
#define WARPBEAM_RUNTIME_DIST_SOCKET_TLS_STREAM_H_

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>

#include "graph/types/errors.h"
#include "runtime/dist/tls_files.h"

struct ssl_st;

namespace warpbeam {

class TlsStream {
 public:
  // `host`: whose certificate the other side must show, as this side has called it; "": the other
  // side has called, and shows one of the authority.
  static StatusOr<std::unique_ptr<TlsStream>> Create(int descriptor, const TlsFiles& tls,
                                                     const std::string& host);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Before anything else. DEADLINE_EXCEEDED.
  Status ShakeHands(int timeout_ms);
  // As much as there is now, or fits now; perhaps nothing. What is not written is brought again, at
  // the beginning of what is then written.
  StatusOr<size_t> ReadNow(void* to, size_t bytes);
  StatusOr<size_t> WriteNow(const void* from, size_t bytes);

 private:
  TlsStream(int descriptor, ssl_st* ssl) : descriptor_(descriptor), ssl_(ssl) {}
  // What a call that has not gone on says; OK: it has to wait.
  Status WhyNot(int result, const char* doing);

  const int descriptor_;
  std::mutex mutex_;  // OpenSSL's session is for one thread at a time
  ssl_st* const ssl_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_SOCKET_TLS_STREAM_H_
