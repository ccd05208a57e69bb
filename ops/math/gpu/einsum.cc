// Einsum on a GPU: operands are brought into order by the kernels of sums, and multiplied by the
// library of products.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/index_division.h"
#include "ops/launch/pass.h"

#if WB_HOST_PASS
#include <algorithm>
#include <tuple>

#include "ops/launch/dispatch.h"
#include "ops/launch/gpu_products.h"
#include "ops/math/einsum/einsum_plan.h"
#include "ops/math/gpu/gpu_reduction.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// y[places.Offset(i)] = x[i], or zeros everywhere: for results in which a dimension stands twice.
template <class Word>
struct EinsumDiagonalBlock {
  const Word* x;  // null for zeros
  Word* y;
  StridedDims places;
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      if (x == nullptr) {
        y[i] = Word(0);
      } else {
        y[places.Offset(i)] = x[i];
      }
    });
  }
};

WB_GPU_FUNCTION(EinsumDiagonalBlock<uint16_t>);
WB_GPU_FUNCTION(EinsumDiagonalBlock<uint32_t>);
WB_GPU_FUNCTION(EinsumDiagonalBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

// Innermost first; neighbours that are one dimension are joined.
StatusOr<StridedDims> Strided(const EinsumDims& dims) {
  StridedDims strided;
  for (auto d = dims.rbegin(); d != dims.rend();) {
    int64_t extent = 1;
    const auto first = d;
    for (; d != dims.rend() && (d == first || d->stride == extent * first->stride); ++d) {
      extent *= d->extent;
    }
    if (extent != 1 && !strided.Add(extent, first->stride)) {
      return Unimplemented("an Einsum of so many dimensions on a GPU");
    }
  }
  return strided;
}

class EinsumOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(EinsumEquation equation, ReadEinsumEquation(init));
    return std::make_unique<EinsumOnGpu>(std::move(equation));
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return HasGpuReductions() && HasGpuProducts(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  explicit EinsumOnGpu(EinsumEquation equation) : equation_(std::move(equation)) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const EinsumPlan plan, PlanEinsum(equation_, ctx));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, plan.result));
    if (out->num_elements() == 0) return OkStatus();
    Tensor product = *out;
    if (!plan.is_result) {
      WB_ASSIGN_OR_RETURN(product, ctx.AllocateTemp(out->dtype(), Shape({plan.elements})));
    }
    if (ctx.num_inputs() == 1) {
      WB_RETURN_IF_ERROR(Order(ctx, stream, ctx.input(0), plan.operands[0], &product));
    } else {
      WB_RETURN_IF_ERROR(Multiply(ctx, stream, plan, &product));
    }
    return plan.is_result ? OkStatus() : SpreadOut(ctx, stream, plan, product, out);
  }

 private:
  static Status Order(KernelContext& ctx, GpuStream& stream, const Tensor& x,
                      const EinsumOperand& operand, Tensor* to) {
    WB_ASSIGN_OR_RETURN(const StridedDims kept, Strided(operand.kept));
    WB_ASSIGN_OR_RETURN(const StridedDims summed, Strided(operand.summed));
    return SumStridedOnGpu(ctx, stream, x, kept, summed, to);
  }
  static StatusOr<Tensor> Ordered(KernelContext& ctx, GpuStream& stream, const Tensor& x,
                                  const EinsumOperand& operand) {
    if (operand.in_order || operand.size == 0) return x;
    WB_ASSIGN_OR_RETURN(Tensor ordered, ctx.AllocateTemp(x.dtype(), Shape({operand.size})));
    WB_RETURN_IF_ERROR(Order(ctx, stream, x, operand, &ordered));
    return ordered;
  }

  static Status Multiply(KernelContext& ctx, GpuStream& stream, const EinsumPlan& plan,
                         Tensor* to) {
    WB_ASSIGN_OR_RETURN(const Tensor a, Ordered(ctx, stream, ctx.input(0), plan.operands[0]));
    WB_ASSIGN_OR_RETURN(const Tensor b, Ordered(ctx, stream, ctx.input(1), plan.operands[1]));
    const GemmProblem& p = plan.product;
    GpuProduct product;
    product.dtype = to->dtype();
    product.m = p.m, product.n = p.n, product.k = p.k;
    product.transpose_a = p.transpose_a;
    product.transpose_b = p.transpose_b;
    product.batches = plan.batches;
    product.stride_a = p.m * p.k;
    product.stride_b = p.k * p.n;
    product.a = a.raw_data();
    product.b = b.raw_data();
    product.c = to->raw_data();
    WB_ASSIGN_OR_RETURN(GpuProducts * products, GpuProductsOf(stream));
    WB_ASSIGN_OR_RETURN(const int64_t bytes, products->WorkspaceBytes(stream, product));
    WB_ASSIGN_OR_RETURN(Tensor workspace, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
    return products->Enqueue(stream, product, workspace.raw_data(), bytes);
  }

  static Status SpreadOut(KernelContext& ctx, GpuStream& stream, const EinsumPlan& plan,
                          const Tensor& product, Tensor* out) {
    if (plan.elements < out->num_elements()) return SpreadDiagonals(stream, plan, product, out);
    // The result's dimensions, by their strides in the product.
    std::vector<std::pair<int64_t, EinsumDim>> by_place;
    int64_t from = plan.elements;
    for (const EinsumDim& d : plan.spread) {
      from /= d.extent;
      if (d.extent != 1) by_place.push_back({d.stride, {d.extent, from}});
    }
    std::sort(by_place.begin(), by_place.end(),
              [](const auto& a, const auto& b) { return a.first > b.first; });
    EinsumDims dims;
    for (const auto& [place, dim] : by_place) dims.push_back(dim);
    WB_ASSIGN_OR_RETURN(const StridedDims kept, Strided(dims));
    return SumStridedOnGpu(ctx, stream, product, kept, StridedDims(), out);
  }

  // Elements of 16 bytes are two of 8.
  static Status SpreadDiagonals(GpuStream& stream, const EinsumPlan& plan, const Tensor& product,
                                Tensor* out) {
    EinsumDims dims = plan.spread;
    const int bytes = DTypeSize(out->dtype()), words = bytes == 16 ? 2 : 1;
    for (EinsumDim& d : dims) d.stride *= words;
    if (words == 2) dims.push_back({2, 1});
    WB_ASSIGN_OR_RETURN(const StridedDims places, Strided(dims));
    const auto spread = [&](auto word) {
      using Word = decltype(word);
      auto* const y = static_cast<Word*>(out->raw_data());
      GpuGrid grid;
      const int64_t all = out->num_elements() * words;
      grid.blocks = GpuBlocksFor((all + grid.threads - 1) / grid.threads);
      WB_RETURN_IF_ERROR(Launch(stream, grid, EinsumDiagonalBlock<Word>{nullptr, y, places, all}));
      return Launch(stream, grid,
                    EinsumDiagonalBlock<Word>{static_cast<const Word*>(product.raw_data()), y,
                                              places, plan.elements * words});
    };
    if (bytes == 2) return spread(uint16_t{});
    return bytes == 4 ? spread(uint32_t{}) : spread(uint64_t{});
  }

  const EinsumEquation equation_;
};

}  // namespace

WB_GPU_KERNEL("Einsum", EinsumOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
