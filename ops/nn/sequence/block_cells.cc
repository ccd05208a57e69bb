// LSTMBlockCell and GRUBlockCell: one step of a recurrent cell, its matrix products and gates in
// one op.

#include <memory>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/sequence/recurrent_cells.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

// Inputs: x, cs_prev, h_prev, w, wci, wcf, wco, b; outputs: i, cs, f, o, ci, co, h. The columns of
// w are those of the gates i, ci, f, o.
class LstmBlockCellKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<LstmBlockCellKernel>();
    WB_ASSIGN_OR_RETURN(kernel->forget_bias_, init.attr<float>("forget_bias"));
    WB_ASSIGN_OR_RETURN(kernel->cell_clip_, init.attr<float>("cell_clip"));
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const Shape state, LstmStateShape(ctx, peephole_));
    const int64_t batch = state.dim(0), cells = state.dim(1);
    for (int i = 0; i < 7; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, state).status());
    return DispatchTypes<float, Half>(ctx.input(0).dtype(), [&](auto tag) {
      return Step<typename decltype(tag)::type>(ctx, batch, cells);
    });
  }

 private:
  template <class T>
  Status Step(KernelContext& ctx, int64_t batch, int64_t cells) const {
    WB_ASSIGN_OR_RETURN(const Tensor gates, Project(ctx, ctx.input(0), ctx.input(2).data<T>(),
                                                    cells, ctx.input(3), 4 * cells));
    constexpr int kNanosecondsPerCell = 6;
    ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
      Cells<T>(ctx, gates.data<float>() + row * 4 * cells, row * cells, cells, at);
    });
    return OkStatus();
  }

  template <class T>
  void Cells(KernelContext& ctx, const float* gates, int64_t row, int64_t cells,
             const Lanes& at) const {
    using V = Lanes::V;
    const T* bias = ctx.input(7).data<T>();
    const auto gate = [&](int64_t which) {
      return at.Load(gates + which * cells) + at.Load(bias + which * cells);
    };
    const Peepholes peephole = LoadPeepholes<T>(ctx, peephole_, 4, at);
    const LstmCells c =
        LstmCells::Step(gate(0), gate(1), gate(2) + V(forget_bias_), gate(3),
                        at.Load(ctx.input(1).data<T>() + row), peephole, cell_clip_);
    const V values[] = {c.i, c.cs, c.f, c.o, c.ci, c.co, c.co * c.o};
    for (int n = 0; n < 7; ++n) at.Store(values[n], ctx.output(n).data<T>() + row);
  }

  float forget_bias_ = 1, cell_clip_ = 3;
  bool peephole_ = false;
};

// Inputs: x, h_prev, w_ru, w_c, b_ru, b_c; outputs: r, u, c, h.
class GruBlockCellKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<GruBlockCellKernel>();
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const Shape state, GruStateShape(ctx));
    const Tensor &x = ctx.input(0), &h = ctx.input(1);
    const int64_t batch = state.dim(0), cells = state.dim(1);
    for (int i = 0; i < 4; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, state).status());
    float *r = ctx.output(0).data<float>(), *u = ctx.output(1).data<float>();
    float *c = ctx.output(2).data<float>(), *next = ctx.output(3).data<float>();
    const float *last = h.data<float>(), *b_ru = ctx.input(4).data<float>();
    WB_ASSIGN_OR_RETURN(Tensor reset, ctx.AllocateTemp(DType::kFloat, state));
    WB_ASSIGN_OR_RETURN(const Tensor gates, Project(ctx, x, last, cells, ctx.input(2), 2 * cells));
    constexpr int kNanosecondsPerCell = 3;
    ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
      const float* gate = gates.data<float>() + row * 2 * cells;
      const Lanes::V r_now = Sigmoid(at.Load(gate) + at.Load(b_ru));
      at.Store(r_now, r + row * cells);
      at.Store(Sigmoid(at.Load(gate + cells) + at.Load(b_ru + cells)), u + row * cells);
      at.Store(r_now * at.Load(last + row * cells), reset.data<float>() + row * cells);
    });
    WB_ASSIGN_OR_RETURN(const Tensor candidates,
                        Project<float>(ctx, x, reset.data<float>(), cells, ctx.input(3), cells));
    const float* b_c = ctx.input(5).data<float>();
    ForEachLanes(ctx, batch, cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
      const Lanes::V now = Tanh(at.Load(candidates.data<float>() + row * cells) + at.Load(b_c));
      const Lanes::V update = at.Load(u + row * cells);
      at.Store(now, c + row * cells);
      at.Store(update * at.Load(last + row * cells) + (Lanes::V(1) - update) * now,
               next + row * cells);
    });
    return OkStatus();
  }
};

// Every output is one row of the state for each row of x; `state` is an input of that shape.
Status CellShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape state, c.WithRank(1, 2));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape({x.dim(0), state.dim(1)}));
  }
  return OkStatus();
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
