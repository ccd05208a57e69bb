// LSTMBlockCell, BlockLSTM and BlockLSTMV2 on a GPU: the products are the library's, and a launch
// for each step computes the cells.
#include "ops/nn/gpu_loops/items.h"
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

template <class T>
struct LstmStepBlock {
  int64_t count;  // of cells in all rows
  Divisor cells;  // of a row
  GatePlaces places;
  const T *from_x, *from_h, *bias;  // the gates' sums
  const T* peepholes[3];            // null without them
  const T* last;
  T* outputs[7];  // i, cs, f, o, ci, co, h
  float forget_bias, clip;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t at) {
      int64_t row = at;
      const int64_t cell = cells.Split(&row);
      PeepholesOf<float> peephole;
      if (peepholes[0] != nullptr) {
        peephole = {float(peepholes[0][cell]), float(peepholes[1][cell]),
                    float(peepholes[2][cell])};
      }
      const auto c =
          LstmCellsOf<float>::Step(Sum(row, cell, places.i), Sum(row, cell, places.ci),
                                   Sum(row, cell, places.f) + forget_bias, Sum(row, cell, places.o),
                                   float(last[at]), peephole, clip);
      const float values[] = {c.i, c.cs, c.f, c.o, c.ci, c.co, c.co * c.o};
      for (int k = 0; k < 7; ++k) outputs[k][at] = T(values[k]);
    });
  }

 private:
  WB_BLOCK float Sum(int64_t row, int64_t cell, int gate) const {
    const int64_t column = gate * cells.value + cell, at = row * 4 * cells.value + column;
    return float(from_x[at]) + float(from_h[at]) + float(bias[column]);
  }
};

WB_GPU_FUNCTION(LstmStepBlock<float>);
WB_GPU_FUNCTION(LstmStepBlock<Half>);

#if WB_HOST_PASS
namespace {

// The inputs that both ops have, one after another, and the sizes that they have.
struct LstmInputs {
  int first;  // the input x; cs_prev, h_prev, w, wci, wcf, wco and b follow
  int64_t steps, batch, inputs, cells;
  GatePlaces places;
  bool peephole;
  float forget_bias, clip;
};

template <class T>
Status EnqueueLstm(KernelContext& ctx, GpuStream& stream, const LstmInputs& n) {
  const int64_t columns = 4 * n.cells, step_size = n.batch * n.cells;
  if (n.steps * step_size == 0) return OkStatus();
  const RecurrentProducts products{ctx, stream, DTypeOf<T>::value};
  const auto input = [&](int i) { return ctx.input(n.first + i).data<T>(); };
  WB_ASSIGN_OR_RETURN(Tensor from_x,
                      ctx.AllocateTemp(products.dtype, Shape({n.steps * n.batch, columns})));
  WB_ASSIGN_OR_RETURN(Tensor from_h, ctx.AllocateTemp(products.dtype, Shape({n.batch, columns})));
  WB_RETURN_IF_ERROR(products.Enqueue({n.steps * n.batch, columns, n.inputs}, input(0), input(3),
                                      from_x.raw_data()));
  const T* const w_h = input(3) + n.inputs * columns;
  LstmStepBlock<T> step{step_size,        DivisorOf(n.cells), n.places,
                        from_x.data<T>(), from_h.data<T>(),   input(7)};
  for (int i = 0; n.peephole && i < 3; ++i) step.peepholes[i] = input(4 + i);
  for (int i = 0; i < 7; ++i) step.outputs[i] = ctx.output(i).data<T>();
  step.forget_bias = n.forget_bias;
  step.clip = n.clip;
  step.last = input(1);
  const T* h = input(2);
  for (int64_t t = 0; t < n.steps; ++t) {
    WB_RETURN_IF_ERROR(products.Enqueue({n.batch, columns, n.cells}, h, w_h, from_h.raw_data()));
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(step_size), step));
    step.last = step.outputs[1];
    h = step.outputs[6];
    step.from_x += n.batch * columns;
    for (T*& output : step.outputs) output += step_size;
  }
  return OkStatus();
}

bool HasLstmCode(const AttrMap& attrs) {
  return HasGpuProducts(attrs.GetOr<DType>("T", DType::kInvalid)) &&
         HasGpuFunction<LstmStepBlock<float>>();
}

class LstmBlockCellOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<LstmBlockCellOnGpu>();
    WB_ASSIGN_OR_RETURN(kernel->forget_bias_, init.attr<float>("forget_bias"));
    WB_ASSIGN_OR_RETURN(kernel->cell_clip_, init.attr<float>("cell_clip"));
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }
  static bool HasGpuCode(const AttrMap& attrs) { return HasLstmCode(attrs); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const Shape state, LstmStateShape(ctx, peephole_));
    for (int i = 0; i < 7; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, state).status());
    const LstmInputs inputs{0,
                            1,
                            state.dim(0),
                            ctx.input(0).dim(1),
                            state.dim(1),
                            PlacesOf(BlockLstmGates::kIcfo),
                            peephole_,
                            forget_bias_,
                            cell_clip_};
    return DispatchTypes<float, Half>(ctx.input(0).dtype(), [&](auto tag) {
      return EnqueueLstm<typename decltype(tag)::type>(ctx, stream, inputs);
    });
  }

 private:
  float forget_bias_ = 1, cell_clip_ = 3;
  bool peephole_ = false;
};

template <BlockLstmGates kGates>
class BlockLstmOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<BlockLstmOnGpu>();
    if (kGates == BlockLstmGates::kIcfo) {
      WB_ASSIGN_OR_RETURN(kernel->forget_bias_, init.attr<float>("forget_bias"));
    }
    WB_ASSIGN_OR_RETURN(kernel->cell_clip_, init.attr<float>("cell_clip"));
    WB_ASSIGN_OR_RETURN(kernel->peephole_, init.attr<bool>("use_peephole"));
    return kernel;
  }
  static bool HasGpuCode(const AttrMap& attrs) { return HasLstmCode(attrs); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const BlockLstmSizes n, CheckBlockLstmInputs(ctx, peephole_));
    const LstmInputs inputs{1,         n.steps,      n.batch,   n.inputs, n.cells, PlacesOf(kGates),
                            peephole_, forget_bias_, cell_clip_};
    return DispatchTypes<float, Half>(ctx.input(1).dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      // Steps from seq_len_max on are zero.
      const int64_t done = n.steps * n.batch * n.cells;
      for (int i = 0; i < 7; ++i) {
        WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(i, Shape({n.all_steps, n.batch, n.cells})));
        WB_RETURN_IF_ERROR(LaunchZeros(stream, y->data<T>() + done, y->num_elements() - done));
      }
      return EnqueueLstm<T>(ctx, stream, inputs);
    });
  }

 private:
  float forget_bias_ = 0, cell_clip_ = 0;
  bool peephole_ = false;
};

}  // namespace

WB_GPU_KERNEL("LSTMBlockCell", LstmBlockCellOnGpu);
WB_GPU_KERNEL("BlockLSTM", BlockLstmOnGpu<BlockLstmGates::kIcfo>);
WB_GPU_KERNEL("BlockLSTMV2", BlockLstmOnGpu<BlockLstmGates::kIfco>);
#endif

}  // namespace warpbeam::WB_PASS
