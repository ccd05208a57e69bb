// ConnectTo: a connection to a task, as all clients of tasks here make it.
//
//   const std::shared_ptr<grpc::Channel> channel = ConnectTo("host:2222");    // for a stub
//
// It is made when it is first needed, and made again soon after it was lost. Messages may be as
// large as protocol buffers allow. Whoever has gone without a word, as when its machine lost its
// power, is noticed by the connection after some minutes only, for servers take it ill when they
// are asked more often; a Heartbeat (heartbeat.h) notices within seconds.
//
// Ownership: shared. Thread safety: any thread. Errors: none here; calls tell them.
#ifndef WARPBEAM_RUNTIME_DIST_GRPC_CHANNEL_H_
#define WARPBEAM_RUNTIME_DIST_GRPC_CHANNEL_H_

#include <memory>
#include <string>

#include "runtime/dist/tls_files.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace warpbeam {

// `address` is "host:port". `is_own`: a connection that no other channel to the address shares.
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address, const TlsFiles& tls = {},
                                         bool is_own = false);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_GRPC_CHANNEL_H_
