#include "runtime/host_function/host_function.h"

#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

struct Registry {
  std::mutex mutex;
  int64_t next = 0;                                                     // guarded by mutex
  std::map<std::string, std::shared_ptr<const HostFunction>> by_token;  // guarded by mutex
};

Registry& Functions() {
  static Registry* const registry = new Registry();
  return *registry;
}

}  // namespace

std::shared_ptr<const HostFunctionRegistration> HostFunctionRegistration::Make(
    HostFunction function) {
  auto shared = std::make_shared<const HostFunction>(std::move(function));
  Registry& functions = Functions();
  std::lock_guard<std::mutex> lock(functions.mutex);
  std::string token = absl::StrCat("host_function_", functions.next++);
  functions.by_token.emplace(token, std::move(shared));
  return std::shared_ptr<const HostFunctionRegistration>(
      new HostFunctionRegistration(std::move(token)));
}

HostFunctionRegistration::~HostFunctionRegistration() {
  // What it holds may do anything when it goes, so it goes outside of the lock.
  std::shared_ptr<const HostFunction> last = FindHostFunction(token_);
  Registry& functions = Functions();
  std::lock_guard<std::mutex> lock(functions.mutex);
  functions.by_token.erase(token_);
}

std::shared_ptr<const HostFunction> FindHostFunction(const std::string& token) {
  Registry& functions = Functions();
  std::lock_guard<std::mutex> lock(functions.mutex);
  const auto found = functions.by_token.find(token);
  return found == functions.by_token.end() ? nullptr : found->second;
}

}  // namespace warpbeam
