// Opens the sessions of "grpc://" targets (frontend/session_factory.h).
#include <algorithm>

#include "frontend/session_factory.h"
#include "runtime/dist/remote_session.h"

namespace warpbeam {
namespace frontend {
namespace {

StatusOr<std::unique_ptr<Session>> OpenGrpcSession(const SessionRequest& request) {
  RemoteSessionOptions options;
  options.address = request.address;
  options.tls = request.tls;
  options.session = request.options;
  options.is_isolated = request.isolate_session_state;
  options.device_filters = request.device_filters;
  if (!request.cluster.empty()) {
    WB_ASSIGN_OR_RETURN(options.cluster, ClusterSpec::Parse(request.cluster));
  }
  if (const int64_t timeout_ms = request.options.operation_timeout_ms; timeout_ms > 0) {
    options.connect_timeout_ms = std::min(options.connect_timeout_ms, timeout_ms);
  }
  return NewRemoteSession(options, request.graph);
}

const bool registered = [] {
  RegisterSessionFactory("grpc", OpenGrpcSession);
  return true;
}();

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
