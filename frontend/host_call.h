// HostCall: a function of the program as an operation of the graph (tf.py_func).
//
//   std::vector<Output> y = HostCall(
//       scope,
//       [](const std::vector<Tensor>& in, std::vector<Tensor>* out) -> Status {
//         WB_ASSIGN_OR_RETURN(const float x, ValueOf<float>(in[0]));
//         out->push_back(Tensor::Scalar(std::lgamma(x)));
//         return Status();
//       },
//       {x}, {DType::kFloat});
//
// The node is the "PyFunc" of TensorFlow's Python. It runs in this process alone: a graph that is
// exported, or run on a server, takes the node along but not the function.
//
// Ownership: the graph keeps the function, and so do its sessions. Thread safety: that of the Scope
// for building; the function is called from threads of steps, several at a time. Errors: those of
// the function are those of the step; INVALID_ARGUMENT for another number of outputs, or other
// types, than were promised.
#ifndef WARPBEAM_FRONTEND_HOST_CALL_H_
#define WARPBEAM_FRONTEND_HOST_CALL_H_

#include <functional>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {

using HostFunction =
    std::function<Status(const std::vector<Tensor>& inputs, std::vector<Tensor>* outputs)>;

// A function that is not stateful gives the same outputs for the same inputs: its calls may be left
// out and joined.
OutputList HostCall(ScopeRef scope, HostFunction function, const InputList& inputs,
                    const std::vector<DType>& output_types, bool stateful = true);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_HOST_CALL_H_
