// BlockLSTMGrad and BlockLSTMGradV2: the steps backwards give the gradients of the gates' sums;
// those of the inputs, weights and biases are then one product or sum each for all steps.

#include <memory>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/nn/sequence/block_lstm.h"
#include "ops/nn/sequence/recurrent_cells.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {

StatusOr<BlockLstmSizes> CheckBlockLstmGradInputs(const KernelContext& ctx, bool peephole) {
  WB_ASSIGN_OR_RETURN(const BlockLstmSizes n, CheckBlockLstmInputs(ctx, peephole));
  static constexpr const char* kSaved[] = {"i",  "cs", "f",       "o",     "ci",
                                           "co", "h",  "cs_grad", "h_grad"};
  for (int i = 0; i < 9; ++i) {
    WB_RETURN_IF_ERROR(CheckShape(ctx, 9 + i, kSaved[i], Shape({n.all_steps, n.batch, n.cells})));
  }
  return n;
}

namespace {

// Inputs: those of the forward op, its outputs i, cs, f, o, ci, co, h (9 to 15), and the gradients
// of cs and h. Outputs: the gradients of x, cs_prev, h_prev, w, wci, wcf, wco, b.
template <BlockLstmGates gates>
class BlockLstmGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<BlockLstmGradKernel>();
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const BlockLstmSizes n, CheckBlockLstmGradInputs(ctx, peephole_));
    for (int i = 0; i < 8; ++i) {
      WB_RETURN_IF_ERROR(ctx.Allocate(i, ctx.input(1 + i).shape()).status());
    }
    return DispatchTypes<float, Half>(ctx.input(1).dtype(), [&](auto tag) {
      return Backward<typename decltype(tag)::type>(ctx, n);
    });
  }

 private:
  static constexpr GatePlaces kPlaces = PlacesOf(gates);

  template <class T>
  Status Backward(KernelContext& ctx, const BlockLstmSizes& n) const {
    WB_ASSIGN_OR_RETURN(const Tensor w, AsFloats<T>(ctx, ctx.input(4)));
    WB_ASSIGN_OR_RETURN(Tensor d_sums,
                        ctx.AllocateTemp(DType::kFloat, Shape({n.steps * n.batch, 4 * n.cells})));
    WB_RETURN_IF_ERROR(Steps<T>(ctx, n, w, d_sums.data<float>()));
    WB_RETURN_IF_ERROR(InputGradients<T>(ctx, n, w, d_sums.data<float>()));
    BiasGradients<T>(ctx, n, d_sums.data<float>());
    return OkStatus();
  }

  // A float tensor for output i, which Narrow then copies where the output is of another type.
  template <class T>
  StatusOr<Tensor> Floats(KernelContext& ctx, int i) const {
    if constexpr (std::is_same_v<T, float>) return ctx.output(i);
    return ctx.AllocateTemp(DType::kFloat, ctx.output(i).shape());
  }
  template <class T>
  void Narrow(KernelContext& ctx, const Tensor& x, int i) const {
    if constexpr (!std::is_same_v<T, float>) {
      std::transform(x.data<float>(), x.data<float>() + x.num_elements(), ctx.output(i).data<T>(),
                     [](float v) { return static_cast<T>(v); });
    }
  }

  // The steps backwards: the gradients of the gates' sums, of cs_prev and h_prev.
  template <class T>
  Status Steps(KernelContext& ctx, const BlockLstmSizes& n, const Tensor& w, float* d_sums) const {
    const int64_t step_size = n.batch * n.cells, columns = 4 * n.cells;
    const float* w_h = w.data<float>() + n.inputs * columns;
    WB_ASSIGN_OR_RETURN(Tensor d_cs, Floats<T>(ctx, 1));
    WB_ASSIGN_OR_RETURN(Tensor d_h, Floats<T>(ctx, 2));
    std::fill_n(d_cs.data<float>(), step_size, 0.0f);
    std::fill_n(d_h.data<float>(), step_size, 0.0f);
    for (int64_t t = n.steps - 1; t >= 0; --t) {
      const T* last =
          t == 0 ? ctx.input(2).data<T>() : ctx.input(10).data<T>() + (t - 1) * step_size;
      float* d_step = d_sums + t * n.batch * columns;
      constexpr int kNanosecondsPerCell = 4;
      ForEachLanes(ctx, n.batch, n.cells, kNanosecondsPerCell, [&](int64_t row, const Lanes& at) {
        const int64_t place = t * step_size + row * n.cells;
        const auto saved = [&](int input) { return at.Load(ctx.input(input).data<T>() + place); };
        LstmCells c;
        c.i = saved(9);
        c.cs = saved(10);
        c.f = saved(11);
        c.o = saved(12);
        c.ci = saved(13);
        c.co = saved(14);
        float* d_last = d_cs.data<float>() + row * n.cells;
        const LstmCells::Gradient d =
            c.Back(at.Load(last + row * n.cells), saved(16) + at.Load(d_last),
                   saved(17) + at.Load(d_h.data<float>() + row * n.cells),
                   LoadPeepholes<T>(ctx, peephole_, 5, at));
        at.Store(d.last, d_last);
        float* out = d_step + row * columns;
        at.Store(d.i, out + kPlaces.i * n.cells);
        at.Store(d.ci, out + kPlaces.ci * n.cells);
        at.Store(d.f, out + kPlaces.f * n.cells);
        at.Store(d.o, out + kPlaces.o * n.cells);
      });
      WB_RETURN_IF_ERROR(
          Product(ctx, n.batch, n.cells, columns, d_step, false, w_h, true, d_h.data<float>()));
    }
    Narrow<T>(ctx, d_cs, 1);
    Narrow<T>(ctx, d_h, 2);
    return OkStatus();
  }

  // The gradients of x and w.
  template <class T>
  Status InputGradients(KernelContext& ctx, const BlockLstmSizes& n, const Tensor& w,
                        const float* d_sums) const {
    const int64_t rows = n.steps * n.batch, columns = 4 * n.cells, step_size = n.batch * n.cells;
    WB_ASSIGN_OR_RETURN(Tensor d_x, Floats<T>(ctx, 0));
    WB_RETURN_IF_ERROR(Product(ctx, rows, n.inputs, columns, d_sums, false, w.data<float>(), true,
                               d_x.data<float>()));
    std::fill(d_x.data<float>() + rows * n.inputs, d_x.data<float>() + d_x.num_elements(), 0.0f);
    Narrow<T>(ctx, d_x, 0);

    WB_ASSIGN_OR_RETURN(const Tensor x, AsFloats<T>(ctx, ctx.input(1)));
    WB_ASSIGN_OR_RETURN(Tensor before, ctx.AllocateTemp(DType::kFloat, Shape({rows, n.cells})));
    if (n.steps > 0) {
      Widen(ctx.input(3).data<T>(), step_size, before.data<float>());
      Widen(ctx.input(15).data<T>(), (n.steps - 1) * step_size, before.data<float>() + step_size);
    }
    WB_ASSIGN_OR_RETURN(Tensor d_w, Floats<T>(ctx, 3));
    WB_RETURN_IF_ERROR(Product(ctx, n.inputs, columns, rows, x.data<float>(), true, d_sums, false,
                               d_w.data<float>()));
    WB_RETURN_IF_ERROR(Product(ctx, n.cells, columns, rows, before.data<float>(), true, d_sums,
                               false, d_w.data<float>() + n.inputs * columns));
    Narrow<T>(ctx, d_w, 3);
    return OkStatus();
  }

  // The gradients of the peepholes and of b.
  template <class T>
  void BiasGradients(KernelContext& ctx, const BlockLstmSizes& n, const float* d_sums) const {
    const int64_t rows = n.steps * n.batch, columns = 4 * n.cells;
    SumRows(ctx, rows, columns, ctx.output(7).data<T>(),
            [&](int64_t row, const Lanes& at) { return at.Load(d_sums + row * columns); });
    if (!peephole_) {
      for (int i = 4; i < 7; ++i) {
        std::fill_n(ctx.output(i).data<T>(), ctx.output(i).num_elements(), T(0));
      }
      return;
    }
    const T *first = ctx.input(2).data<T>(), *cs = ctx.input(10).data<T>();
    const auto last = [&](int64_t row) {
      return row < n.batch ? first + row * n.cells : cs + (row - n.batch) * n.cells;
    };
    const auto gradient = [&](int gate, int64_t row, const Lanes& at) {
      return at.Load(d_sums + row * columns + gate * n.cells);
    };
    SumRows(ctx, rows, n.cells, ctx.output(4).data<T>(), [&](int64_t row, const Lanes& at) {
      return gradient(kPlaces.i, row, at) * at.Load(last(row));
    });
    SumRows(ctx, rows, n.cells, ctx.output(5).data<T>(), [&](int64_t row, const Lanes& at) {
      return gradient(kPlaces.f, row, at) * at.Load(last(row));
    });
    SumRows(ctx, rows, n.cells, ctx.output(6).data<T>(), [&](int64_t row, const Lanes& at) {
      return gradient(kPlaces.o, row, at) * at.Load(cs + row * n.cells);
    });
  }

  bool peephole_ = false;
};

Status BlockLstmGradShape(ShapeContext& c) {
  static constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < 8; ++i) {
    WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(1 + i, kRanks[i]));
    c.set_output(i, std::move(shape));
  }
  return OkStatus();
}

using BlockLstmGrad = BlockLstmGradKernel<BlockLstmGates::kIcfo>;
using BlockLstmGradV2 = BlockLstmGradKernel<BlockLstmGates::kIfco>;
constexpr TypeSet kGradientTypes = {DType::kHalf, DType::kFloat};

}  // namespace

#define WB_BLOCK_LSTM_GRAD_OP(name) \
  WB_OP(name)                       \
      .Input("seq_len_max: int64")  \
      .Input("x: T")                \
      .Input("cs_prev: T")          \
      .Input("h_prev: T")           \
      .Input("w: T")                \
      .Input("wci: T")              \
      .Input("wcf: T")              \
      .Input("wco: T")              \
      .Input("b: T")                \
      .Input("i: T")                \
      .Input("cs: T")               \
      .Input("f: T")                \
      .Input("o: T")                \
      .Input("ci: T")               \
      .Input("co: T")               \
      .Input("h: T")                \
      .Input("cs_grad: T")          \
      .Input("h_grad: T")           \
      .Output("x_grad: T")          \
      .Output("cs_prev_grad: T")    \
      .Output("h_prev_grad: T")     \
      .Output("w_grad: T")          \
      .Output("wci_grad: T")        \
      .Output("wcf_grad: T")        \
      .Output("wco_grad: T")        \
      .Output("b_grad: T")          \
      .Attr("use_peephole: bool")   \
      .Attr("T: {half, float}")     \
      .Shape(BlockLstmGradShape)
WB_BLOCK_LSTM_GRAD_OP("BlockLSTMGrad");
WB_BLOCK_LSTM_GRAD_OP("BlockLSTMGradV2");
#undef WB_BLOCK_LSTM_GRAD_OP
WB_KERNEL("BlockLSTMGrad", BlockLstmGrad)
    .Cpu({{"T", kGradientTypes}})
    .Gpu({{"T", kGradientTypes}})
    .HostMemory({"seq_len_max"});
WB_KERNEL("BlockLSTMGradV2", BlockLstmGradV2)
    .Cpu({{"T", kGradientTypes}})
    .Gpu({{"T", kGradientTypes}})
    .HostMemory({"seq_len_max"});

}  // namespace warpbeam::host_pass
