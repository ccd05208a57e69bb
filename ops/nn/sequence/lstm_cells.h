// The arithmetic of an LSTM's cells, forwards and backwards, of a vector of cells or, in both
// passes, of one.
//
//   const auto cell = LstmCellsOf<float>::Step(1, 2, 3, 4, last, PeepholesOf<float>(), /*clip=*/0);
//   const float h = cell.co * cell.o;
//
// Thread safety: pure functions; they cannot fail.
#ifndef WARPBEAM_OPS_NN_SEQUENCE_LSTM_CELLS_H_
#define WARPBEAM_OPS_NN_SEQUENCE_LSTM_CELLS_H_

#include "ops/launch/math.h"

namespace warpbeam::WB_PASS {

template <class V>
WB_HD V Sigmoid(V x) {
  return V(1) / (V(1) + Exp(-x));
}

// The weights from a cell's state to its gates i, f and o, zero without peepholes.
template <class V>
struct PeepholesOf {
  V i = V(0), f = V(0), o = V(0);
};

// Some cells at one step: the gates' values, the state and its tanh.
template <class V>
struct LstmCellsOf {
  V i, cs, f, o, ci, co;

  // From the gates' sums of products, biases included.
  WB_HD static LstmCellsOf Step(V sum_i, V sum_ci, V sum_f, V sum_o, V last,
                                const PeepholesOf<V>& peephole, float clip) {
    LstmCellsOf c;
    c.i = Sigmoid(sum_i + last * peephole.i);
    c.ci = Tanh(sum_ci);
    c.f = Sigmoid(sum_f + last * peephole.f);
    c.cs = c.ci * c.i + last * c.f;
    if (clip > 0) c.cs = Min(V(clip), Max(V(-clip), c.cs));
    c.o = Sigmoid(sum_o + c.cs * peephole.o);
    c.co = Tanh(c.cs);
    return c;
  }

  struct Gradient {
    V i, ci, f, o;  // of the gates' sums
    V last;         // of the state before the step
  };
  // From the gradients of the state and of the output h = co o. Clipping lets all pass.
  WB_HD Gradient Back(V last, V d_cs, V d_h, const PeepholesOf<V>& peephole) const {
    const V one(1);
    Gradient d;
    d.o = d_h * co * o * (one - o);
    const V state = d_h * o * (one - co * co) + d_cs + d.o * peephole.o;
    d.i = state * ci * i * (one - i);
    d.ci = state * i * (one - ci * ci);
    d.f = state * last * f * (one - f);
    d.last = state * f + d.i * peephole.i + d.f * peephole.f;
    return d;
  }
};

// The places of the gates i, ci, f, o in the columns of the weights.
struct GatePlaces {
  int i, ci, f, o;
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_NN_SEQUENCE_LSTM_CELLS_H_
