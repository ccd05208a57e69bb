// The files that a task or a client shows who it is with (runtime/dist/tls.h). They need no gRPC.
//
//   TlsFiles tls;
//   tls.certificate = "task.crt";  tls.key = "task.key";  tls.authority = "ca.crt";
//
// All three are PEM, or none is set: then nothing is encrypted, and nobody shows who it is.
//
// Thread safety: a value. Errors: none here; CheckTls tells them.
#ifndef WARPBEAM_RUNTIME_DIST_TLS_FILES_H_
#define WARPBEAM_RUNTIME_DIST_TLS_FILES_H_

#include <string>

namespace warpbeam {

struct TlsFiles {
  std::string certificate;
  std::string key;        // the certificate's
  std::string authority;  // who must have signed the other's certificate

  bool is_set() const { return !certificate.empty() || !key.empty() || !authority.empty(); }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TLS_FILES_H_
