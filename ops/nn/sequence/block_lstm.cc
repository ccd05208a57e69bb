// BlockLSTM and BlockLSTMV2: an LSTM layer over all steps of a batch of sequences. The inputs'
// share of the gates is one product for all steps; only the states' share is one for each.

#include "ops/nn/sequence/block_lstm.h"

#include <memory>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/sequence/recurrent_cells.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {

StatusOr<BlockLstmSizes> CheckBlockLstmInputs(const KernelContext& ctx, bool peephole) {
  const Tensor &limit = ctx.input(0), &x = ctx.input(1), &cs = ctx.input(2);
  if (limit.rank() != 0) {
    return InvalidArgument("'seq_len_max' must be a scalar, but has shape ",
                           limit.shape().ToString());
  }
  if (x.rank() != 3 || cs.rank() != 2) {
    return InvalidArgument("'x' must have 3 dimensions and 'cs_prev' 2, but their shapes are ",
                           x.shape().ToString(), " and ", cs.shape().ToString());
  }
  BlockLstmSizes n;
  n.all_steps = x.dim(0);
  n.batch = x.dim(1);
  n.inputs = x.dim(2);
  n.cells = cs.dim(1);
  n.steps = limit.data<int64_t>()[0];
  if (n.steps < 0 || n.steps > n.all_steps) {
    return InvalidArgument("'seq_len_max' must be between 0 and the ", n.all_steps,
                           " steps of 'x', but is ", n.steps);
  }
  const Shape state({n.batch, n.cells}), cells({n.cells});
  WB_RETURN_IF_ERROR(CheckShape(ctx, 2, "cs_prev", state));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 3, "h_prev", state));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 4, "w", Shape({n.inputs + n.cells, 4 * n.cells})));
  WB_RETURN_IF_ERROR(CheckShape(ctx, 8, "b", Shape({4 * n.cells})));
  static constexpr const char* kPeepholes[] = {"wci", "wcf", "wco"};
  for (int i = 0; peephole && i < 3; ++i) {
    WB_RETURN_IF_ERROR(CheckShape(ctx, 5 + i, kPeepholes[i], cells));
  }
  return n;
}

namespace {

// Inputs: seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b; outputs: i, cs, f, o, ci, co, h.
// Steps from seq_len_max on are zero.
template <BlockLstmGates gates>
class BlockLstmKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<BlockLstmKernel>();
    if (gates == BlockLstmGates::kIcfo) {
      WB_ASSIGN_OR_RETURN(kernel->forget_bias_, init.attr<float>("forget_bias"));
    }
    WB_ASSIGN_OR_RETURN(kernel->cell_clip_, init.attr<float>("cell_clip"));
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const BlockLstmSizes n, CheckBlockLstmInputs(ctx, peephole_));
    for (int i = 0; i < 7; ++i) {
      WB_RETURN_IF_ERROR(ctx.Allocate(i, Shape({n.all_steps, n.batch, n.cells})).status());
    }
    return DispatchTypes<float, Half>(ctx.input(1).dtype(), [&](auto tag) {
      return Steps<typename decltype(tag)::type>(ctx, n);
    });
  }

 private:
  template <class T>
  Status Steps(KernelContext& ctx, const BlockLstmSizes& n) const {
    const int64_t columns = 4 * n.cells, step_size = n.batch * n.cells;
    WB_ASSIGN_OR_RETURN(const Tensor x, AsFloats<T>(ctx, ctx.input(1)));
    WB_ASSIGN_OR_RETURN(const Tensor w, AsFloats<T>(ctx, ctx.input(4)));
    WB_ASSIGN_OR_RETURN(Tensor from_x,
                        ctx.AllocateTemp(DType::kFloat, Shape({n.steps * n.batch, columns})));
    WB_ASSIGN_OR_RETURN(Tensor from_h, ctx.AllocateTemp(DType::kFloat, Shape({n.batch, columns})));
    WB_ASSIGN_OR_RETURN(Tensor state, ctx.AllocateTemp(DType::kFloat, Shape({n.batch, n.cells})));
    WB_RETURN_IF_ERROR(Product(ctx, n.steps * n.batch, columns, n.inputs, x.data<float>(), false,
                               w.data<float>(), false, from_x.data<float>()));
    const float* w_h = w.data<float>() + n.inputs * columns;
    const T *cs = ctx.input(2).data<T>(), *h = ctx.input(3).data<T>();
    for (int64_t t = 0; t < n.steps; ++t) {
      Widen(h, step_size, state.data<float>());
      WB_RETURN_IF_ERROR(Product(ctx, n.batch, columns, n.cells, state.data<float>(), false, w_h,
                                 false, from_h.data<float>()));
      const float* sums = from_x.data<float>() + t * n.batch * columns;
      constexpr int kNanosecondsPerCell = 6;
      ForEachLanes(ctx, n.batch, n.cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
        Cells<T>(ctx, sums + row * columns, from_h.data<float>() + row * columns,
                 cs + row * n.cells, n.cells, t * step_size + row * n.cells, at);
      });
      cs = ctx.output(1).data<T>() + t * step_size;
      h = ctx.output(6).data<T>() + t * step_size;
    }
    for (int i = 0; i < 7; ++i) {
      T* y = ctx.output(i).data<T>();
      std::fill(y + n.steps * step_size, y + n.all_steps * step_size, T(0));
    }
    return OkStatus();
  }

  template <class T>
  void Cells(KernelContext& ctx, const float* from_x, const float* from_h, const T* last,
             int64_t cells, int64_t place, const Lanes& at) const {
    using V = Lanes::V;
    const T* bias = ctx.input(8).data<T>();
    const auto sum = [&](int gate) {
      return at.Load(from_x + gate * cells) + at.Load(from_h + gate * cells) +
             at.Load(bias + gate * cells);
    };
    constexpr GatePlaces kPlaces = PlacesOf(gates);
    const LstmCells c = LstmCells::Step(
        sum(kPlaces.i), sum(kPlaces.ci), sum(kPlaces.f) + V(forget_bias_), sum(kPlaces.o),
        at.Load(last), LoadPeepholes<T>(ctx, peephole_, 5, at), cell_clip_);
    const V values[] = {c.i, c.cs, c.f, c.o, c.ci, c.co, c.co * c.o};
    for (int k = 0; k < 7; ++k) at.Store(values[k], ctx.output(k).data<T>() + place);
  }

  float forget_bias_ = 0, cell_clip_ = 0;
  bool peephole_ = false;
};

Status BlockLstmShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  WB_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(1, 3));
  WB_ASSIGN_OR_RETURN(const PartialShape state, c.WithRank(2, 2));
  WB_ASSIGN_OR_RETURN(const PartialShape bias, c.WithRank(8, 1));
  const int64_t cells = bias.dim(0) >= 0 ? bias.dim(0) / 4 : state.dim(1);
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape({x.dim(0), x.dim(1), cells}));
  }
  return OkStatus();
}

// Only the states and the outputs pass gradients on; the gates, saved for the backward pass, do
// not.
Status EmitGradient(GradContext& c, const char* op) {
  std::vector<NodeInput> inputs;
  for (const OutputRef x : c.xs(0, 9)) inputs.push_back(x);
  for (const OutputRef y : c.ys(0, 7)) inputs.push_back(y);
  inputs.push_back(c.dy(1));
  inputs.push_back(c.dy(6));
  AttrMap attrs;
  WB_ASSIGN_OR_RETURN(const bool peephole, c.attr<bool>("use_peephole"));
  attrs.Set("use_peephole", peephole);
  const std::vector<OutputRef> dx = c.EmitAll(op, inputs, attrs);
  for (size_t i = 0; i < dx.size(); ++i) c.set_dx(static_cast<int>(i) + 1, dx[i]);
  return OkStatus();
}
Status BlockLstmGradient(GradContext& c) { return EmitGradient(c, "BlockLSTMGrad"); }
// TensorFlow's own registration gives BlockLSTMGrad here too, which reads the gates in another
// order and so is not the derivative.
Status BlockLstmV2Gradient(GradContext& c) { return EmitGradient(c, "BlockLSTMGradV2"); }

using BlockLstm = BlockLstmKernel<BlockLstmGates::kIcfo>;
using BlockLstmV2 = BlockLstmKernel<BlockLstmGates::kIfco>;
constexpr TypeSet kTypes = {DType::kHalf, DType::kFloat};

}  // namespace

WB_OP("BlockLSTM")
    .Input("seq_len_max: int64")
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
    .Shape(BlockLstmShape);
WB_OP("BlockLSTMV2")
    .Input("seq_len_max: int64")
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
    .Attr("cell_clip: float = 0.0")
    .Attr("use_peephole: bool = false")
    .Attr("T: {half, float}")
    .Shape(BlockLstmShape);
WB_KERNEL("BlockLSTM", BlockLstm)
    .Cpu({{"T", kTypes}})
    .Gpu({{"T", kTypes}})
    .HostMemory({"seq_len_max"});
WB_KERNEL("BlockLSTMV2", BlockLstmV2)
    .Cpu({{"T", kTypes}})
    .Gpu({{"T", kTypes}})
    .HostMemory({"seq_len_max"});
WB_GRADIENT("BlockLSTM", BlockLstmGradient);
WB_GRADIENT("BlockLSTMV2", BlockLstmV2Gradient);

}  // namespace warpbeam::host_pass
