// ElementwiseBlock: an elementwise op's functor as a block function, with its inputs' places.
//
// A thread takes as many neighbours as have 16 bytes, in one read for each input, where addresses
// and rows allow for it: tensors of one shape, a scalar, a row or a column along the other input.
// Else neighbouring threads take them. Places are found without dividing.
//
//   using Block = ElementwiseBlock<AddFn, float, float, float>;
//   const Block block(args);                          // GpuElementwiseArgs: addresses, broadcast
//   const GpuGrid grid = Block::Grid(args.count);
//
// Thread safety: blocks run in any order, side by side; the output may be an input that does not
// broadcast. Errors: none; shapes are checked before.
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_BLOCK_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_BLOCK_H_

#include <tuple>
#include <utility>

#include "ops/launch/element_loop.h"
#include "ops/launch/elementwise.h"
#include "ops/launch/gpu_block.h"
#include "ops/launch/gpu_launch.h"
#include "ops/launch/index_division.h"

namespace warpbeam::WB_PASS {

// Neighbouring elements that one thread reads or writes at once.
template <class T, int N>
struct alignas(sizeof(T) * N) ElementPack {
  T at[N];
};

namespace internal {
template <class Fn, class = void>
inline constexpr int kCost = 250;
template <class Fn>
inline constexpr int kCost<Fn, std::void_t<decltype(Fn::kPicoseconds)>> = Fn::kPicoseconds;
}  // namespace internal

// What a launch is told of its inputs' places.
struct ElementwisePlan {
  int64_t count = 0;
  const void* inputs[Broadcast::kMaxInputs] = {};
  bool packed = false;
  bool small = false;  // places are found by multiplication
  int rank = 0;        // 0: all inputs are like the output
  IndexDivision by[Broadcast::kMaxDims];
  int64_t dims[Broadcast::kMaxDims] = {};  // the last in packs, if packed
  int64_t strides[Broadcast::kMaxInputs][Broadcast::kMaxDims] = {};

  template <int kInputs>
  WB_BLOCK void Locate(int64_t index, int64_t (&at)[kInputs]) const {
    if (small) {
      uint32_t places[kInputs];
      Walk(static_cast<uint32_t>(index), places,
           [&](uint32_t i, int d) { return by[d].Quotient(i); });
      for (int i = 0; i < kInputs; ++i) at[i] = places[i];
    } else {
      Walk(index, at, [&](int64_t i, int d) { return i / dims[d]; });
    }
  }

 private:
  template <class Index, int kInputs, class Quotient>
  WB_BLOCK void Walk(Index index, Index (&at)[kInputs], const Quotient& quotient) const {
    for (int i = 0; i < kInputs; ++i) at[i] = 0;
    for (int d = rank - 1; d > 0; --d) {
      const Index outer = quotient(index, d);
      const Index rest = index - outer * static_cast<Index>(dims[d]);
      for (int i = 0; i < kInputs; ++i) at[i] += rest * static_cast<Index>(strides[i][d]);
      index = outer;
    }
    for (int i = 0; i < kInputs; ++i) at[i] += index * static_cast<Index>(strides[i][0]);
  }
};

// The plan of a launch, in packs of `n` if addresses and rows allow for them.
inline ElementwisePlan PlanElementwise(const GpuElementwiseArgs& args, int inputs, int n,
                                       const size_t* in_bytes, size_t out_bytes) {
  ElementwisePlan plan;
  const Broadcast& from = args.plan;
  const int last = from.rank - 1;
  plan.count = args.count;
  plan.small = args.count < IndexDivision::kLimit;
  plan.rank = args.broadcasts ? from.rank : 0;
  plan.packed = n > 1 && reinterpret_cast<uintptr_t>(args.output) % (n * out_bytes) == 0 &&
                (plan.rank == 0 || from.dims[last] % n == 0);
  for (int i = 0; i < inputs; ++i) {
    plan.inputs[i] = args.inputs[i];
    if (plan.rank > 0 && from.strides[i][last] == 0) continue;
    plan.packed &= reinterpret_cast<uintptr_t>(args.inputs[i]) % (n * in_bytes[i]) == 0;
    for (int d = 0; d < plan.rank - 1; ++d) plan.packed &= from.strides[i][d] % n == 0;
  }
  const int64_t pack = plan.packed ? n : 1;
  for (int d = 0; d < plan.rank; ++d) {
    plan.dims[d] = d == last ? from.dims[d] / pack : from.dims[d];
    if (plan.small) plan.by[d] = IndexDivision(static_cast<uint32_t>(plan.dims[d]));
    for (int i = 0; i < inputs; ++i) {
      plan.strides[i][d] = d == last ? from.strides[i][d] * pack : from.strides[i][d];
    }
  }
  return plan;
}

template <class Fn, class Out, class... In>
class ElementwiseBlock {
 public:
  explicit ElementwiseBlock(const GpuElementwiseArgs& args)
      : fn_(*static_cast<const Fn*>(args.functor)), y_(static_cast<Out*>(args.output)) {
    constexpr size_t kInBytes[] = {sizeof(In)...};
    plan_ = PlanElementwise(args, kInputs, kPack, kInBytes, sizeof(Out));
  }
  static GpuGrid Grid(int64_t count) { return ElementGrid((count + kPack - 1) / kPack); }
  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      const int64_t step = block.count() * block.threads();
      const int64_t first = block.index() * block.threads() + thread;
      const int64_t packs = plan_.packed ? plan_.count / kPack : 0;
      for (int64_t p = first; p < packs; p += step) ComputePack(p, Indices());
      // What is left of tensors of one shape; rows are whole packs.
      int64_t i = packs * kPack + first;
      for (; i + (kAtOnce - 1) * step < plan_.count; i += kAtOnce * step) {
        ComputeElements(i, step, Indices());
      }
      for (; i < plan_.count; i += step) ComputeElement(i, Indices());
    });
  }

 private:
  static constexpr int kInputs = sizeof...(In);
  using Indices = std::index_sequence_for<In...>;

  // Functions that take long are not repeated: memory does not hold them up.
  static constexpr int PackSize() {
    size_t largest = 2;
    for (const size_t bytes : {sizeof(Out), sizeof(In)...})
      largest = bytes > largest ? bytes : largest;
    return internal::kCost<Fn> > 2000 || largest > 16 ? 1 : static_cast<int>(16 / largest);
  }
  static constexpr int kPack = PackSize();
  static constexpr int kAtOnce = kPack > 1 ? 4 : 1;

  // A GPU cannot refuse values: what fails on the host gives some value here.
  template <class... X>
  WB_BLOCK Out Apply(const X&... x) const {
    bool unused = false;
    return static_cast<Out>(internal::Call(fn_, unused, static_cast<ComputeType<X>>(x)...));
  }
  template <size_t... I>
  WB_BLOCK void ComputePack(int64_t pack, std::index_sequence<I...>) const {
    int64_t at[kInputs];
    Locate(pack, pack * kPack, at);
    const auto x = std::make_tuple(Read<In>(I, at[I])...);
    ElementPack<Out, kPack> result;
    for (int k = 0; k < kPack; ++k) result.at[k] = Apply(std::get<I>(x).at[k]...);
    *reinterpret_cast<ElementPack<Out, kPack>*>(y_ + pack * kPack) = result;
  }
  // Elements that are `step` apart, whose reads are under way side by side.
  template <size_t... I>
  WB_BLOCK void ComputeElements(int64_t i, int64_t step, std::index_sequence<I...>) const {
    std::tuple<ElementPack<In, kAtOnce>...> x;
    for (int k = 0; k < kAtOnce; ++k) {
      int64_t at[kInputs];
      Locate(i + k * step, i + k * step, at);
      ((std::get<I>(x).at[k] = static_cast<const In*>(plan_.inputs[I])[at[I]]), ...);
    }
    for (int k = 0; k < kAtOnce; ++k) y_[i + k * step] = Apply(std::get<I>(x).at[k]...);
  }
  template <size_t... I>
  WB_BLOCK void ComputeElement(int64_t i, std::index_sequence<I...>) const {
    int64_t at[kInputs];
    Locate(i, i, at);
    y_[i] = Apply(static_cast<const In*>(plan_.inputs[I])[at[I]]...);
  }
  // Of the pack or the element `index`, which in the result is element `place`.
  WB_BLOCK void Locate(int64_t index, int64_t place, int64_t (&at)[kInputs]) const {
    if (plan_.rank == 0) {
      for (int i = 0; i < kInputs; ++i) at[i] = place;
    } else {
      plan_.Locate(index, at);
    }
  }
  // Neighbours, or one element again and again.
  template <class T>
  WB_BLOCK ElementPack<T, kPack> Read(size_t input, int64_t at) const {
    const T* const from = static_cast<const T*>(plan_.inputs[input]) + at;
    if (plan_.rank == 0 || plan_.strides[input][plan_.rank - 1] != 0) {
      return *reinterpret_cast<const ElementPack<T, kPack>*>(from);
    }
    ElementPack<T, kPack> pack;
    const T one = *from;
    for (int k = 0; k < kPack; ++k) pack.at[k] = one;
    return pack;
  }

  Fn fn_;
  ElementwisePlan plan_;
  Out* y_;
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_BLOCK_H_
