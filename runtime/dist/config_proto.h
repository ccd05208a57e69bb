// What a client's ConfigProto and RunOptions mean for a session, and how a client writes them.
//
//   SessionOptions options = server_options;
//   WB_RETURN_IF_ERROR(ApplyConfig(request.config(), &options));
//
//   WB_RETURN_IF_ERROR(ConfigToProto(SessionOptions(), /*is_isolated=*/false, &config));
//
// Settings that a server cannot follow are its own, as in TensorFlow: numbers of devices and of
// threads. Thread safety: pure. Errors: INVALID_ARGUMENT for what no server does: thread pools of a
// session, results that are the same bits in every run.
#ifndef WARPBEAM_RUNTIME_DIST_CONFIG_PROTO_H_
#define WARPBEAM_RUNTIME_DIST_CONFIG_PROTO_H_

#include "runtime/dist/cluster_spec.h"
#include "runtime/session/session.h"

namespace tensorflow {
class CallableOptions;
class ClusterDef;
class ConfigProto;
class RunOptions;
}  // namespace tensorflow

namespace warpbeam {

Status ApplyConfig(const tensorflow::ConfigProto& config, SessionOptions* options);
StatusOr<ClusterSpec> ClusterSpecFromProto(const tensorflow::ClusterDef& proto);
void ClusterSpecToProto(const ClusterSpec& cluster, tensorflow::ClusterDef* proto);
RunOptions RunOptionsFromProto(const tensorflow::RunOptions& proto);
// UNIMPLEMENTED for tensors that the client wants connected.
StatusOr<CallableOptions> CallableOptionsFromProto(const tensorflow::CallableOptions& proto);

// Simulated GPUs, limits of memory, folders and capabilities have no field there: they are the
// server's own.
Status ConfigToProto(const SessionOptions& options, bool is_isolated,
                     tensorflow::ConfigProto* proto);
// A cost graph has none either; a session gives them as its config asks (build_cost_model).
void RunOptionsToProto(const RunOptions& options, tensorflow::RunOptions* proto);
void CallableOptionsToProto(const CallableOptions& options, tensorflow::CallableOptions* proto);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CONFIG_PROTO_H_
