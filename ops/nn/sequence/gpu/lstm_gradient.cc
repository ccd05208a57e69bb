// LSTMBlockCellGrad, BlockLSTMGrad and BlockLSTMGradV2 on a GPU: a product and a launch for each
// step give the gradients of the gates' sums; the others are a product or a sum each for all steps.
#include "ops/nn/gpu_loops/channel_walk.h"
#include "ops/nn/sequence/lstm_cells.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/gpu_loops/zeros.h"
#include "ops/nn/sequence/block_lstm.h"
#include "ops/nn/sequence/gpu/products.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// The cells of one step backwards.
template <class T>
struct LstmBackBlock {
  int64_t count;
  Divisor cells;
  GatePlaces places;
  const T* saved[6];  // i, cs, f, o, ci, co
  const T* peepholes[3];
  const T* last;
  const T *d_cs, *d_h;              // of the step's results
  const T *later_d_cs, *later_d_h;  // of the step after it, or null
  T *d_last, *d_sums;               // d_last may be later_d_cs

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t at) {
      int64_t row = at;
      const int64_t cell = cells.Split(&row);
      PeepholesOf<float> peephole;
      if (peepholes[0] != nullptr) {
        peephole = {float(peepholes[0][cell]), float(peepholes[1][cell]),
                    float(peepholes[2][cell])};
      }
      const LstmCellsOf<float> c{float(saved[0][at]), float(saved[1][at]), float(saved[2][at]),
                                 float(saved[3][at]), float(saved[4][at]), float(saved[5][at])};
      float state = float(d_cs[at]), h = float(d_h[at]);
      if (later_d_cs != nullptr) state += float(later_d_cs[at]);
      if (later_d_h != nullptr) h += float(later_d_h[at]);
      const auto d = c.Back(float(last[at]), state, h, peephole);
      d_last[at] = T(d.last);
      T* const out = d_sums + row * 4 * cells.value + cell;
      out[places.i * cells.value] = T(d.i);
      out[places.ci * cells.value] = T(d.ci);
      out[places.f * cells.value] = T(d.f);
      out[places.o * cells.value] = T(d.o);
    });
  }
};

// Rows after other rows.
template <class T>
struct LstmRows {
  const T *first, *rest;
  int64_t count;  // elements of `first`
  WB_BLOCK float operator[](int64_t at) const {
    return float(at < count ? first[at] : rest[at - count]);
  }
};
template <class T>
struct StackRowsBlock {
  LstmRows<T> from;
  T* to;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { to[i] = T(from[i]); });
  }
};

// Summed over all rows: the gradients of a gate's sums, times the states; or of all gates alone.
template <class T, bool kTimesState>
struct LstmSumTerm {
  using Element = T;
  using Running = float;
  using Sum = float;
  const T* d_sums;
  LstmRows<T> states;
  Divisor cells;
  int gate;

  WB_BLOCK Running Start(int64_t) const { return 0; }
  template <int kWidth>
  WB_BLOCK void Take(int64_t at, Running* running) const {
    int64_t from = at;
    if (kTimesState) from += (cells.Quotient(at) * 3 + gate) * cells.value;
    const Pack<T, kWidth> d = LoadPack<kWidth>(d_sums + from);
    for (int i = 0; i < kWidth; ++i) {
      running[i] += float(d.at[i]) * (kTimesState ? states[at + i] : 1.0f);
    }
  }
  static WB_BLOCK Sum Result(Running running) { return running; }
  static WB_BLOCK Sum Join(Sum a, Sum b) { return a + b; }
};
template <class T>
using LstmBiasTerm = LstmSumTerm<T, false>;
template <class T>
using LstmPeepholeTerm = LstmSumTerm<T, true>;
template <class T>
struct KeepLstmSum {
  T* sums;
  WB_BLOCK void operator()(int64_t cell, float sum) const { sums[cell] = T(sum); }
};

#define WB_LSTM_GRADIENT_FUNCTIONS(T)               \
  WB_GPU_FUNCTION(LstmBackBlock<T>);                \
  WB_GPU_FUNCTION(StackRowsBlock<T>);               \
  WB_CHANNEL_SUMS(LstmBiasTerm<T>, KeepLstmSum<T>); \
  WB_CHANNEL_SUMS(LstmPeepholeTerm<T>, KeepLstmSum<T>)
WB_LSTM_GRADIENT_FUNCTIONS(float);
WB_LSTM_GRADIENT_FUNCTIONS(Half);

#if WB_HOST_PASS
namespace {

// wci, wcf, wco: the sums over all rows of a gate's gradient times the state that it looked at.
template <class T>
Status EnqueuePeepholes(KernelContext& ctx, GpuStream& stream, int64_t rows, int64_t cells,
                        const T* d_sums, const LstmRows<T>& last, const LstmRows<T>& now,
                        const GatePlaces& places, int first_output) {
  const ChannelExtents data = ChannelsOf(Shape({rows, cells}), 1);
  const bool wide = HasWideItems(data, DTypeOf<T>::value, {d_sums});
  const int gates[] = {places.i, places.f, places.o};
  for (int i = 0; i < 3; ++i) {
    const LstmPeepholeTerm<T> term{d_sums, i == 2 ? now : last, DivisorOf(cells), gates[i]};
    const KeepLstmSum<T> keep{ctx.output(first_output + i).template data<T>()};
    WB_RETURN_IF_ERROR(LaunchChannelSums(ctx, stream, data, wide && cells > 1, term, keep));
  }
  return OkStatus();
}

template <class T>
Status ZeroOutputs(KernelContext& ctx, GpuStream& stream, int first, int last) {
  for (int i = first; i < last; ++i) {
    Tensor& y = ctx.output(i);
    WB_RETURN_IF_ERROR(LaunchZeros(stream, y.data<T>(), y.num_elements()));
  }
  return OkStatus();
}

bool HasLstmGradientCode(const AttrMap& attrs) {
  return HasGpuProducts(attrs.GetOr<DType>("T", DType::kInvalid)) &&
         HasGpuFunction<LstmBackBlock<float>>();
}

class LstmBlockCellGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<LstmBlockCellGradOnGpu>();
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }
  static bool HasGpuCode(const AttrMap& attrs) { return HasLstmGradientCode(attrs); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const Shape state, LstmGradStateShape(ctx, peephole_));
    const int64_t batch = state.dim(0), cells = state.dim(1);
    WB_RETURN_IF_ERROR(ctx.Allocate(0, state).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(1, Shape({batch, 4 * cells})).status());
    for (int i = 2; i < 5; ++i) {
      WB_RETURN_IF_ERROR(ctx.Allocate(i, ctx.input(2 + i).shape()).status());
    }
    return DispatchTypes<float, Half>(ctx.input(0).dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      const auto input = [&](int i) { return ctx.input(i).data<T>(); };
      if (!peephole_ || cells == 0) WB_RETURN_IF_ERROR(ZeroOutputs<T>(ctx, stream, 2, 5));
      if (cells == 0) return OkStatus();
      constexpr GatePlaces kPlaces = PlacesOf(BlockLstmGates::kIcfo);
      T* const d_sums = ctx.output(1).data<T>();
      LstmBackBlock<T> back{batch * cells, DivisorOf(cells), kPlaces};
      for (int i = 0; i < 6; ++i) back.saved[i] = input(8 + i);
      for (int i = 0; peephole_ && i < 3; ++i) back.peepholes[i] = input(4 + i);
      back.last = input(1);
      back.d_cs = input(14);
      back.d_h = input(15);
      back.d_last = ctx.output(0).data<T>();
      back.d_sums = d_sums;
      WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(batch * cells), back));
      if (!peephole_) return OkStatus();
      const LstmRows<T> last{input(1), nullptr, batch * cells};
      const LstmRows<T> now{input(9), nullptr, batch * cells};
      return EnqueuePeepholes<T>(ctx, stream, batch, cells, d_sums, last, now, kPlaces, 2);
    });
  }

 private:
  bool peephole_ = false;
};

template <BlockLstmGates kGates>
class BlockLstmGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<BlockLstmGradOnGpu>();
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }
  static bool HasGpuCode(const AttrMap& attrs) { return HasLstmGradientCode(attrs); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const BlockLstmSizes n, CheckBlockLstmGradInputs(ctx, peephole_));
    for (int i = 0; i < 8; ++i) {
      WB_RETURN_IF_ERROR(ctx.Allocate(i, ctx.input(1 + i).shape()).status());
    }
    return DispatchTypes<float, Half>(ctx.input(1).dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if (n.cells == 0) return ZeroOutputs<T>(ctx, stream, 0, 8);
      WB_ASSIGN_OR_RETURN(Tensor sums, ctx.AllocateTemp(DTypeOf<T>::value,
                                                        Shape({n.steps * n.batch, 4 * n.cells})));
      const T* const d_sums = sums.data<T>();
      WB_RETURN_IF_ERROR(Steps<T>(ctx, stream, n, sums.data<T>()));
      WB_RETURN_IF_ERROR(InputGradients<T>(ctx, stream, n, d_sums));
      return BiasGradients<T>(ctx, stream, n, d_sums);
    });
  }

 private:
  static constexpr GatePlaces kPlaces = PlacesOf(kGates);

  // The steps backwards: the gradients of the gates' sums, of cs_prev and h_prev.
  template <class T>
  Status Steps(KernelContext& ctx, GpuStream& stream, const BlockLstmSizes& n, T* d_sums) const {
    const int64_t step_size = n.batch * n.cells, columns = 4 * n.cells;
    const RecurrentProducts products{ctx, stream, DTypeOf<T>::value};
    const T* const w_h = ctx.input(4).data<T>() + n.inputs * columns;
    T *d_cs = ctx.output(1).data<T>(), *d_h = ctx.output(2).data<T>();
    WB_RETURN_IF_ERROR(ZeroOutputs<T>(ctx, stream, 1, 3));
    for (int64_t t = n.steps - 1; t >= 0 && step_size > 0; --t) {
      const auto at_step = [&](int i) { return ctx.input(i).data<T>() + t * step_size; };
      LstmBackBlock<T> back{step_size, DivisorOf(n.cells), kPlaces};
      for (int i = 0; i < 6; ++i) back.saved[i] = at_step(9 + i);
      for (int i = 0; peephole_ && i < 3; ++i) back.peepholes[i] = ctx.input(5 + i).data<T>();
      back.last = t == 0 ? ctx.input(2).data<T>() : at_step(10) - step_size;
      back.d_cs = at_step(16);
      back.d_h = at_step(17);
      back.later_d_cs = back.d_last = d_cs;
      back.later_d_h = d_h;
      back.d_sums = d_sums + t * n.batch * columns;
      WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(step_size), back));
      WB_RETURN_IF_ERROR(
          products.Enqueue({n.batch, n.cells, columns, false, true}, back.d_sums, w_h, d_h));
    }
    return OkStatus();
  }

  // The gradients of x and w.
  template <class T>
  Status InputGradients(KernelContext& ctx, GpuStream& stream, const BlockLstmSizes& n,
                        const T* d_sums) const {
    const int64_t rows = n.steps * n.batch, columns = 4 * n.cells;
    const RecurrentProducts products{ctx, stream, DTypeOf<T>::value};
    T *d_x = ctx.output(0).data<T>(), *d_w = ctx.output(3).data<T>();
    WB_RETURN_IF_ERROR(products.Enqueue({rows, n.inputs, columns, false, true}, d_sums,
                                        ctx.input(4).raw_data(), d_x));
    WB_RETURN_IF_ERROR(
        LaunchZeros(stream, d_x + rows * n.inputs, ctx.output(0).num_elements() - rows * n.inputs));
    WB_ASSIGN_OR_RETURN(Tensor before, ctx.AllocateTemp(products.dtype, Shape({rows, n.cells})));
    const LstmRows<T> states{ctx.input(3).data<T>(), ctx.input(15).data<T>(), n.batch * n.cells};
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(rows * n.cells),
                              StackRowsBlock<T>{states, before.data<T>(), rows * n.cells}));
    WB_RETURN_IF_ERROR(products.Enqueue({n.inputs, columns, rows, true, false},
                                        ctx.input(1).raw_data(), d_sums, d_w));
    return products.Enqueue({n.cells, columns, rows, true, false}, before.raw_data(), d_sums,
                            d_w + n.inputs * columns);
  }

  // The gradients of the peepholes and of b.
  template <class T>
  Status BiasGradients(KernelContext& ctx, GpuStream& stream, const BlockLstmSizes& n,
                       const T* d_sums) const {
    const int64_t rows = n.steps * n.batch, step_size = n.batch * n.cells;
    const ChannelExtents gates = ChannelsOf(Shape({rows, 4 * n.cells}), 1);
    WB_RETURN_IF_ERROR(LaunchChannelSums(ctx, stream, gates,
                                         HasWideItems(gates, DTypeOf<T>::value, {d_sums}),
                                         LstmBiasTerm<T>{d_sums, {}, DivisorOf(n.cells), 0},
                                         KeepLstmSum<T>{ctx.output(7).data<T>()}));
    if (!peephole_) return ZeroOutputs<T>(ctx, stream, 4, 7);
    const LstmRows<T> last{ctx.input(2).data<T>(), ctx.input(10).data<T>(), step_size};
    const LstmRows<T> now{ctx.input(10).data<T>(), nullptr, rows * n.cells};
    return EnqueuePeepholes<T>(ctx, stream, rows, n.cells, d_sums, last, now, kPlaces, 4);
  }

  bool peephole_ = false;
};

}  // namespace

WB_GPU_KERNEL("LSTMBlockCellGrad", LstmBlockCellGradOnGpu);
WB_GPU_KERNEL("BlockLSTMGrad", BlockLstmGradOnGpu<BlockLstmGates::kIcfo>);
WB_GPU_KERNEL("BlockLSTMGradV2", BlockLstmGradOnGpu<BlockLstmGates::kIfco>);
#endif

}  // namespace warpbeam::WB_PASS
