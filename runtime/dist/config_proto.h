// What a client's ConfigProto and RunOptions mean for a session.
//
//   SessionOptions options = server_options;
//   WB_RETURN_IF_ERROR(ApplyConfig(request.config(), &options));
//
// Settings that a server cannot follow are its own, as in TensorFlow: numbers of devices and of
// threads. Thread safety: pure. Errors: INVALID_ARGUMENT for what no server does: thread pools of a
// session.
#ifndef WARPBEAM_RUNTIME_DIST_CONFIG_PROTO_H_
#define WARPBEAM_RUNTIME_DIST_CONFIG_PROTO_H_

#include "runtime/session/session.h"

namespace tensorflow {
class CallableOptions;
class ConfigProto;
class RunOptions;
}  // namespace tensorflow

namespace warpbeam {

absl::Status ApplyConfig(const tensorflow::ConfigProto& config, SessionOptions* options);
RunOptions RunOptionsFromProto(const tensorflow::RunOptions& proto);
// UNIMPLEMENTED for tensors that the client wants connected.
absl::StatusOr<CallableOptions> CallableOptionsFromProto(const tensorflow::CallableOptions& proto);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CONFIG_PROTO_H_
