// LSTMBlockCellGrad and GRUBlockCellGrad: one step of a recurrent cell backwards. As TensorFlow
// has them, the LSTM's leaves the products with x and w to other ops, the GRU's makes those with w.

#include <memory>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/sequence/recurrent_cells.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

constexpr int kNanosecondsPerCell = 4;

// Inputs: x, cs_prev, h_prev, w, wci, wcf, wco, b, the forward op's i, cs, f, o, ci, co (8 to 13),
// and the gradients of cs and h. Outputs: the gradients of cs_prev, of the gates' sums i, ci, f, o
// side by side, and of wci, wcf, wco.
class LstmBlockCellGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<LstmBlockCellGradKernel>();
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const Shape state, LstmGradStateShape(ctx, peephole_));
    const int64_t batch = state.dim(0), cells = state.dim(1);
    WB_RETURN_IF_ERROR(ctx.Allocate(0, state).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(1, Shape({batch, 4 * cells})).status());
    for (int i = 2; i < 5; ++i) {
      WB_RETURN_IF_ERROR(ctx.Allocate(i, ctx.input(2 + i).shape()).status());
    }
    return DispatchTypes<float, Half>(ctx.input(0).dtype(), [&](auto tag) {
      Back<typename decltype(tag)::type>(ctx, batch, cells);
      return OkStatus();
    });
  }

 private:
  template <class T>
  void Back(KernelContext& ctx, int64_t batch, int64_t cells) const {
    T *d_last = ctx.output(0).data<T>(), *d_sums = ctx.output(1).data<T>();
    ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
      const auto state = [&](int input) {
        return at.Load(ctx.input(input).data<T>() + row * cells);
      };
      const Peepholes peephole = LoadPeepholes<T>(ctx, peephole_, 4, at);
      LstmCells c;
      c.i = state(8);
      c.cs = state(9);
      c.f = state(10);
      c.o = state(11);
      c.ci = state(12);
      c.co = state(13);
      const LstmCells::Gradient d = c.Back(state(1), state(14), state(15), peephole);
      at.Store(d.last, d_last + row * cells);
      const Lanes::V gates[] = {d.i, d.ci, d.f, d.o};
      for (int k = 0; k < 4; ++k) at.Store(gates[k], d_sums + (row * 4 + k) * cells);
    });
    static constexpr int kGates[] = {0, 2, 3}, kStates[] = {1, 1, 9};
    for (int i = 0; i < 3; ++i) {
      T* sums = ctx.output(2 + i).data<T>();
      if (!peephole_) {
        std::fill_n(sums, ctx.output(2 + i).num_elements(), T(0));
        continue;
      }
      SumRows(ctx, batch, cells, sums, [&](int64_t row, const Lanes& at) {
        return at.Load(d_sums + (row * 4 + kGates[i]) * cells) *
               at.Load(ctx.input(kStates[i]).data<T>() + row * cells);
      });
    }
  }

  bool peephole_ = false;
};

// Inputs: x, h_prev, w_ru, w_c, b_ru, b_c, the forward op's r, u, c, and the gradient of h.
// Outputs: the gradients of x, of h_prev, of the candidate's sum and of the sums of r and u.
class GruBlockCellGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<GruBlockCellGradKernel>();
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const Shape state, GruGradStateShape(ctx));
    const Tensor& x = ctx.input(0);
    const int64_t batch = state.dim(0), inputs = x.dim(1), cells = state.dim(1);
    WB_RETURN_IF_ERROR(ctx.Allocate(0, x.shape()).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(1, state).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(2, state).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(3, Shape({batch, 2 * cells})).status());
    return Back(ctx, batch, inputs, cells);
  }

 private:
  static Status Back(KernelContext& ctx, int64_t batch, int64_t inputs, int64_t cells) {
    const int64_t rows = inputs + cells;
    float *d_c = ctx.output(2).data<float>(), *d_ru = ctx.output(3).data<float>();
    const auto state = [&](int input, int64_t row, const Lanes& at) {
      return at.Load(ctx.input(input).data<float>() + row * cells);
    };
    const Lanes::V one(1);
    ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
      const Lanes::V u = state(7, row, at), c = state(8, row, at), d_h = state(9, row, at);
      at.Store(d_h * (one - u) * (one - c * c), d_c + row * cells);
      at.Store(d_h * (state(1, row, at) - c) * u * (one - u), d_ru + row * 2 * cells + cells);
    });
    // What flows back into [x, r h_prev], then into [x, h_prev].
    const Shape sides({batch, rows});
    WB_ASSIGN_OR_RETURN(Tensor from_c, ctx.AllocateTemp(DType::kFloat, sides));
    WB_ASSIGN_OR_RETURN(Tensor from_ru, ctx.AllocateTemp(DType::kFloat, sides));
    float *c_side = from_c.data<float>(), *ru_side = from_ru.data<float>();
    WB_RETURN_IF_ERROR(
        Product(ctx, batch, rows, cells, d_c, false, ctx.input(3).data<float>(), true, c_side));
    ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
      const Lanes::V r = state(6, row, at);
      at.Store(at.Load(c_side + row * rows + inputs) * state(1, row, at) * r * (one - r),
               d_ru + row * 2 * cells);
    });
    WB_RETURN_IF_ERROR(Product(ctx, batch, rows, 2 * cells, d_ru, false, ctx.input(2).data<float>(),
                               true, ru_side));
    float *d_x = ctx.output(0).data<float>(), *d_last = ctx.output(1).data<float>();
    ForEachLanes(ctx, batch, inputs, 1, [&](int64_t row, const Lanes& at) {
      at.Store(at.Load(c_side + row * rows) + at.Load(ru_side + row * rows), d_x + row * inputs);
    });
    ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
      const int64_t side = row * rows + inputs;
      at.Store(state(9, row, at) * state(7, row, at) + at.Load(c_side + side) * state(6, row, at) +
                   at.Load(ru_side + side),
               d_last + row * cells);
    });
    return OkStatus();
  }
};

Status LstmBlockCellGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape state, c.WithRank(1, 2));
  const int64_t cells = state.dim(1);
  c.set_output(0, PartialShape({x.dim(0), cells}));
  c.set_output(1, PartialShape({x.dim(0), cells >= 0 ? 4 * cells : -1}));
  for (int i = 2; i < 5; ++i) {
    WB_ASSIGN_OR_RETURN(PartialShape peephole, c.WithRank(2 + i, 1));
    c.set_output(i, std::move(peephole));
  }
  return OkStatus();
}

Status GruBlockCellGradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape state, c.WithRank(1, 2));
  const int64_t cells = state.dim(1);
  c.set_output(0, x);
  c.set_output(1, PartialShape({x.dim(0), cells}));
  c.set_output(2, PartialShape({x.dim(0), cells}));
  c.set_output(3, PartialShape({x.dim(0), cells >= 0 ? 2 * cells : -1}));
  return OkStatus();
}

constexpr TypeSet kLstmTypes = {DType::kHalf, DType::kFloat};
constexpr TypeSet kGruTypes = {DType::kFloat};

}  // namespace

WB_OP("LSTMBlockCellGrad")
    .Input("x: T")
    .Input("cs_prev: T")
    .Input("h_prev: T")
    .Input("w: T")
    .Input("wci: T")
    .Input("wcf: T")
    .Input("wco: T")
    .Input("b: T")
    .Input("i: T")
    .Input("cs: T")
    .Input("f: T")
    .Input("o: T")
    .Input("ci: T")
    .Input("co: T")
    .Input("cs_grad: T")
    .Input("h_grad: T")
    .Output("cs_prev_grad: T")
    .Output("dicfo: T")
    .Output("wci_grad: T")
    .Output("wcf_grad: T")
    .Output("wco_grad: T")
    .Attr("use_peephole: bool")
    .Attr("T: {half, float}")
    .Shape(LstmBlockCellGradShape);
WB_OP("GRUBlockCellGrad")
    .Input("x: T")
    .Input("h_prev: T")
    .Input("w_ru: T")
    .Input("w_c: T")
    .Input("b_ru: T")
    .Input("b_c: T")
    .Input("r: T")
    .Input("u: T")
    .Input("c: T")
    .Input("d_h: T")
    .Output("d_x: T")
    .Output("d_h_prev: T")
    .Output("d_c_bar: T")
    .Output("d_r_bar_u_bar: T")
    .Attr("T: {float}")
    .Shape(GruBlockCellGradShape);
WB_KERNEL("LSTMBlockCellGrad", LstmBlockCellGradKernel)
    .Cpu({{"T", kLstmTypes}})
    .Gpu({{"T", kLstmTypes}});
WB_KERNEL("GRUBlockCellGrad", GruBlockCellGradKernel)
    .Cpu({{"T", kGruTypes}})
    .Gpu({{"T", kGruTypes}});

}  // namespace warpbeam::host_pass
