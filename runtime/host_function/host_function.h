// Host functions: functions of a program that nodes of its graphs call (PyFunc), by a token.
//
//   auto twice = HostFunctionRegistration::Make(
//       [](const std::vector<Tensor>& in, std::vector<Tensor>* out) -> Status { … });
//   std::string token = twice->token();                // "host_function_0", as of a PyFunc node
//
// Ownership: a function can be found as long as its registration is held; a call under way keeps it
// alive. Thread safety: any thread; functions are called from the threads of steps, several at a
// time. Errors: none; a token that names nothing finds nothing.
#ifndef WARPBEAM_RUNTIME_HOST_FUNCTION_HOST_FUNCTION_H_
#define WARPBEAM_RUNTIME_HOST_FUNCTION_HOST_FUNCTION_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

// Gives as many outputs, of the types, as the node that calls it says.
using HostFunction =
    std::function<Status(const std::vector<Tensor>& inputs, std::vector<Tensor>* outputs)>;

class HostFunctionRegistration {
 public:
  static std::shared_ptr<const HostFunctionRegistration> Make(HostFunction function);
  ~HostFunctionRegistration();
  HostFunctionRegistration(const HostFunctionRegistration&) = delete;
  HostFunctionRegistration& operator=(const HostFunctionRegistration&) = delete;

  const std::string& token() const { return token_; }

 private:
  explicit HostFunctionRegistration(std::string token) : token_(std::move(token)) {}

  const std::string token_;
};

// Null when no registration has the token.
std::shared_ptr<const HostFunction> FindHostFunction(const std::string& token);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_HOST_FUNCTION_HOST_FUNCTION_H_
