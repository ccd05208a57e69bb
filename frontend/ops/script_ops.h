// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_SCRIPT_OPS_H_
#define WARPBEAM_FRONTEND_OPS_SCRIPT_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (input: Tin) -> (output: Tout)
std::vector<Output> PyFunc(ScopeRef scope, const InputList& input, const std::string& token,
    const std::vector<DType>& Tout);

// (input: Tin) -> (output: Tout)
std::vector<Output> PyFuncStateless(ScopeRef scope, const InputList& input,
    const std::string& token, const std::vector<DType>& Tout);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_SCRIPT_OPS_H_
