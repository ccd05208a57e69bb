// Session factories: what opens the sessions of a ClientSession, by the scheme of its target.
//
//   SessionConfig config;
//   config.target = "grpc://host:2222";                 // scheme "grpc", address "host:2222"
//
// A session without a target is of this process. What knows other ones registers itself once, as
// //frontend:cluster does for "grpc":
//
//   RegisterSessionFactory("inproc", [](const SessionRequest& request) {
//     return Session::Create(request.options, request.graph);
//   });
//
// Ownership: factories stay for as long as the process. Thread safety: any thread. Errors:
// INVALID_ARGUMENT for a target that is none and for a scheme that nobody has registered, saying
// what to link; then those of the factory.
#ifndef WARPBEAM_FRONTEND_SESSION_FACTORY_H_
#define WARPBEAM_FRONTEND_SESSION_FACTORY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/dist/tls_files.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {

struct SessionRequest {
  std::string address;  // what follows "scheme://"
  TlsFiles tls;         // for servers that ask for a certificate
  SessionOptions options;
  // Variables, queues and tables of its own, which no other session sees.
  bool isolate_session_state = false;
  // As those of SessionConfig.
  std::vector<std::string> device_filters;
  std::string cluster;
  bool collective_nccl = false;
  std::shared_ptr<Graph> graph;
};

using SessionFactory =
    std::function<StatusOr<std::unique_ptr<Session>>(const SessionRequest& request)>;

// Closes all sessions at the request's address and empties these containers, or all.
using SessionResetter = std::function<Status(const SessionRequest& request,
                                             const std::vector<std::string>& containers)>;

// The last one of a scheme counts.
void RegisterSessionFactory(const std::string& scheme, SessionFactory factory,
                            SessionResetter resetter = nullptr);

// Opens a session on `target`, "scheme://address"; in this process where it is empty. The request's
// address is taken from it.
StatusOr<std::unique_ptr<Session>> NewSession(const std::string& target, SessionRequest request);

// FAILED_PRECONDITION for this process, whose sessions share nothing.
Status ResetSessions(const std::string& target, SessionRequest request,
                     const std::vector<std::string>& containers);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SESSION_FACTORY_H_
