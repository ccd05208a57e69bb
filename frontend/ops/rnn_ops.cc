// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/rnn_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

BlockLSTMOutputs BlockLSTM(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const BlockLSTMAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "BlockLSTM", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b},
      attrs);
  BlockLSTMOutputs outputs;
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

BlockLSTMGradOutputs BlockLSTMGrad(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const Input& i, const Input& cs, const Input& f,
    const Input& o, const Input& ci, const Input& co, const Input& h, const Input& cs_grad,
    const Input& h_grad, bool use_peephole) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "BlockLSTMGrad", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs,
          f, o, ci, co, h, cs_grad, h_grad},
      OpAttrs()
          .Set("use_peephole", use_peephole));
  BlockLSTMGradOutputs outputs;
  outputs.x_grad = OutputOf(here, built, "x_grad");
  outputs.cs_prev_grad = OutputOf(here, built, "cs_prev_grad");
  outputs.h_prev_grad = OutputOf(here, built, "h_prev_grad");
  outputs.w_grad = OutputOf(here, built, "w_grad");
  outputs.wci_grad = OutputOf(here, built, "wci_grad");
  outputs.wcf_grad = OutputOf(here, built, "wcf_grad");
  outputs.wco_grad = OutputOf(here, built, "wco_grad");
  outputs.b_grad = OutputOf(here, built, "b_grad");
  outputs.op = built;
  return outputs;
}

BlockLSTMGradV2Outputs BlockLSTMGradV2(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const Input& i, const Input& cs, const Input& f,
    const Input& o, const Input& ci, const Input& co, const Input& h, const Input& cs_grad,
    const Input& h_grad, bool use_peephole) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "BlockLSTMGradV2", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i,
          cs, f, o, ci, co, h, cs_grad, h_grad},
      OpAttrs()
          .Set("use_peephole", use_peephole));
  BlockLSTMGradV2Outputs outputs;
  outputs.x_grad = OutputOf(here, built, "x_grad");
  outputs.cs_prev_grad = OutputOf(here, built, "cs_prev_grad");
  outputs.h_prev_grad = OutputOf(here, built, "h_prev_grad");
  outputs.w_grad = OutputOf(here, built, "w_grad");
  outputs.wci_grad = OutputOf(here, built, "wci_grad");
  outputs.wcf_grad = OutputOf(here, built, "wcf_grad");
  outputs.wco_grad = OutputOf(here, built, "wco_grad");
  outputs.b_grad = OutputOf(here, built, "b_grad");
  outputs.op = built;
  return outputs;
}

BlockLSTMV2Outputs BlockLSTMV2(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const BlockLSTMV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "BlockLSTMV2", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b},
      attrs);
  BlockLSTMV2Outputs outputs;
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

GRUBlockCellGradOutputs GRUBlockCellGrad(ScopeRef scope, const Input& x, const Input& h_prev,
    const Input& w_ru, const Input& w_c, const Input& b_ru, const Input& b_c, const Input& r,
    const Input& u, const Input& c, const Input& d_h) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "GRUBlockCellGrad", {x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h},
      OpAttrs());
  GRUBlockCellGradOutputs outputs;
  outputs.d_x = OutputOf(here, built, "d_x");
  outputs.d_h_prev = OutputOf(here, built, "d_h_prev");
  outputs.d_c_bar = OutputOf(here, built, "d_c_bar");
  outputs.d_r_bar_u_bar = OutputOf(here, built, "d_r_bar_u_bar");
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

LSTMBlockCellGradOutputs LSTMBlockCellGrad(ScopeRef scope, const Input& x, const Input& cs_prev,
    const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco,
    const Input& b, const Input& i, const Input& cs, const Input& f, const Input& o,
    const Input& ci, const Input& co, const Input& cs_grad, const Input& h_grad, bool use_peephole) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "LSTMBlockCellGrad", {x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci,
          co, cs_grad, h_grad},
      OpAttrs()
          .Set("use_peephole", use_peephole));
  LSTMBlockCellGradOutputs outputs;
  outputs.cs_prev_grad = OutputOf(here, built, "cs_prev_grad");
  outputs.dicfo = OutputOf(here, built, "dicfo");
  outputs.wci_grad = OutputOf(here, built, "wci_grad");
  outputs.wcf_grad = OutputOf(here, built, "wcf_grad");
  outputs.wco_grad = OutputOf(here, built, "wco_grad");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
