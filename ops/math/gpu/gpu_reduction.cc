#include "ops/launch/complex_number.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/index_division.h"
#include "ops/math/reducers.h"

#if WB_HOST_PASS
#include <algorithm>

#include "ops/launch/dispatch.h"
#include "ops/math/gpu/gpu_reduction.h"
#endif

namespace warpbeam::WB_PASS {

// From what a result's elements were joined to, to the result.
enum class ReductionEnd { kStore, kDivide, kRoot };

// Which elements make which result, and which threads join them.
struct ReductionPlan {
  StridedDims kept, reduced;
  int64_t results = 1;
  int64_t count = 1;                // elements of a result
  int64_t pieces = 1;               // of a result's elements
  int64_t piece_size = 1;           // below 2^31
  int slots = 1;                    // results of a block at a time
  int group = 1;                    // threads for each of them, a power of two like the slots
  int shift = 0;                    // the logarithm of the one along which threads are neighbours
  bool threads_along_group = true;  // else neighbouring threads have neighbouring results
  bool packed = false;  // a result's elements are neighbours, and read 16 bytes at a time
  ReductionEnd end = ReductionEnd::kStore;
  double divisor = 1;
};

template <class R, class In, class Out>
struct ReductionBlock {
  using Acc = typename R::Acc;
  static constexpr int kSides = sizeof(In) <= 2 ? 8 : sizeof(In) == 4 ? 4 : 2;
  struct alignas(kSides * sizeof(In)) Pack {
    In at[kSides];
  };

  const In* x;
  Acc* partials;  // [results, pieces], or null where a piece is all
  Out* y;
  ReductionPlan plan;

  WB_BLOCK void operator()(GpuBlock& block) const {
    Acc* const parts = block.Shared<Acc>(block.threads());
    const int64_t tiles = (plan.results + plan.slots - 1) / plan.slots;
    for (int64_t item = block.index(); item < tiles * plan.pieces; item += block.count()) {
      const int64_t tile = plan.pieces == 1 ? item : item / plan.pieces;
      Join(block, tile * plan.slots, item - tile * plan.pieces, parts);
    }
  }

 private:
  WB_BLOCK int SlotOf(int thread) const {
    return plan.threads_along_group ? thread >> plan.shift : thread & (plan.slots - 1);
  }
  WB_BLOCK int RankOf(int thread) const {  // within its group
    return plan.threads_along_group ? thread & (plan.group - 1) : thread >> plan.shift;
  }

  WB_BLOCK void Join(GpuBlock& block, int64_t first, int64_t piece, Acc* parts) const {
    block.ForEach([&](int thread) {
      const int64_t result = first + SlotOf(thread);
      parts[thread] = result < plan.results ? Part(result, piece, RankOf(thread)) : R::Neutral();
    });
    const int apart = plan.threads_along_group ? 1 : plan.slots;
    for (int half = plan.group / 2; half > 0; half /= 2) {
      block.ForEach([&](int thread) {
        if (RankOf(thread) < half) {
          parts[thread] = R::Join(parts[thread], parts[thread + half * apart]);
        }
      });
    }
    block.ForEach([&](int thread) {
      const int64_t result = first + SlotOf(thread);
      if (RankOf(thread) != 0 || result >= plan.results) return;
      if (partials != nullptr) {
        partials[result * plan.pieces + piece] = parts[thread];
      } else {
        y[result] = Finished(parts[thread]);
      }
    });
  }

  // What one thread joins; several sums side by side keep more reads under way.
  WB_BLOCK Acc Part(int64_t result, int64_t piece, int rank) const {
    const In* from = x + plan.kept.Offset(result);
    const int64_t begin = piece * plan.piece_size;
    const int64_t size =
        plan.count - begin < plan.piece_size ? plan.count - begin : plan.piece_size;
    const auto end = static_cast<uint32_t>(size);
    if (plan.reduced.count > 1) {
      return Sides(static_cast<uint32_t>(rank), end,
                   [&](uint32_t i) { return from[plan.reduced.Offset(begin + i)]; });
    }
    const int64_t stride = plan.reduced.stride[0];
    from += begin * stride;
    if (plan.packed) return Packs(reinterpret_cast<const Pack*>(from), rank, end / kSides);
    return Sides(static_cast<uint32_t>(rank), end, [&](uint32_t i) { return from[i * stride]; });
  }
  // As Sides, with a sum for each of the elements that are read at once.
  WB_BLOCK Acc Packs(const Pack* from, int rank, uint32_t end) const {
    const auto step = static_cast<uint32_t>(plan.group);
    Acc side[kSides];
    for (int k = 0; k < kSides; ++k) side[k] = R::Neutral();
    auto i = static_cast<uint32_t>(rank);
    for (; i + step < end; i += 2 * step) {
      const Pack first = from[i], second = from[i + step];
      for (int k = 0; k < kSides; ++k) {
        side[k] = R::Join(side[k], R::Join(R::Map(static_cast<Acc>(first.at[k])),
                                           R::Map(static_cast<Acc>(second.at[k]))));
      }
    }
    if (i < end) {
      const Pack last = from[i];
      for (int k = 0; k < kSides; ++k) {
        side[k] = R::Join(side[k], R::Map(static_cast<Acc>(last.at[k])));
      }
    }
    return Joined(side);
  }
  template <class At>
  WB_BLOCK Acc Sides(uint32_t i, uint32_t end, const At& at) const {
    const auto step = static_cast<uint32_t>(plan.group);
    Acc side[kSides];
    for (int k = 0; k < kSides; ++k) side[k] = R::Neutral();
    for (; i + (kSides - 1) * step < end; i += kSides * step) {
      for (int k = 0; k < kSides; ++k) {
        side[k] =
            R::Join(side[k], R::Map(static_cast<Acc>(at(i + static_cast<uint32_t>(k) * step))));
      }
    }
    for (; i < end; i += step) side[0] = R::Join(side[0], R::Map(static_cast<Acc>(at(i))));
    return Joined(side);
  }
  WB_BLOCK static Acc Joined(Acc (&side)[kSides]) {
    for (int half = kSides / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) side[k] = R::Join(side[k], side[k + half]);
    }
    return side[0];
  }

  WB_BLOCK Out Finished(Acc all) const {
    if constexpr (std::is_floating_point_v<Acc>) {
      if (plan.end == ReductionEnd::kDivide) all = all / static_cast<Acc>(plan.divisor);
      if (plan.end == ReductionEnd::kRoot) all = Sqrt(all);
    } else if constexpr (kIsComplex<Acc>) {
      using Real = typename Acc::value_type;
      if (plan.end == ReductionEnd::kDivide && plan.divisor > 0) {
        all = all / static_cast<Real>(plan.divisor);
      }
      if (plan.end == ReductionEnd::kRoot) all = Acc(Sqrt(all.real()));
    }
    return static_cast<Out>(all);
  }
};

// The launches of a reduction R<Acc> of T: of elements, and of the partial results J<Acc> of them.
#define WB_REDUCTION_BLOCKS(R, J, T)                        \
  WB_GPU_FUNCTION(ReductionBlock<R<ComputeType<T>>, T, T>); \
  WB_GPU_FUNCTION(ReductionBlock<J<ComputeType<T>>, ComputeType<T>, T>)
#define WB_REDUCTION_BLOCK(R, T) WB_GPU_FUNCTION(ReductionBlock<R<T>, T, T>)

WB_REDUCTION_BLOCKS(SumOf, SumOf, Half);
WB_REDUCTION_BLOCKS(SumOf, SumOf, BFloat16);
WB_REDUCTION_BLOCK(SumOf, float);
WB_REDUCTION_BLOCK(SumOf, double);
WB_REDUCTION_BLOCK(SumOf, int64_t);
WB_REDUCTION_BLOCK(SumOf, ComplexNumber<float>);
WB_REDUCTION_BLOCK(SumOf, ComplexNumber<double>);
WB_GPU_FUNCTION(ReductionBlock<SquaresOf<float>, Half, Half>);
WB_GPU_FUNCTION(ReductionBlock<SquaresOf<float>, BFloat16, BFloat16>);
WB_REDUCTION_BLOCK(SquaresOf, float);
WB_REDUCTION_BLOCK(SquaresOf, double);
WB_REDUCTION_BLOCK(SquaresOf, ComplexNumber<float>);
WB_REDUCTION_BLOCK(SquaresOf, ComplexNumber<double>);
WB_REDUCTION_BLOCKS(ProductOf, ProductOf, Half);
WB_REDUCTION_BLOCKS(ProductOf, ProductOf, BFloat16);
WB_REDUCTION_BLOCK(ProductOf, float);
WB_REDUCTION_BLOCK(ProductOf, double);
WB_REDUCTION_BLOCK(ProductOf, int32_t);
WB_REDUCTION_BLOCK(ProductOf, int64_t);
WB_REDUCTION_BLOCK(ProductOf, ComplexNumber<float>);
WB_REDUCTION_BLOCK(ProductOf, ComplexNumber<double>);
WB_REDUCTION_BLOCKS(MaxOf, MaxOf, Half);
WB_REDUCTION_BLOCKS(MaxOf, MaxOf, BFloat16);
WB_REDUCTION_BLOCK(MaxOf, float);
WB_REDUCTION_BLOCK(MaxOf, double);
WB_REDUCTION_BLOCK(MaxOf, int64_t);
WB_REDUCTION_BLOCKS(MinOf, MinOf, Half);
WB_REDUCTION_BLOCKS(MinOf, MinOf, BFloat16);
WB_REDUCTION_BLOCK(MinOf, float);
WB_REDUCTION_BLOCK(MinOf, double);
WB_GPU_FUNCTION(ReductionBlock<AnyOf, bool, bool>);
WB_GPU_FUNCTION(ReductionBlock<AllOf, bool, bool>);
WB_GPU_FUNCTION(ReductionBlock<AnyOf, uint8_t, bool>);
WB_GPU_FUNCTION(ReductionBlock<AllOf, uint8_t, bool>);

#if WB_HOST_PASS
namespace {

constexpr int kThreads = 256;
// Blocks that fill a large GPU, and elements for each thread that are worth a second launch.
constexpr int64_t kBlocks = 132 * 8;
constexpr int64_t kPerThread = 32;

int64_t PowerOfTwoUpTo(int64_t most) {
  int64_t power = 1;
  while (power * 2 <= most) power *= 2;
  return power;
}
int64_t Ceiling(int64_t n, int64_t by) { return (n + by - 1) / by; }

// Neighbouring dimensions of one kind are one; those of extent 1 do not matter.
Status AddDims(const Shape& shape, uint64_t axes, ReductionPlan* plan) {
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0;) {
    const auto is_reduced = [&](int d) { return d < 64 && ((axes >> d) & 1) != 0; };
    const bool reduced = is_reduced(i);
    int64_t extent = 1;
    for (; i >= 0 && (is_reduced(i) == reduced || shape.dim(i) == 1); --i) extent *= shape.dim(i);
    if (extent != 1 && !(reduced ? plan->reduced : plan->kept).Add(extent, stride)) {
      return Unimplemented("a reduction on a GPU of so many dimensions in turns: ",
                           shape.ToString());
    }
    stride *= extent;
  }
  plan->results = plan->kept.elements;
  plan->count = plan->reduced.elements;
  return OkStatus();
}

// Divides results and elements among threads and, with `splits`, among blocks.
void Divide(bool splits, int element_bytes, ReductionPlan* plan) {
  const StridedDims &kept = plan->kept, &reduced = plan->reduced;
  plan->threads_along_group =
      kept.count == 0 || (reduced.count > 0 && reduced.stride[0] < kept.stride[0]);
  // Some elements for each thread, but whole sectors of memory for neighbours.
  const int64_t useful = PowerOfTwoUpTo(std::clamp<int64_t>(plan->count / 16, 1, kThreads));
  if (plan->threads_along_group) {
    const int64_t least = PowerOfTwoUpTo(std::clamp<int64_t>(plan->count / 4, 1, 8));
    plan->group = static_cast<int>(std::max(useful, least));
  } else {
    const int64_t row = element_bytes >= 4 ? 32 : 64;
    const int64_t slots = std::min(row, PowerOfTwoUpTo(2 * kept.extent[0] - 1));
    const int64_t most = kThreads / slots;
    plan->group = static_cast<int>(
        std::min(most, PowerOfTwoUpTo(std::clamp<int64_t>(plan->count / 4, 1, kThreads))));
  }
  plan->slots = kThreads / plan->group;
  while ((1 << plan->shift) < (plan->threads_along_group ? plan->group : plan->slots)) {
    ++plan->shift;
  }
  const int64_t tiles = Ceiling(plan->results, plan->slots);
  if (splits && tiles < kBlocks / 2) {
    const int64_t most = plan->count / (plan->group * kPerThread);
    if (most >= 4) plan->pieces = std::min(Ceiling(kBlocks, tiles), most);
  }
  plan->pieces = std::max(plan->pieces, Ceiling(plan->count, IndexDivision::kLimit / 2));
  // Pieces begin where packs do.
  constexpr int64_t kMostInPack = 16;
  plan->piece_size = Ceiling(Ceiling(plan->count, plan->pieces), kMostInPack) * kMostInPack;
  plan->piece_size = std::max<int64_t>(1, std::min(plan->piece_size, plan->count));
  plan->pieces = std::max<int64_t>(1, Ceiling(plan->count, plan->piece_size));
}

// Whether every result's elements are neighbours in whole packs of `n`, `bytes` together.
bool AreWholePacks(const ReductionPlan& plan, const void* x, int n, int bytes) {
  bool whole = plan.threads_along_group && plan.reduced.count == 1 && plan.reduced.stride[0] == 1 &&
               plan.count % n == 0 && plan.piece_size % n == 0 &&
               reinterpret_cast<uintptr_t>(x) % static_cast<uintptr_t>(bytes) == 0;
  for (int d = 0; d < plan.kept.count; ++d) whole = whole && plan.kept.stride[d] % n == 0;
  return whole;
}

template <class Block>
Status LaunchReduction(GpuStream& stream, const Block& block) {
  GpuGrid grid;
  grid.threads = kThreads;
  grid.blocks = GpuBlocksFor(Ceiling(block.plan.results, block.plan.slots) * block.plan.pieces);
  grid.shared_bytes = sizeof(typename Block::Acc) * kThreads;
  return Launch(stream, grid, block);
}

// R joins elements, J what R gives.
template <class R, class J, class T>
Status RunReduction(KernelContext& ctx, GpuStream& stream, ReductionPlan plan, const T* x, T* y) {
  using Acc = typename R::Acc;
  using Block = ReductionBlock<R, T, T>;
  Divide(/*splits=*/true, sizeof(T), &plan);
  plan.packed = AreWholePacks(plan, x, Block::kSides, sizeof(typename Block::Pack));
  if (plan.pieces == 1) {
    return LaunchReduction(stream, Block{x, nullptr, y, plan});
  }
  const int64_t bytes = plan.results * plan.pieces * static_cast<int64_t>(sizeof(Acc));
  WB_ASSIGN_OR_RETURN(Tensor temporary, ctx.AllocateTemp(DType::kUInt8, Shape({bytes})));
  Acc* const partials = static_cast<Acc*>(temporary.raw_data());
  WB_RETURN_IF_ERROR(LaunchReduction(stream, Block{x, partials, y, plan}));
  ReductionPlan joining;
  joining.end = plan.end;
  joining.divisor = plan.divisor;
  joining.results = plan.results;
  joining.count = plan.pieces;
  joining.reduced.Add(plan.pieces, 1);
  if (plan.results > 1) joining.kept.Add(plan.results, plan.pieces);
  Divide(/*splits=*/false, sizeof(Acc), &joining);
  return LaunchReduction(stream, ReductionBlock<J, Acc, T>{partials, nullptr, y, joining});
}

// The reduction R<Acc> of any of the types of the list.
template <template <class> class R, template <class> class J, class Types>
Status ReduceTypes(KernelContext& ctx, GpuStream& stream, const ReductionPlan& plan,
                   const Tensor& x, Tensor* out) {
  return DispatchTypes(Types{}, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Acc = ComputeType<GpuElement<T>>;
    return RunReduction<R<Acc>, J<Acc>>(ctx, stream, plan, GpuData(x.data<T>()),
                                        GpuData(out->data<T>()));
  });
}

}  // namespace
#endif

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS
namespace warpbeam {

bool HasGpuReductions() {
  return host_pass::HasGpuFunction<
      host_pass::ReductionBlock<host_pass::SumOf<float>, float, float>>();
}

Status SumStridedOnGpu(KernelContext& ctx, GpuStream& stream, const Tensor& x,
                       const StridedDims& kept, const StridedDims& reduced, Tensor* out) {
  using namespace host_pass;  // NOLINT: the functions above
  ReductionPlan plan;
  plan.kept = kept;
  plan.reduced = reduced;
  plan.results = kept.elements;
  plan.count = reduced.elements;
  return ReduceTypes<SumOf, SumOf, ConcatTypes<FloatTypeList, ComplexTypeList>>(ctx, stream, plan,
                                                                                x, out);
}

Status ReduceOnGpu(KernelContext& ctx, GpuStream& stream, Reduction reduction, const Tensor& x,
                   uint64_t axes, Tensor* out) {
  using namespace host_pass;  // NOLINT: the functions above
  using Fields = ConcatTypes<FloatTypeList, ComplexTypeList>;
  if (out->num_elements() == 0) return OkStatus();
  ReductionPlan plan;
  WB_RETURN_IF_ERROR(AddDims(x.shape(), axes, &plan));
  switch (reduction) {
    case Reduction::kMean:
      plan.end = ReductionEnd::kDivide;
      plan.divisor = static_cast<double>(plan.count);
      return ReduceTypes<SumOf, SumOf, Fields>(ctx, stream, plan, x, out);
    case Reduction::kSum:
      return ReduceTypes<SumOf, SumOf, ConcatTypes<Fields, TypeList<int64_t>>>(ctx, stream, plan, x,
                                                                               out);
    case Reduction::kNorm:
      plan.end = ReductionEnd::kRoot;
      return ReduceTypes<SquaresOf, SumOf, Fields>(ctx, stream, plan, x, out);
    case Reduction::kHalfNorm:
      plan.end = ReductionEnd::kDivide;
      plan.divisor = 2;
      return ReduceTypes<SquaresOf, SumOf, FloatTypeList>(ctx, stream, plan, x, out);
    case Reduction::kProd:
      return ReduceTypes<ProductOf, ProductOf, ConcatTypes<Fields, TypeList<int32_t, int64_t>>>(
          ctx, stream, plan, x, out);
    case Reduction::kMax:
      return ReduceTypes<MaxOf, MaxOf, ConcatTypes<FloatTypeList, TypeList<int64_t>>>(ctx, stream,
                                                                                      plan, x, out);
    case Reduction::kMin:
      return ReduceTypes<MinOf, MinOf, FloatTypeList>(ctx, stream, plan, x, out);
    case Reduction::kAny:
      return RunReduction<AnyOf, AnyOf>(ctx, stream, plan, x.data<bool>(), out->data<bool>());
    case Reduction::kAll:
      return RunReduction<AllOf, AllOf>(ctx, stream, plan, x.data<bool>(), out->data<bool>());
  }
  return Internal("no such reduction");
}

}  // namespace warpbeam
#endif
