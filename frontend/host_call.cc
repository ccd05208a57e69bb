#include "frontend/host_call.h"

#include "frontend/graph_state.h"
#include "runtime/host_function/host_function.h"

namespace warpbeam {
namespace frontend {

OutputList HostCall(ScopeRef scope_ref, HostFunction function, const InputList& inputs,
                    const std::vector<DType>& output_types, bool stateful) {
  const Scope scope = scope_ref.scope();
  OutputList outputs(output_types.size());
  if (!scope.ok()) return outputs;
  if (function == nullptr) {
    scope.Fail(InvalidArgument("HostCall: there is no function"));
    return outputs;
  }
  auto registration = HostFunctionRegistration::Make(std::move(function));
  // PyFunc's list of outputs may be empty.
  const Operation call =
      BuildOp(scope.Named(scope.OpNameOr("PyFunc")), stateful ? "PyFunc" : "PyFuncStateless",
              {inputs}, OpAttrs().Set("token", registration->token()).Set("Tout", output_types));
  scope.state().Keep(std::move(registration));
  for (int i = 0; call.valid() && i < call.num_outputs(); ++i) outputs[i] = scope(call.output(i));
  return outputs;
}

}  // namespace frontend
}  // namespace warpbeam
