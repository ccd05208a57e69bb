#include "frontend/session_factory.h"

#include <map>
#include <mutex>
#include <utility>

namespace warpbeam {
namespace frontend {
namespace {

constexpr char kAfterScheme[] = "://";

struct Scheme {
  SessionFactory factory;
  SessionResetter resetter;
};

struct Factories {
  std::mutex mutex;
  std::map<std::string, Scheme> by_scheme;
};

// Never destroyed: sessions may be made while the process ends.
Factories& AllFactories() {
  static auto* const factories = new Factories;
  return *factories;
}

// Who knows the target, whose address goes into the request.
StatusOr<Scheme> SchemeOf(const std::string& target, SessionRequest* request) {
  const size_t end = target.find(kAfterScheme);
  if (end == std::string::npos) {
    return InvalidArgument("the target of a session is of the form grpc://host:port, got '", target,
                           "'");
  }
  const std::string scheme = target.substr(0, end);
  request->address = target.substr(end + sizeof(kAfterScheme) - 1);
  Factories& all = AllFactories();
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_scheme.find(scheme);
  if (found != all.by_scheme.end()) return found->second;
  return InvalidArgument("nothing in this program opens sessions on '", scheme,
                         "' targets; for grpc, link //frontend:cluster (the target is '", target,
                         "')");
}

}  // namespace

void RegisterSessionFactory(const std::string& scheme, SessionFactory factory,
                            SessionResetter resetter) {
  Factories& all = AllFactories();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.by_scheme[scheme] = {std::move(factory), std::move(resetter)};
}

StatusOr<std::unique_ptr<Session>> NewSession(const std::string& target, SessionRequest request) {
  if (target.empty() && !request.cluster.empty()) {
    return InvalidArgument("a session of this process has no cluster ('", request.cluster,
                           "'); set the target to a server of one of its tasks");
  }
  if (target.empty()) return Session::Create(request.options, std::move(request.graph));
  WB_ASSIGN_OR_RETURN(const Scheme scheme, SchemeOf(target, &request));
  return scheme.factory(request);
}

Status ResetSessions(const std::string& target, SessionRequest request,
                     const std::vector<std::string>& containers) {
  if (target.empty()) {
    return FailedPrecondition("sessions of this process share no variables that could be reset; ",
                              "name the target of a server, or close the session");
  }
  WB_ASSIGN_OR_RETURN(const Scheme scheme, SchemeOf(target, &request));
  if (scheme.resetter != nullptr) return scheme.resetter(request, containers);
  return Unimplemented("sessions on '", target, "' cannot be reset");
}

}  // namespace frontend
}  // namespace warpbeam
