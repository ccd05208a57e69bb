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

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RNN_OPS_H_
