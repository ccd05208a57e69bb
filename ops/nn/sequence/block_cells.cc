// LSTMBlockCell and GRUBlockCell: one step of a recurrent cell, its matrix products and gates in
// one op.

#include <algorithm>
#include <memory>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/gemm.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

float Sigmoid(float x) { return 1 / (1 + Exp(-x)); }

absl::Status CheckShape(const KernelContext& ctx, int input, const char* name,
                        const Shape& wanted) {
  if (ctx.input(input).shape() == wanted) return absl::OkStatus();
  return InvalidArgument("'", name, "' must have shape ", wanted.ToString(), ", but has ",
                         ctx.input(input).shape().ToString());
}

// [x, h] w, as float: the rows of x and h side by side, times a matrix of `columns` columns.
template <class T>
absl::Status Project(KernelContext& ctx, const Tensor& x, const T* h, int64_t cells,
                     const Tensor& w, int64_t columns, std::vector<float>* result) {
  const int64_t batch = x.dim(0), inputs = x.dim(1), rows = inputs + cells;
  std::vector<float> xh(batch * rows), weights(rows * columns);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < inputs; ++i) {
      xh[b * rows + i] = static_cast<float>(x.data<T>()[b * inputs + i]);
    }
    for (int64_t i = 0; i < cells; ++i) {
      xh[b * rows + inputs + i] = static_cast<float>(h[b * cells + i]);
    }
  }
  const float* matrix = nullptr;
  if constexpr (std::is_same_v<T, float>) {
    matrix = w.data<float>();
  } else {
    std::transform(w.data<T>(), w.data<T>() + weights.size(), weights.begin(),
                   [](T v) { return static_cast<float>(v); });
    matrix = weights.data();
  }
  result->resize(batch * columns);
  GemmProblem problem;
  problem.m = batch;
  problem.n = columns;
  problem.k = rows;
  return Gemm(ctx, DType::kFloat, problem, xh.data(), matrix, result->data());
}

// Inputs: x, cs_prev, h_prev, w, wci, wcf, wco, b; outputs: i, cs, f, o, ci, co, h. The columns of
// w are those of the gates i, ci, f, o.
class LstmBlockCellKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<LstmBlockCellKernel>();
    WB_ASSIGN_OR_RETURN(kernel->forget_bias_, init.attr<float>("forget_bias"));
    WB_ASSIGN_OR_RETURN(kernel->cell_clip_, init.attr<float>("cell_clip"));
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }

  absl::Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &cs = ctx.input(1);
    if (x.rank() != 2 || cs.rank() != 2) {
      return InvalidArgument("'x' and 'cs_prev' must be matrices, but have shapes ",
                             x.shape().ToString(), " and ", cs.shape().ToString());
    }
    const int64_t batch = x.dim(0), cells = cs.dim(1);
    const Shape state({batch, cells});
    WB_RETURN_IF_ERROR(CheckShape(ctx, 1, "cs_prev", state));
    WB_RETURN_IF_ERROR(CheckShape(ctx, 2, "h_prev", state));
    WB_RETURN_IF_ERROR(CheckShape(ctx, 3, "w", Shape({x.dim(1) + cells, cells * 4})));
    WB_RETURN_IF_ERROR(CheckShape(ctx, 7, "b", Shape({cells * 4})));
    static constexpr const char* kPeepholes[] = {"wci", "wcf", "wco"};
    for (int i = 0; peephole_ && i < 3; ++i) {
      WB_RETURN_IF_ERROR(CheckShape(ctx, 4 + i, kPeepholes[i], Shape({cells})));
    }
    for (int i = 0; i < 7; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, state).status());
    return DispatchTypes<float, Half>(
        x.dtype(), [&](auto tag) { return Step<typename decltype(tag)::type>(ctx, batch, cells); });
  }

 private:
  template <class T>
  absl::Status Step(KernelContext& ctx, int64_t batch, int64_t cells) const {
    std::vector<float> gates;
    WB_RETURN_IF_ERROR(
        Project(ctx, ctx.input(0), ctx.input(2).data<T>(), cells, ctx.input(3), 4 * cells, &gates));
    const T *before = ctx.input(1).data<T>(), *bias = ctx.input(7).data<T>();
    const auto peephole = [&](int which, int64_t cell) {
      return peephole_ ? static_cast<float>(ctx.input(4 + which).data<T>()[cell]) : 0.0f;
    };
    const auto put = [&](int output, int64_t at, float value) {
      ctx.output(output).data<T>()[at] = static_cast<T>(value);
    };
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t k = 0; k < cells; ++k) {
        const int64_t at = b * cells + k;
        const auto gate = [&](int64_t which) {
          return gates[b * 4 * cells + which * cells + k] +
                 static_cast<float>(bias[which * cells + k]);
        };
        const float last = static_cast<float>(before[at]);
        const float i = Sigmoid(gate(0) + last * peephole(0, k));
        const float ci = Tanh(gate(1));
        const float f = Sigmoid(gate(2) + forget_bias_ + last * peephole(1, k));
        float cs = ci * i + last * f;
        if (cell_clip_ > 0) cs = std::clamp(cs, -cell_clip_, cell_clip_);
        const float o = Sigmoid(gate(3) + cs * peephole(2, k));
        const float co = Tanh(cs);
        const float values[] = {i, cs, f, o, ci, co, co * o};
        for (int n = 0; n < 7; ++n) put(n, at, values[n]);
      }
    }
    return absl::OkStatus();
  }

  float forget_bias_ = 1, cell_clip_ = 3;
  bool peephole_ = false;
};

// Inputs: x, h_prev, w_ru, w_c, b_ru, b_c; outputs: r, u, c, h.
class GruBlockCellKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<GruBlockCellKernel>();
  }

  absl::Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &h = ctx.input(1);
    if (x.rank() != 2 || h.rank() != 2) {
      return InvalidArgument("'x' and 'h_prev' must be matrices, but have shapes ",
                             x.shape().ToString(), " and ", h.shape().ToString());
    }
    const int64_t batch = x.dim(0), cells = h.dim(1), rows = x.dim(1) + cells;
    const Shape state({batch, cells});
    WB_RETURN_IF_ERROR(CheckShape(ctx, 1, "h_prev", state));
    WB_RETURN_IF_ERROR(CheckShape(ctx, 2, "w_ru", Shape({rows, 2 * cells})));
    WB_RETURN_IF_ERROR(CheckShape(ctx, 3, "w_c", Shape({rows, cells})));
    WB_RETURN_IF_ERROR(CheckShape(ctx, 4, "b_ru", Shape({2 * cells})));
    WB_RETURN_IF_ERROR(CheckShape(ctx, 5, "b_c", Shape({cells})));
    for (int i = 0; i < 4; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, state).status());
    float *r = ctx.output(0).data<float>(), *u = ctx.output(1).data<float>();
    float *c = ctx.output(2).data<float>(), *next = ctx.output(3).data<float>();
    const float *last = h.data<float>(), *b_ru = ctx.input(4).data<float>();
    std::vector<float> gates, candidates, reset(batch * cells);
    WB_RETURN_IF_ERROR(Project(ctx, x, last, cells, ctx.input(2), 2 * cells, &gates));
    for (int64_t at = 0; at < batch * cells; ++at) {
      const int64_t k = at % cells, row = at / cells * 2 * cells;
      r[at] = Sigmoid(gates[row + k] + b_ru[k]);
      u[at] = Sigmoid(gates[row + cells + k] + b_ru[cells + k]);
      reset[at] = r[at] * last[at];
    }
    WB_RETURN_IF_ERROR(
        Project<float>(ctx, x, reset.data(), cells, ctx.input(3), cells, &candidates));
    for (int64_t at = 0; at < batch * cells; ++at) {
      c[at] = Tanh(candidates[at] + ctx.input(5).data<float>()[at % cells]);
      next[at] = u[at] * last[at] + (1 - u[at]) * c[at];
    }
    return absl::OkStatus();
  }
};

// Every output is one row of the state for each row of x; `state` is an input of that shape.
absl::Status CellShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape state, c.WithRank(1, 2));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape({x.dim(0), state.dim(1)}));
  }
  return absl::OkStatus();
}

constexpr TypeSet kLstmTypes = {DType::kHalf, DType::kFloat};
constexpr TypeSet kGruTypes = {DType::kFloat};

}  // namespace

WB_OP("LSTMBlockCell")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Output("i: T")
    .Output("cs: T")
    .Output("f: T")
    .Output("o: T")
    .Output("ci: T")
    .Output("co: T")
    .Output("h: T")
    .Attr("forget_bias: float = 1.0")
    .Attr("cell_clip: float = 3.0")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .Shape(CellShape);
WB_OP("GRUBlockCell")
    .Input("x: T")
    .Input("h_prev: T")
    .Input("w_ru: T")
    .Input("w_c: T")
    .Input("b_ru: T")
    .Input("b_c: T")
    .Output("r: T")
    .Output("u: T")
    .Output("c: T")
    .Output("h: T")
    .Attr("T: {float}")
    .Shape(CellShape);
WB_KERNEL("LSTMBlockCell", LstmBlockCellKernel).Cpu({{"T", kLstmTypes}}).Gpu({{"T", kLstmTypes}});
WB_KERNEL("GRUBlockCell", GruBlockCellKernel).Cpu({{"T", kGruTypes}}).Gpu({{"T", kGruTypes}});

}  // namespace warpbeam::host_pass
