// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_RNN_OPS_H_
#define WARPBEAM_FRONTEND_OPS_RNN_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class BlockLSTMAttrs : public OpAttrs {
 public:
  BlockLSTMAttrs& forget_bias(float value) {
    Set("forget_bias", value);
    return *this;
  }
  BlockLSTMAttrs& cell_clip(float value) {
    Set("cell_clip", value);
    return *this;
  }
  BlockLSTMAttrs& use_peephole(bool value) {
    Set("use_peephole", value);
    return *this;
  }
};
struct BlockLSTMOutputs {
  Output i;
  Output cs;
  Output f;
  Output o;
  Output ci;
  Output co;
  Output h;
  Operation op;
};
// (seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T,
//     cs: T, f: T, o: T, ci: T, co: T, h: T)
BlockLSTMOutputs BlockLSTM(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const BlockLSTMAttrs& attrs = BlockLSTMAttrs());

struct BlockLSTMGradOutputs {
  Output x_grad;
  Output cs_prev_grad;
  Output h_prev_grad;
  Output w_grad;
  Output wci_grad;
  Output wcf_grad;
  Output wco_grad;
  Output b_grad;
  Operation op;
};
// (seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs:
//     T, f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> (x_grad: T, cs_prev_grad: T,
//     h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T)
BlockLSTMGradOutputs BlockLSTMGrad(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const Input& i, const Input& cs, const Input& f,
    const Input& o, const Input& ci, const Input& co, const Input& h, const Input& cs_grad,
    const Input& h_grad, bool use_peephole);

struct BlockLSTMGradV2Outputs {
  Output x_grad;
  Output cs_prev_grad;
  Output h_prev_grad;
  Output w_grad;
  Output wci_grad;
  Output wcf_grad;
  Output wco_grad;
  Output b_grad;
  Operation op;
};
// (seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs:
//     T, f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> (x_grad: T, cs_prev_grad: T,
//     h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T)
BlockLSTMGradV2Outputs BlockLSTMGradV2(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const Input& i, const Input& cs, const Input& f,
    const Input& o, const Input& ci, const Input& co, const Input& h, const Input& cs_grad,
    const Input& h_grad, bool use_peephole);

class BlockLSTMV2Attrs : public OpAttrs {
 public:
  BlockLSTMV2Attrs& cell_clip(float value) {
    Set("cell_clip", value);
    return *this;
  }
  BlockLSTMV2Attrs& use_peephole(bool value) {
    Set("use_peephole", value);
    return *this;
  }
};
struct BlockLSTMV2Outputs {
  Output i;
  Output cs;
  Output f;
  Output o;
  Output ci;
  Output co;
  Output h;
  Operation op;
};
// (seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T,
//     cs: T, f: T, o: T, ci: T, co: T, h: T)
BlockLSTMV2Outputs BlockLSTMV2(ScopeRef scope, const Input& seq_len_max, const Input& x,
    const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf,
    const Input& wco, const Input& b, const BlockLSTMV2Attrs& attrs = BlockLSTMV2Attrs());

struct GRUBlockCellOutputs {
  Output r;
  Output u;
  Output c;
  Output h;
  Operation op;
};
// (x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T) -> (r: T, u: T, c: T, h: T)
GRUBlockCellOutputs GRUBlockCell(ScopeRef scope, const Input& x, const Input& h_prev,
    const Input& w_ru, const Input& w_c, const Input& b_ru, const Input& b_c);

struct GRUBlockCellGradOutputs {
  Output d_x;
  Output d_h_prev;
  Output d_c_bar;
  Output d_r_bar_u_bar;
  Operation op;
};
// (x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T, r: T, u: T, c: T, d_h: T) -> (d_x: T,
//     d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T)
GRUBlockCellGradOutputs GRUBlockCellGrad(ScopeRef scope, const Input& x, const Input& h_prev,
    const Input& w_ru, const Input& w_c, const Input& b_ru, const Input& b_c, const Input& r,
    const Input& u, const Input& c, const Input& d_h);

class LSTMBlockCellAttrs : public OpAttrs {
 public:
  LSTMBlockCellAttrs& forget_bias(float value) {
    Set("forget_bias", value);
    return *this;
  }
  LSTMBlockCellAttrs& cell_clip(float value) {
    Set("cell_clip", value);
    return *this;
  }
  LSTMBlockCellAttrs& use_peephole(bool value) {
    Set("use_peephole", value);
    return *this;
  }
};
struct LSTMBlockCellOutputs {
  Output i;
  Output cs;
  Output f;
  Output o;
  Output ci;
  Output co;
  Output h;
  Operation op;
};
// (x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T, f: T, o: T,
//     ci: T, co: T, h: T)
LSTMBlockCellOutputs LSTMBlockCell(ScopeRef scope, const Input& x, const Input& cs_prev,
    const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco,
    const Input& b, const LSTMBlockCellAttrs& attrs = LSTMBlockCellAttrs());

struct LSTMBlockCellGradOutputs {
  Output cs_prev_grad;
  Output dicfo;
  Output wci_grad;
  Output wcf_grad;
  Output wco_grad;
  Operation op;
};
// (x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, o: T, ci: T,
//     co: T, cs_grad: T, h_grad: T) -> (cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T,
//     wco_grad: T)
LSTMBlockCellGradOutputs LSTMBlockCellGrad(ScopeRef scope, const Input& x, const Input& cs_prev,
    const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco,
    const Input& b, const Input& i, const Input& cs, const Input& f, const Input& o,
    const Input& ci, const Input& co, const Input& cs_grad, const Input& h_grad, bool use_peephole);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RNN_OPS_H_
