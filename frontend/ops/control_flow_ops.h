// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_CONTROL_FLOW_OPS_H_
#define WARPBEAM_FRONTEND_OPS_CONTROL_FLOW_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class AbortAttrs : public OpAttrs {
 public:
  AbortAttrs& error_msg(const std::string& value) {
    Set("error_msg", value);
    return *this;
  }
  AbortAttrs& exit_without_error(bool value) {
    Set("exit_without_error", value);
    return *this;
  }
};
// () -> ()
Operation Abort(ScopeRef scope, const AbortAttrs& attrs = AbortAttrs());

// () -> ()
Operation ControlTrigger(ScopeRef scope);

class EnterAttrs : public OpAttrs {
 public:
  EnterAttrs& is_constant(bool value) {
    Set("is_constant", value);
    return *this;
  }
  EnterAttrs& parallel_iterations(int64_t value) {
    Set("parallel_iterations", value);
    return *this;
  }
};
// (data: T) -> (output: T)
Output Enter(ScopeRef scope, const Input& data, const std::string& frame_name,
    const EnterAttrs& attrs = EnterAttrs());

// (data: T) -> (output: T)
Output Exit(ScopeRef scope, const Input& data);

// (input: bool) -> (output: bool)
Output LoopCond(ScopeRef scope, const Input& input);

struct MergeOutputs {
  Output output;
  Output value_index;
  Operation op;
};
// (inputs: N * T) -> (output: T, value_index: int32)
MergeOutputs Merge(ScopeRef scope, const InputList& inputs);

// (data: T) -> (output: T)
Output NextIteration(ScopeRef scope, const Input& data);

// () -> ()
Operation NoOp(ScopeRef scope);

class RefEnterAttrs : public OpAttrs {
 public:
  RefEnterAttrs& is_constant(bool value) {
    Set("is_constant", value);
    return *this;
  }
  RefEnterAttrs& parallel_iterations(int64_t value) {
    Set("parallel_iterations", value);
    return *this;
  }
};
// (data: Ref(T)) -> (output: Ref(T))
Output RefEnter(ScopeRef scope, const Input& data, const std::string& frame_name,
    const RefEnterAttrs& attrs = RefEnterAttrs());

// (data: Ref(T)) -> (output: Ref(T))
Output RefExit(ScopeRef scope, const Input& data);

struct RefMergeOutputs {
  Output output;
  Output value_index;
  Operation op;
};
// (inputs: Ref(N * T)) -> (output: Ref(T), value_index: int32)
RefMergeOutputs RefMerge(ScopeRef scope, const InputList& inputs);

// (data: Ref(T)) -> (output: Ref(T))
Output RefNextIteration(ScopeRef scope, const Input& data);

// (index: int32, inputs: Ref(N * T)) -> (output: Ref(T))
Output RefSelect(ScopeRef scope, const Input& index, const InputList& inputs);

struct RefSwitchOutputs {
  Output output_false;
  Output output_true;
  Operation op;
};
// (data: Ref(T), pred: bool) -> (output_false: Ref(T), output_true: Ref(T))
RefSwitchOutputs RefSwitch(ScopeRef scope, const Input& data, const Input& pred);

struct SwitchOutputs {
  Output output_false;
  Output output_true;
  Operation op;
};
// (data: T, pred: bool) -> (output_false: T, output_true: T)
SwitchOutputs Switch(ScopeRef scope, const Input& data, const Input& pred);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_CONTROL_FLOW_OPS_H_
