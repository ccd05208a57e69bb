// What the CPU's kernels of recurrent cells share: loops over the cells of a batch in vectors,
// matrix operands as floats, and the checks of inputs, which those of GPUs call too.
//
//   ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
//     at.Store(Sigmoid(at.Load(x + row * cells)), y + row * cells);
//   });
//
// Elements of type half are computed with as floats. Ownership: temporary tensors belong to the
// caller. Thread safety: pure but for what is written. Errors: INVALID_ARGUMENT for an input of
// another shape than its kernel needs, RESOURCE_EXHAUSTED without memory for converted operands.
#ifndef WARPBEAM_OPS_NN_SEQUENCE_RECURRENT_CELLS_H_
#define WARPBEAM_OPS_NN_SEQUENCE_RECURRENT_CELLS_H_

#include <algorithm>
#include <type_traits>

#include "ops/launch/math.h"
#include "ops/launch/vec.h"
#include "ops/math/gemm.h"
#include "ops/nn/sequence/lstm_cells.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam::host_pass {

// The cells [first, first + count) of a row, which fill a vector but at the row's end.
struct Lanes {
  using V = Vec<float>;
  int64_t first, count;

  template <class T>
  V Load(const T* row) const {
    return count == V::kLanes ? LoadVec(row + first) : LoadVecN(row + first, count);
  }
  template <class T>
  void Store(V x, T* row) const {
    if (count == V::kLanes) {
      StoreVec(x, row + first);
    } else {
      StoreVecN(x, row + first, count);
    }
  }
};

// fn(row, lanes) for all cells of all rows, the rows shared out among the threads.
template <class Fn>
void ForEachLanes(const KernelContext& ctx, int64_t rows, int64_t cells, int ns_per_cell, Fn fn) {
  ctx.ParallelFor(rows, cells * ns_per_cell + 20, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t k = 0; k < cells; k += Lanes::V::kLanes) {
        fn(row, Lanes{k, std::min<int64_t>(Lanes::V::kLanes, cells - k)});
      }
    }
  });
}

// sums[k] = the sum of term(row, lanes) over the rows, in their order. The cells are shared out.
template <class T, class Fn>
void SumRows(const KernelContext& ctx, int64_t rows, int64_t cells, T* sums, Fn term) {
  const int64_t pieces = (cells + Lanes::V::kLanes - 1) / Lanes::V::kLanes;
  ctx.ParallelFor(pieces, rows * 2 + 10, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t k = piece * Lanes::V::kLanes;
      const Lanes at{k, std::min<int64_t>(Lanes::V::kLanes, cells - k)};
      Lanes::V sum(0);
      for (int64_t row = 0; row < rows; ++row) sum = sum + term(row, at);
      at.Store(sum, sums);
    }
  });
}

inline Status CheckShape(const KernelContext& ctx, int input, const char* name,
                         const Shape& wanted) {
  if (ctx.input(input).shape() == wanted) return OkStatus();
  return InvalidArgument("'", name, "' must have shape ", wanted.ToString(), ", but has ",
                         ctx.input(input).shape().ToString());
}

template <class T>
void Widen(const T* from, int64_t count, float* to) {
  std::transform(from, from + count, to, [](T v) { return static_cast<float>(v); });
}

// A tensor as floats: itself, if it is one of floats.
template <class T>
StatusOr<Tensor> AsFloats(KernelContext& ctx, const Tensor& x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    WB_ASSIGN_OR_RETURN(Tensor floats, ctx.AllocateTemp(DType::kFloat, x.shape()));
    Widen(x.data<T>(), x.num_elements(), floats.data<float>());
    return floats;
  }
}

// A float product that is written where it says: c[m, n] = op(a) op(b).
inline Status Product(const KernelContext& ctx, int64_t m, int64_t n, int64_t k, const float* a,
                      bool transpose_a, const float* b, bool transpose_b, float* c) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.transpose_a = transpose_a;
  problem.transpose_b = transpose_b;
  return Gemm(ctx, DType::kFloat, problem, a, b, c);
}

// [x, h] w, as float: the rows of x and h side by side, times a matrix of `columns` columns.
template <class T>
StatusOr<Tensor> Project(KernelContext& ctx, const Tensor& x, const T* h, int64_t cells,
                         const Tensor& w, int64_t columns) {
  const int64_t batch = x.dim(0), inputs = x.dim(1), rows = inputs + cells;
  WB_ASSIGN_OR_RETURN(Tensor xh, ctx.AllocateTemp(DType::kFloat, Shape({batch, rows})));
  for (int64_t b = 0; b < batch; ++b) {
    float* row = xh.data<float>() + b * rows;
    Widen(x.data<T>() + b * inputs, inputs, row);
    Widen(h + b * cells, cells, row + inputs);
  }
  WB_ASSIGN_OR_RETURN(const Tensor weights, AsFloats<T>(ctx, w));
  WB_ASSIGN_OR_RETURN(Tensor result, ctx.AllocateTemp(DType::kFloat, Shape({batch, columns})));
  WB_RETURN_IF_ERROR(Product(ctx, batch, columns, rows, xh.data<float>(), false,
                             weights.data<float>(), false, result.data<float>()));
  return result;
}

using Peepholes = PeepholesOf<Lanes::V>;
using LstmCells = LstmCellsOf<Lanes::V>;

// Those of some cells; `first` is the input of the first of the three.
template <class T>
Peepholes LoadPeepholes(const KernelContext& ctx, bool peephole, int first, const Lanes& at) {
  if (!peephole) return {};
  return {at.Load(ctx.input(first).data<T>()), at.Load(ctx.input(first + 1).data<T>()),
          at.Load(ctx.input(first + 2).data<T>())};
}

// Checks x, cs_prev, h_prev, w, wci, wcf, wco and b, the first inputs of an LSTM's step and of its
// gradient; the state's shape.
inline StatusOr<Shape> LstmStateShape(const KernelContext& ctx, bool has_peepholes) {
  const Tensor &x = ctx.input(0), &cs = ctx.input(1);
  if (x.rank() != 2 || cs.rank() != 2) {
    return InvalidArgument("'x' and 'cs_prev' must be matrices, but have shapes ",
                           x.shape().ToString(), " and ", cs.shape().ToString());
  }
  const int64_t cells = cs.dim(1);
  const Shape state({x.dim(0), cells});
  WB_RETURN_IF_ERROR(CheckShape(ctx, 1, "cs_prev", state));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 2, "h_prev", state));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 3, "w", Shape({x.dim(1) + cells, cells * 4})));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 7, "b", Shape({cells * 4})));
  static constexpr const char* kPeepholes[] = {"wci", "wcf", "wco"};
  for (int i = 0; has_peepholes && i < 3; ++i) {
    WB_RETURN_IF_ERROR(CheckShape(ctx, 4 + i, kPeepholes[i], Shape({cells})));
  }
  return state;
}

// The same of an LSTM's gradient, whose other inputs are the step's results i, cs, f, o, ci, co and
// the gradients of cs and h.
inline StatusOr<Shape> LstmGradStateShape(const KernelContext& ctx, bool has_peepholes) {
  WB_ASSIGN_OR_RETURN(const Shape state, LstmStateShape(ctx, has_peepholes));
  static constexpr const char* kSaved[] = {"i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad"};
  for (int i = 0; i < 8; ++i) WB_RETURN_IF_ERROR(CheckShape(ctx, 8 + i, kSaved[i], state));
  return state;
}

// Checks x, h_prev, w_ru, w_c, b_ru and b_c, the first inputs of a GRU's step and of its gradient;
// the state's shape.
inline StatusOr<Shape> GruStateShape(const KernelContext& ctx) {
  const Tensor &x = ctx.input(0), &h = ctx.input(1);
  if (x.rank() != 2 || h.rank() != 2) {
    return InvalidArgument("'x' and 'h_prev' must be matrices, but have shapes ",
                           x.shape().ToString(), " and ", h.shape().ToString());
  }
  const int64_t cells = h.dim(1), rows = x.dim(1) + cells;
  const Shape state({x.dim(0), cells});
  WB_RETURN_IF_ERROR(CheckShape(ctx, 1, "h_prev", state));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 2, "w_ru", Shape({rows, 2 * cells})));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 3, "w_c", Shape({rows, cells})));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 4, "b_ru", Shape({2 * cells})));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 5, "b_c", Shape({cells})));
  return state;
}

// The same of a GRU's gradient, whose other inputs are the step's r, u, c and the gradient of h.
inline StatusOr<Shape> GruGradStateShape(const KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Shape state, GruStateShape(ctx));
  static constexpr const char* kSaved[] = {"r", "u", "c", "d_h"};
  for (int i = 0; i < 4; ++i) WB_RETURN_IF_ERROR(CheckShape(ctx, 6 + i, kSaved[i], state));
  return state;
}

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_NN_SEQUENCE_RECURRENT_CELLS_H_
