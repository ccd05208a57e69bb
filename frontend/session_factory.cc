#include "frontend/session_factory.h"

#include <map>
#include <mutex>
#include <utility>

namespace warpbeam {
namespace frontend {
namespace {

constexpr char kAfterScheme[] = "://";

struct Factories {
  std::mutex mutex;
  std::map<std::string, SessionFactory> by_scheme;
};

// Never destroyed: sessions may be made while the process ends.
Factories& AllFactories() {
  static auto* const factories = new Factories;
  return *factories;
}

}  // namespace

void RegisterSessionFactory(const std::string& scheme, SessionFactory factory) {
  Factories& all = AllFactories();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.by_scheme[scheme] = std::move(factory);
}

StatusOr<std::unique_ptr<Session>> NewSession(const std::string& target, SessionRequest request) {
  if (target.empty() && !request.cluster.empty()) {
    return InvalidArgument("a session of this process has no cluster ('", request.cluster,
                           "'); set the target to a server of one of its tasks");
  }
  if (target.empty()) return Session::Create(request.options, std::move(request.graph));
  const size_t end = target.find(kAfterScheme);
  if (end == std::string::npos) {
    return InvalidArgument("the target of a session is of the form grpc://host:port, got '", target,
                           "'");
  }
  const std::string scheme = target.substr(0, end);
  SessionFactory factory;
  {
    Factories& all = AllFactories();
    std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.by_scheme.find(scheme);
    if (found != all.by_scheme.end()) factory = found->second;
  }
  if (factory == nullptr) {
    return InvalidArgument("nothing in this program opens sessions on '", scheme,
                           "' targets; for grpc, link //frontend:cluster (the target is '", target,
                           "')");
  }
  request.address = target.substr(end + sizeof(kAfterScheme) - 1);
  return factory(request);
}

}  // namespace frontend
}  // namespace warpbeam
