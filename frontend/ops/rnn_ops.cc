// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/rnn_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

GRUBlockCellOutputs GRUBlockCell(ScopeRef scope, const Input& x, const Input& h_prev,
    const Input& w_ru, const Input& w_c, const Input& b_ru, const Input& b_c) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "GRUBlockCell", {x, h_prev, w_ru, w_c, b_ru, b_c},
      OpAttrs());
  GRUBlockCellOutputs outputs;
  outputs.r = OutputOf(here, built, "r");
  outputs.u = OutputOf(here, built, "u");
  outputs.c = OutputOf(here, built, "c");
  outputs.h = OutputOf(here, built, "h");
  outputs.op = built;
  return outputs;
}

LSTMBlockCellOutputs LSTMBlockCell(ScopeRef scope, const Input& x, const Input& cs_prev,
    const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco,
    const Input& b, const LSTMBlockCellAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "LSTMBlockCell", {x, cs_prev, h_prev, w, wci, wcf, wco, b},
      attrs);
  LSTMBlockCellOutputs outputs;
  outputs.i = OutputOf(here, built, "i");
  outputs.cs = OutputOf(here, built, "cs");
  outputs.f = OutputOf(here, built, "f");
  outputs.o = OutputOf(here, built, "o");
  outputs.ci = OutputOf(here, built, "ci");
  outputs.co = OutputOf(here, built, "co");
  outputs.h = OutputOf(here, built, "h");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
