// Finalize (tf.Graph.finalize): the graph becomes read-only.
//
//   Operation init = GlobalVariablesInitializer(scope);
//   Finalize(scope);
//   ClientSession session(scope);                       // a loop of steps adds nothing by mistake
//
// Building anything after that, from whatever scope of the graph, is an error that names it, and so
// shows a graph that would grow with every step.
//
// Ownership: none. Thread safety: that of the Scope. Errors: FAILED_PRECONDITION for what is built
// too late, kept in the scope: every later run tells it.
#ifndef WARPBEAM_FRONTEND_FINALIZE_H_
#define WARPBEAM_FRONTEND_FINALIZE_H_

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

void Finalize(const Scope& scope);
bool IsFinalized(const Scope& scope);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_FINALIZE_H_
