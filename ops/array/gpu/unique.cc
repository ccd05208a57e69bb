// Unique and UniqueWithCounts on a GPU, in the order of first appearance, as on the CPU. Elements
// look for their likes in a hash table of places, where the first of each stays; the host is told
// how many there are, and then the first ones are numbered.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_select.h"

#if WB_HOST_PASS
#include <cstring>
#include <limits>
#include <memory>

#include "ops/array/index/unique_input.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam::WB_PASS {

// Elements of some size, as bits.
template <class Bits>
struct UniqueElements {
  const Bits* x;
  int64_t count;
  bool is_float;
  Bits infinity;  // of floats

  // Equal of what is equal; false where the element, a NaN, is not even like itself.
  WB_BLOCK bool Key(int64_t i, Bits* key) const {
    constexpr Bits kSign = static_cast<Bits>(Bits(1) << (8 * sizeof(Bits) - 1));
    *key = x[i];
    if (!is_float) return true;
    const auto magnitude = static_cast<Bits>(*key & static_cast<Bits>(~kSign));
    if (magnitude == 0) *key = 0;  // zeros of both signs
    return magnitude <= infinity;
  }
};

// Places of elements; empty ones are kNoPlace, of which all bits are set. A power of two, and twice
// as many as there are elements.
struct PlaceTable {
  static constexpr uint64_t kNoPlace = ~uint64_t{0};
  uint64_t* places;
  uint64_t mask;

  WB_BLOCK uint64_t Start(uint64_t key) const {
    key = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15u;
    return (key ^ (key >> 29)) & mask;
  }
};

struct ClearPlacesBlock {
  PlaceTable table;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, table.mask + 1,
                   [&](uint64_t at) { table.places[at] = PlaceTable::kNoPlace; });
  }
};

template <class Bits>
struct EnterPlacesBlock {
  UniqueElements<Bits> elements;
  PlaceTable table;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, elements.count, [&](int64_t i) { Enter(static_cast<uint64_t>(i)); });
  }

 private:
  // Who is here first is not known before all are. What is like no other, not even itself, is not
  // looked for.
  WB_BLOCK void Enter(uint64_t i) const {
    Bits key;
    if (!elements.Key(static_cast<int64_t>(i), &key)) return;
    for (uint64_t at = table.Start(key);; at = (at + 1) & table.mask) {
      uint64_t* const place = table.places + at;
      uint64_t seen = AtomicExchangeIf(place, PlaceTable::kNoPlace, i);
      if (seen == PlaceTable::kNoPlace) return;
      Bits other;
      elements.Key(static_cast<int64_t>(seen), &other);
      if (other != key) continue;
      while (i < seen) {
        const uint64_t before = AtomicExchangeIf(place, seen, i);
        if (before == seen) return;
        seen = before;
      }
      return;
    }
  }
};

// first[i]: the first element like i.
template <class Bits>
struct FirstPlacesBlock {
  UniqueElements<Bits> elements;
  PlaceTable table;
  int64_t* first;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, elements.count, [&](int64_t i) { first[i] = FirstLike(i); });
  }

 private:
  WB_BLOCK int64_t FirstLike(int64_t i) const {
    Bits key, other;
    if (!elements.Key(i, &key)) return i;
    for (uint64_t at = table.Start(key);; at = (at + 1) & table.mask) {
      const auto place = static_cast<int64_t>(table.places[at]);
      elements.Key(place, &other);
      if (other == key) return place;
    }
  }
};

template <class Bits>
struct FirstElements {
  const int64_t* first;
  const Bits* x;
  Bits* y;
  int64_t* numbers;  // of those that are the first
  WB_BLOCK bool Selects(int64_t i) const { return first[i] == i; }
  WB_BLOCK void Place(int64_t i, int64_t position) const {
    y[position] = x[i];
    numbers[i] = position;
  }
};

template <class Index>
struct NumberElementsBlock {
  const int64_t* first;
  const int64_t* numbers;
  Index* index;
  Index* counts;  // zeros; or null
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t number = numbers[first[i]];
      index[i] = static_cast<Index>(number);
      if (counts != nullptr) AtomicAdd(counts + number, Index(1));
    });
  }
};

template <class Index>
struct ZeroCountsBlock {
  Index* counts;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { counts[i] = 0; });
  }
};

WB_GPU_FUNCTION(ClearPlacesBlock);
#define WB_UNIQUE_BLOCKS(Bits)             \
  WB_GPU_FUNCTION(EnterPlacesBlock<Bits>); \
  WB_GPU_FUNCTION(FirstPlacesBlock<Bits>); \
  WB_GPU_SELECTION(FirstElements<Bits>)
WB_UNIQUE_BLOCKS(uint8_t);
WB_UNIQUE_BLOCKS(uint16_t);
WB_UNIQUE_BLOCKS(uint32_t);
WB_UNIQUE_BLOCKS(uint64_t);
WB_GPU_FUNCTION(NumberElementsBlock<int32_t>);
WB_GPU_FUNCTION(NumberElementsBlock<int64_t>);
WB_GPU_FUNCTION(ZeroCountsBlock<int32_t>);
WB_GPU_FUNCTION(ZeroCountsBlock<int64_t>);

#if WB_HOST_PASS
namespace {

template <class Bits>
UniqueElements<Bits> ElementsOfUnique(const Tensor& x) {
  UniqueElements<Bits> elements = {static_cast<const Bits*>(x.raw_data()), x.num_elements(), false,
                                   0};
  // The types of other sizes do not come here.
  DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T infinity(std::numeric_limits<ComputeType<T>>::infinity());
    elements.is_float = true;
    if constexpr (sizeof(T) == sizeof(Bits)) memcpy(&elements.infinity, &infinity, sizeof(Bits));
    return OkStatus();
  }).IgnoreError();
  return elements;
}

class UniqueOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<UniqueOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<ClearPlacesBlock>(); }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckUniqueInput(x));
    WB_RETURN_IF_ERROR(CheckUniqueNumbers(x.dim(0), ctx.output_type(1)));
    WB_ASSIGN_OR_RETURN(Tensor first, ctx.AllocateTemp(DType::kInt64, x.shape()));
    WB_ASSIGN_OR_RETURN(Tensor numbers, ctx.AllocateTemp(DType::kInt64, x.shape()));
    WB_RETURN_IF_ERROR(DispatchPlainElements(x.dtype(), [&](auto tag) -> Status {
      using Bits = typename decltype(tag)::type;
      if constexpr (std::is_same_v<Bits, Bytes16>) {
        return OkStatus();  // no type comes here
      } else {
        return FindFirst(ctx, stream, ElementsOfUnique<Bits>(x), &first, &numbers);
      }
    }));
    return DispatchIndex(ctx.output_type(1), [&](auto tag) {
      return Number<typename decltype(tag)::type>(ctx, stream, first, numbers);
    });
  }

 private:
  // Output 0.
  template <class Bits>
  static Status FindFirst(KernelContext& ctx, ReadableGpuStream& stream,
                          const UniqueElements<Bits>& elements, Tensor* first, Tensor* numbers) {
    const int64_t n = elements.count;
    int64_t room = 2;
    while (room < 2 * n) room *= 2;
    WB_ASSIGN_OR_RETURN(Tensor memory, ctx.AllocateTemp(DType::kUInt64, Shape({room})));
    const PlaceTable table = {memory.data<uint64_t>(), static_cast<uint64_t>(room - 1)};
    auto* const first_of = first->data<int64_t>();
    const GpuGrid grid = ElementGrid(n);
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(room), ClearPlacesBlock{table}));
    WB_RETURN_IF_ERROR(Launch(stream, grid, EnterPlacesBlock<Bits>{elements, table}));
    WB_RETURN_IF_ERROR(Launch(stream, grid, FirstPlacesBlock<Bits>{elements, table, first_of}));
    FirstElements<Bits> distinct = {first_of, elements.x, nullptr, numbers->data<int64_t>()};
    WB_ASSIGN_OR_RETURN(const GpuSelection selection,
                        GpuSelection::Count(ctx, stream, distinct, n));
    int64_t count = 0;
    WB_RETURN_IF_ERROR(stream.Read(selection.total(), 1, &count));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({count})));
    distinct.y = static_cast<Bits*>(y->raw_data());
    return selection.Place(stream, distinct);
  }

  // The outputs that say which, and how many.
  template <class Index>
  static Status Number(KernelContext& ctx, GpuStream& stream, const Tensor& first,
                       const Tensor& numbers) {
    const int64_t n = first.dim(0), distinct = ctx.output(0).dim(0);
    WB_ASSIGN_OR_RETURN(Tensor * index, ctx.Allocate(1, Shape({n})));
    Index* counts = nullptr;
    if (ctx.num_outputs() == 3) {
      WB_ASSIGN_OR_RETURN(Tensor * count, ctx.Allocate(2, Shape({distinct})));
      counts = count->data<Index>();
      WB_RETURN_IF_ERROR(
          Launch(stream, ElementGrid(distinct), ZeroCountsBlock<Index>{counts, distinct}));
    }
    return Launch(stream, ElementGrid(n),
                  NumberElementsBlock<Index>{first.data<int64_t>(), numbers.data<int64_t>(),
                                             index->data<Index>(), counts, n});
  }
};

}  // namespace

WB_GPU_KERNEL("Unique", UniqueOnGpu);
WB_GPU_KERNEL("UniqueWithCounts", UniqueOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
