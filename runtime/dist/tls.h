// TLS between tasks, and between clients and servers: both sides show a certificate, and each must
// be of the same authority.
//
//   TlsFiles tls{"task.crt", "task.key", "ca.crt"};
//   WB_RETURN_IF_ERROR(CheckTls(tls));
//   builder.AddListeningPort(address, ServerCredentialsFor(tls), &port);
//
// The files are PEM. They are read again when they have changed, so that a certificate is replaced
// while the server runs; what is connected stays so. A client also asks that the certificate be for
// the host that it has connected to.
//
// Ownership: values. Thread safety: pure. Errors: INVALID_ARGUMENT for files that are missing, that
// cannot be read or that hold something else; a peer without the right certificate is UNAVAILABLE.
#ifndef WARPBEAM_RUNTIME_DIST_TLS_H_
#define WARPBEAM_RUNTIME_DIST_TLS_H_

#include <memory>
#include <string>

#include "graph/types/errors.h"
#include "runtime/dist/tls_files.h"

namespace grpc {
class ChannelCredentials;
class ServerCredentials;
}  // namespace grpc

namespace warpbeam {

Status CheckTls(const TlsFiles& files);
// Whether a server may listen on `host`: with TLS, on the loopback, or where whoever starts it says
// that the network can be trusted. FAILED_PRECONDITION otherwise.
Status CheckTrust(const std::string& host, const TlsFiles& files, bool insecure);
std::shared_ptr<grpc::ServerCredentials> ServerCredentialsFor(const TlsFiles& files);
std::shared_ptr<grpc::ChannelCredentials> ChannelCredentialsFor(const TlsFiles& files);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TLS_H_
