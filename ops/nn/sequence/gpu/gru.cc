// GRUBlockCell and GRUBlockCellGrad on a GPU: the products are the library's.
#include "ops/nn/gpu_loops/items.h"
#include "ops/nn/sequence/lstm_cells.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "ops/nn/sequence/gpu/products.h"
#include "ops/nn/sequence/recurrent_cells.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// All matrices have a row for each of the batch.
struct GruGatesBlock {
  int64_t count;  // of cells in all rows
  Divisor cells;  // of a row
  const float *from_x, *from_h, *bias, *last;
  float *r, *u, *reset;  // reset = r last

  WB_BLOCK void operator()(GpuBlock &block) const {
    ForEachElement(block, count, [&](int64_t at) {
      const int64_t row = cells.Quotient(at), cell = at - row * cells.value;
      const int64_t sum = at + row * cells.value;  // of two gates side by side
      r[at] = Sigmoid(from_x[sum] + from_h[sum] + bias[cell]);
      u[at] =
          Sigmoid(from_x[sum + cells.value] + from_h[sum + cells.value] + bias[cell + cells.value]);
      reset[at] = r[at] * last[at];
    });
  }
};

struct GruStateBlock {
  int64_t count;
  Divisor cells;
  const float *from_x, *from_h, *bias, *last, *u;
  float *c, *next;

  WB_BLOCK void operator()(GpuBlock &block) const {
    ForEachElement(block, count, [&](int64_t at) {
      int64_t row = at;
      c[at] = Tanh(from_x[at] + from_h[at] + bias[cells.Split(&row)]);
      next[at] = u[at] * last[at] + (1 - u[at]) * c[at];
    });
  }
};

// The gradients of the sums of c and u.
struct GruCandidateBackBlock {
  int64_t count;
  Divisor cells;
  const float *last, *u, *c, *d_h;
  float *d_c, *d_ru;

  WB_BLOCK void operator()(GpuBlock &block) const {
    ForEachElement(block, count, [&](int64_t at) {
      const int64_t row = cells.Quotient(at);
      d_c[at] = d_h[at] * (1 - u[at]) * (1 - c[at] * c[at]);
      d_ru[at + (row + 1) * cells.value] = d_h[at] * (last[at] - c[at]) * u[at] * (1 - u[at]);
    });
  }
};

// That of the sum of r: c_side is what flows into [x, r last].
struct GruResetBackBlock {
  int64_t count, inputs;
  Divisor cells;
  const float *c_side, *last, *r;
  float *d_ru;

  WB_BLOCK void operator()(GpuBlock &block) const {
    ForEachElement(block, count, [&](int64_t at) {
      const int64_t row = cells.Quotient(at);
      const float flow = c_side[at + (row + 1) * inputs];
      d_ru[at + row * cells.value] = flow * last[at] * r[at] * (1 - r[at]);
    });
  }
};

// Those of x and h_prev, from both sides, of inputs and cells in a row.
struct GruInputBackBlock {
  int64_t count, inputs, cells;
  Divisor sides;
  const float *c_side, *ru_side, *r, *u, *d_h;
  float *d_x, *d_last;

  WB_BLOCK void operator()(GpuBlock &block) const {
    ForEachElement(block, count, [&](int64_t at) {
      int64_t row = at;
      const int64_t column = sides.Split(&row);
      if (column < inputs) {
        d_x[row * inputs + column] = c_side[at] + ru_side[at];
      } else {
        const int64_t cell = row * cells + column - inputs;
        d_last[cell] = d_h[cell] * u[cell] + c_side[at] * r[cell] + ru_side[at];
      }
    });
  }
};

WB_GPU_FUNCTION(GruGatesBlock);
WB_GPU_FUNCTION(GruStateBlock);
WB_GPU_FUNCTION(GruCandidateBackBlock);
WB_GPU_FUNCTION(GruResetBackBlock);
WB_GPU_FUNCTION(GruInputBackBlock);

#if WB_HOST_PASS
namespace {

bool HasGruCode() { return HasGpuProducts(DType::kFloat) && HasGpuFunction<GruGatesBlock>(); }

class GruBlockCellOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &) {
    return std::make_unique<GruBlockCellOnGpu>();
  }
  static bool HasGpuCode(const AttrMap &) { return HasGruCode(); }

  Status Enqueue(KernelContext &ctx, GpuStream &stream) override {
    WB_ASSIGN_OR_RETURN(const Shape state, GruStateShape(ctx));
    const int64_t batch = state.dim(0), cells = state.dim(1), inputs = ctx.input(0).dim(1);
    for (int i = 0; i < 4; ++i) WB_RETURN_IF_ERROR(ctx.Allocate(i, state).status());
    if (batch * cells == 0) return OkStatus();
    const Shape wide({batch, 2 * cells});
    WB_ASSIGN_OR_RETURN(Tensor x_sums, ctx.AllocateTemp(DType::kFloat, wide));
    WB_ASSIGN_OR_RETURN(Tensor h_sums, ctx.AllocateTemp(DType::kFloat, wide));
    WB_ASSIGN_OR_RETURN(Tensor reset, ctx.AllocateTemp(DType::kFloat, state));
    const auto input = [&](int i) { return ctx.input(i).data<float>(); };
    const auto output = [&](int i) { return ctx.output(i).data<float>(); };
    float *from_x = x_sums.data<float>(), *from_h = h_sums.data<float>();
    const RecurrentProducts products{ctx, stream, DType::kFloat};
    const Divisor row = DivisorOf(cells);
    WB_RETURN_IF_ERROR(products.Enqueue({batch, 2 * cells, inputs}, input(0), input(2), from_x));
    WB_RETURN_IF_ERROR(products.Enqueue({batch, 2 * cells, cells}, input(1),
                                        input(2) + inputs * 2 * cells, from_h));
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(batch * cells),
                              GruGatesBlock{batch * cells, row, from_x, from_h, input(4), input(1),
                                            output(0), output(1), reset.data<float>()}));
    WB_RETURN_IF_ERROR(products.Enqueue({batch, cells, inputs}, input(0), input(3), from_x));
    WB_RETURN_IF_ERROR(products.Enqueue({batch, cells, cells}, reset.raw_data(),
                                        input(3) + inputs * cells, from_h));
    return Launch(stream, ElementGrid(batch * cells),
                  GruStateBlock{batch * cells, row, from_x, from_h, input(5), input(1), output(1),
                                output(2), output(3)});
  }
};

class GruBlockCellGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit &) {
    return std::make_unique<GruBlockCellGradOnGpu>();
  }
  static bool HasGpuCode(const AttrMap &) { return HasGruCode(); }

  Status Enqueue(KernelContext &ctx, GpuStream &stream) override {
    WB_ASSIGN_OR_RETURN(const Shape state, GruGradStateShape(ctx));
    const int64_t batch = state.dim(0), cells = state.dim(1), inputs = ctx.input(0).dim(1);
    const int64_t sides = inputs + cells, count = batch * cells;
    WB_RETURN_IF_ERROR(ctx.Allocate(0, ctx.input(0).shape()).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(1, state).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(2, state).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(3, Shape({batch, 2 * cells})).status());
    if (batch * sides == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor from_c, ctx.AllocateTemp(DType::kFloat, Shape({batch, sides})));
    WB_ASSIGN_OR_RETURN(Tensor from_ru, ctx.AllocateTemp(DType::kFloat, Shape({batch, sides})));
    float *c_side = from_c.data<float>(), *ru_side = from_ru.data<float>();
    const auto input = [&](int i) { return ctx.input(i).data<float>(); };
    const auto output = [&](int i) { return ctx.output(i).data<float>(); };
    const Divisor row = DivisorOf(std::max<int64_t>(1, cells));
    const RecurrentProducts products{ctx, stream, DType::kFloat};
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(count),
                              GruCandidateBackBlock{count, row, input(1), input(7), input(8),
                                                    input(9), output(2), output(3)}));
    WB_RETURN_IF_ERROR(
        products.Enqueue({batch, sides, cells, false, true}, output(2), input(3), c_side));
    WB_RETURN_IF_ERROR(
        Launch(stream, ElementGrid(count),
               GruResetBackBlock{count, inputs, row, c_side, input(1), input(6), output(3)}));
    WB_RETURN_IF_ERROR(
        products.Enqueue({batch, sides, 2 * cells, false, true}, output(3), input(2), ru_side));
    return Launch(stream, ElementGrid(batch * sides),
                  GruInputBackBlock{batch * sides, inputs, cells, DivisorOf(sides), c_side, ru_side,
                                    input(6), input(7), input(9), output(0), output(1)});
  }
};

}  // namespace

WB_GPU_KERNEL("GRUBlockCell", GruBlockCellOnGpu);
WB_GPU_KERNEL("GRUBlockCellGrad", GruBlockCellGradOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
