#include "frontend/finalize.h"

#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {

void Finalize(const Scope& scope) { scope.state().Finalize(); }

bool IsFinalized(const Scope& scope) { return scope.state().finalized(); }

}  // namespace frontend
}  // namespace warpbeam
