// Abandonment: whether anyone still waits for what a thread compiles. Compiling goes through
// passes, placement of function bodies and the making of kernels, which compile in turn, so the
// thread knows it and not their arguments: who begins a compilation opens a scope, loops over nodes
// look.
//
//   const AbandonmentScope scope(&abandoned);    // a std::atomic<bool> that the waiters share
//   for (NodeId id : order) {
//     WB_RETURN_IF_ERROR(CheckStillWanted());  …
//   }
//
// Ownership: the flag outlives the scope. Thread safety: a scope is its thread's, the flag may be
// set by any thread. Errors: CANCELLED once the flag is set; without a scope there are none.
#ifndef WARPBEAM_GRAPH_ABANDONMENT_H_
#define WARPBEAM_GRAPH_ABANDONMENT_H_

#include <atomic>

#include "graph/types/errors.h"

namespace warpbeam {

class AbandonmentScope {
 public:
  // Null: nothing is compiled here.
  explicit AbandonmentScope(const std::atomic<bool>* abandoned);
  ~AbandonmentScope();
  AbandonmentScope(const AbandonmentScope&) = delete;
  AbandonmentScope& operator=(const AbandonmentScope&) = delete;

  // The flag of this thread, for threads that do a part of its work.
  static const std::atomic<bool>* Current();

 private:
  const std::atomic<bool>* const before_;
};

bool IsAbandoned();
Status CheckStillWanted();

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_ABANDONMENT_H_
