// FailRank: what the functions of signals and of linear algebra ask of their tensors.
//
//   if (FailRank(scope, "Dct", x, 1)) return Output();
//
// Thread safety: that of the scope. Errors: INVALID_ARGUMENT, kept in the scope.
#ifndef WARPBEAM_FRONTEND_SIGNAL_ARGUMENTS_H_
#define WARPBEAM_FRONTEND_SIGNAL_ARGUMENTS_H_

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Whether x has less than `least` dimensions or an unknown number of them, which the scope then
// says, or the scope had failed before.
bool FailRank(const Scope& scope, const char* function, const Output& x, int least);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SIGNAL_ARGUMENTS_H_
