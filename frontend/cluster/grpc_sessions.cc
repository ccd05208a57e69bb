// Opens the sessions of "grpc://" targets (frontend/session_factory.h).
#include <algorithm>

#include "frontend/session_factory.h"
#include "runtime/dist/remote_session.h"

namespace warpbeam {
namespace frontend {
namespace {

StatusOr<RemoteSessionOptions> OptionsOf(const SessionRequest& request) {
  RemoteSessionOptions options;
  options.address = request.address;
  options.tls = request.tls;
  options.session = request.options;
  options.is_isolated = request.isolate_session_state;
  options.device_filters = request.device_filters;
  options.collective_nccl = request.collective_nccl;
  if (!request.cluster.empty()) {
    WB_ASSIGN_OR_RETURN(options.cluster, ClusterSpec::Parse(request.cluster));
  }
  if (const int64_t timeout_ms = request.options.operation_timeout_ms; timeout_ms > 0) {
    options.connect_timeout_ms = std::min(options.connect_timeout_ms, timeout_ms);
  }
  return options;
}

StatusOr<std::unique_ptr<Session>> OpenGrpcSession(const SessionRequest& request) {
  WB_ASSIGN_OR_RETURN(const RemoteSessionOptions options, OptionsOf(request));
  return NewRemoteSession(options, request.graph);
}

Status ResetGrpcServer(const SessionRequest& request, const std::vector<std::string>& containers) {
  WB_ASSIGN_OR_RETURN(const RemoteSessionOptions options, OptionsOf(request));
  return ResetServer(options, containers);
}

const bool registered = [] {
  RegisterSessionFactory("grpc", OpenGrpcSession, ResetGrpcServer);
  return true;
}();

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
