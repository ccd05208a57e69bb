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
#include "ops/launch/elementwise_plan.h"
#include "ops/launch/gpu_block.h"
#include "ops/launch/gpu_launch.h"

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

template <class Fn, class Out, class... In>
class ElementwiseBlock {
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
  static constexpr uint32_t kAtOnce = kPack > 1 ? 4 : 1;

 public:
  static constexpr ElementwiseLayout kLayout = {kInputs, kPack, sizeof(Out), {sizeof(In)...}};
  // Of at most ElementwisePlan::kMostElements.
  explicit ElementwiseBlock(const GpuElementwiseArgs& args)
      : fn_(*static_cast<const Fn*>(args.functor)),
        plan_(PlanElementwise(args, kLayout)),
        y_(static_cast<Out*>(args.output)) {}
  static GpuGrid Grid(int64_t count) { return ElementGrid((count + kPack - 1) / kPack); }
  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      const auto step = static_cast<uint32_t>(block.count() * block.threads());
      const auto first = static_cast<uint32_t>(block.index() * block.threads() + thread);
      const uint32_t packs = plan_.packed ? plan_.count / kPack : 0;
      for (uint32_t p = first; p < packs; p += step) ComputePack(p, Indices());
      // What is left of tensors of one shape; rows are whole packs.
      uint32_t i = packs * kPack + first;
      for (; i + (kAtOnce - 1) * step < plan_.count; i += kAtOnce * step) {
        ComputeElements(i, step, Indices());
      }
      for (; i < plan_.count; i += step) ComputeElement(i, Indices());
    });
  }

 private:
  // A GPU cannot refuse values: what fails on the host gives some value here.
  template <class... X>
  WB_BLOCK Out Apply(const X&... x) const {
    bool unused = false;
    return static_cast<Out>(internal::Call(fn_, unused, static_cast<ComputeType<X>>(x)...));
  }
  template <size_t... I>
  WB_BLOCK void ComputePack(uint32_t pack, std::index_sequence<I...>) const {
    uint32_t at[kInputs];
    Locate(pack, pack * kPack, at);
    const auto x = std::make_tuple(Read<In>(I, at[I])...);
    ElementPack<Out, kPack> result;
    for (int k = 0; k < kPack; ++k) result.at[k] = Apply(std::get<I>(x).at[k]...);
    *reinterpret_cast<ElementPack<Out, kPack>*>(y_ + pack * kPack) = result;
  }
  // Elements that are `step` apart, whose reads are under way side by side.
  template <size_t... I>
  WB_BLOCK void ComputeElements(uint32_t i, uint32_t step, std::index_sequence<I...>) const {
    std::tuple<ElementPack<In, kAtOnce>...> x;
    for (uint32_t k = 0; k < kAtOnce; ++k) {
      uint32_t at[kInputs];
      Locate(i + k * step, i + k * step, at);
      ((std::get<I>(x).at[k] = static_cast<const In*>(plan_.inputs[I])[at[I]]), ...);
    }
    for (uint32_t k = 0; k < kAtOnce; ++k) y_[i + k * step] = Apply(std::get<I>(x).at[k]...);
  }
  template <size_t... I>
  WB_BLOCK void ComputeElement(uint32_t i, std::index_sequence<I...>) const {
    uint32_t at[kInputs];
    Locate(i, i, at);
    y_[i] = Apply(static_cast<const In*>(plan_.inputs[I])[at[I]]...);
  }
  // Of the pack or the element `index`, which in the result is element `place`.
  WB_BLOCK void Locate(uint32_t index, uint32_t place, uint32_t (&at)[kInputs]) const {
    if (kInputs == 1 || plan_.rank == 0) {  // one input alone is like the output
      for (int i = 0; i < kInputs; ++i) at[i] = place;
    } else {
      plan_.Locate(index, at);
    }
  }
  // Neighbours, or one element again and again.
  template <class T>
  WB_BLOCK ElementPack<T, kPack> Read(size_t input, uint32_t at) const {
    const T* const from = static_cast<const T*>(plan_.inputs[input]) + at;
    if (kInputs == 1 || plan_.rank == 0 || plan_.strides[input][plan_.rank - 1] != 0) {
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
