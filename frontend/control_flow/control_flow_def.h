// What the collections "while_context" and "cond_context" say of loops and branches: TensorFlow
// differentiates those of an imported graph by it.
//
// Internal to the frontend.
//
//   ControlFlowDef def;  def.name = "while/while_context";  …
//   std::string entry = SerializeContext(def);              // for the context around, or:
//   AddToCollection(scope, GraphKeys::kWhileContext, SerializeControlFlow(def));
//
// Ownership: values. Thread safety: pure functions. Errors: DATA_LOSS for bytes that are no such
// message.
#ifndef WARPBEAM_FRONTEND_CONTROL_FLOW_CONTROL_FLOW_DEF_H_
#define WARPBEAM_FRONTEND_CONTROL_FLOW_CONTROL_FLOW_DEF_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

// Tensors are named as "x:0".
struct ControlFlowDef {
  bool is_loop = false;
  std::string name;
  // That is alive in the branch; of a loop its LoopCond.
  std::string pivot;
  std::set<std::string> values;                  // of all nodes inside, and what they read outside
  std::map<std::string, std::string> externals;  // from what is read outside to its name inside
  std::vector<std::string> nested;               // as SerializeContext gives them
  // Of a branch.
  std::string predicate;
  int branch = 0;
  // Of a loop.
  int parallel_iterations = 10;
  std::string pivot_for_condition;
  std::string pivot_for_body;
  std::vector<std::string> enters, exits;
};

// As an entry of its collection, which has those that lie in no other.
std::string SerializeControlFlow(const ControlFlowDef& def);
// As one of those inside of another.
std::string SerializeContext(const ControlFlowDef& def);
// An entry of the collection `key` with `prefix` before all names.
StatusOr<std::string> PrefixControlFlow(const std::string& key, const std::string& bytes,
                                        const std::string& prefix);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_FLOW_CONTROL_FLOW_DEF_H_
