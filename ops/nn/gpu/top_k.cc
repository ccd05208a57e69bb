// TopK, TopKV2 and ApproxTopK on a GPU: a block of threads for each row.
//
// Elements become numbers without a sign that are in the same order, followed by their places, so
// that no two are equal. A long row is gone through byte by byte of these numbers, from the
// greatest on, until it is clear which k are the best; those are then sorted.
#include "ops/launch/math.h"
#include "ops/nn/gpu_loops/items.h"

#if WB_HOST_PASS
#include <limits>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/nn/top_k_inputs.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// How elements of some size, as bits, are ordered.
template <class Bits>
struct ElementOrder {
  enum Kind { kUnsigned, kSigned, kFloat };
  Kind kind;
  Bits infinity;  // of kFloat

  // Greater for the greater. NaN is less than every number; zeros of both signs are equal.
  WB_BLOCK Bits Key(Bits bits) const {
    constexpr Bits kSign = static_cast<Bits>(Bits(1) << (8 * sizeof(Bits) - 1));
    if (kind == kUnsigned) return bits;
    if (kind == kSigned) return static_cast<Bits>(bits ^ kSign);
    const Bits magnitude = static_cast<Bits>(bits & ~kSign);
    if (magnitude > infinity) return 0;
    if (magnitude == 0) return kSign;
    return static_cast<Bits>(bits & kSign ? ~bits : bits | kSign);
  }
};

template <class Bits>
struct Candidate {
  Bits key;
  uint32_t place;  // ~place: the first is the greatest
  WB_HD bool operator>(const Candidate& other) const {
    return key != other.key ? key > other.key : place > other.place;
  }
  // Byte 0 is the highest.
  WB_HD unsigned Byte(int i) const {
    constexpr int kOfKey = sizeof(Bits);
    if (i < kOfKey) return static_cast<unsigned>(key >> (8 * (kOfKey - 1 - i))) & 255;
    return place >> (8 * (kOfKey + 3 - i)) & 255;
  }
};

// The least of the k best, as far as it is known.
template <class Bits>
struct Threshold {
  Candidate<Bits> least;
  int known;      // bytes
  uint32_t need;  // how many of those that begin with the known bytes are among the best
};

template <class Bits>
struct TopKBlock {
  using Best = Candidate<Bits>;
  static constexpr int kBytes = sizeof(Bits) + 4;
  static constexpr int kCopies = 8;  // of the counts, so that fewer threads add to the same

  ElementOrder<Bits> order;
  const Bits* x;
  Bits* values;
  int32_t* places;
  int64_t rows;
  int32_t n, k, room;  // room: a power of two, at least k, or n where a row is sorted as it is
  Best* memory;        // for `room` in each block; or null, for shared memory

  WB_BLOCK void operator()(GpuBlock& block) const {
    Best* const best =
        memory == nullptr ? block.template Shared<Best>(room) : memory + block.index() * room;
    uint32_t* const counts = block.template Shared<uint32_t>(256 * kCopies);
    uint32_t* const ends = block.template Shared<uint32_t>(2 * block.threads());
    auto* const threshold = block.template Shared<Threshold<Bits>>(1);
    for (int64_t row = block.index(); row < rows; row += block.count()) {
      const Bits* const from = x + row * n;
      block.ForEach([&](int thread) {
        if (thread == 0) *threshold = {{0, 0}, 0, static_cast<uint32_t>(k)};
      });
      if (n > room) {
        for (int i = 0; i < kBytes; ++i) FindByte(block, from, counts, threshold, i);
        Collect(block, from, threshold->least, ends, best);
      } else {
        block.ForEach([&](int thread) {
          for (int i = thread; i < n; i += block.threads()) best[i] = At(from, i);
        });
      }
      Sort(block, best, n > room ? k : n);
      block.ForEach([&](int thread) {
        for (int i = thread; i < k; i += block.threads()) {
          const auto place = static_cast<int32_t>(~best[i].place);
          places[row * k + i] = place;
          values[row * k + i] = from[place];
        }
      });
    }
  }

 private:
  WB_BLOCK Best At(const Bits* from, int i) const {
    return {order.Key(from[i]), ~static_cast<uint32_t>(i)};
  }

  // The next byte of the least of the best, if it is not clear already.
  WB_BLOCK void FindByte(GpuBlock& block, const Bits* from, uint32_t* counts,
                         Threshold<Bits>* threshold, int byte) const {
    if (threshold->known != byte) return;
    block.ForEach([&](int thread) {
      for (int i = thread; i < 256 * kCopies; i += block.threads()) counts[i] = 0;
    });
    const Best least = threshold->least;
    block.ForEach([&](int thread) {
      uint32_t* const own = counts + 256 * (thread / 32 % kCopies);
      for (int i = thread; i < n; i += block.threads()) {
        const Best candidate = At(from, i);
        bool matches = true;
        for (int b = 0; b < byte; ++b) matches &= candidate.Byte(b) == least.Byte(b);
        if (matches) AtomicAdd(own + candidate.Byte(byte), 1u);
      }
    });
    block.ForEach([&](int thread) {
      for (int d = thread; d < 256; d += block.threads()) {
        for (int copy = 1; copy < kCopies; ++copy) counts[d] += counts[256 * copy + d];
      }
    });
    block.ForEach([&](int thread) {
      if (thread == 0) Decide(counts, byte, threshold);
    });
  }
  WB_BLOCK static void Decide(const uint32_t* counts, int byte, Threshold<Bits>* threshold) {
    uint32_t need = threshold->need;
    int digit = 255;
    for (; counts[digit] < need; --digit) need -= counts[digit];
    constexpr int kOfKey = sizeof(Bits);
    if (byte < kOfKey) {
      threshold->least.key |= static_cast<Bits>(Bits(digit) << (8 * (kOfKey - 1 - byte)));
    } else {
      threshold->least.place |= static_cast<uint32_t>(digit) << (8 * (kOfKey + 3 - byte));
    }
    threshold->need = need;
    // All of them are among the best: what follows does not matter.
    if (counts[digit] != need) threshold->known = byte + 1;
  }

  // best = all that are not less than `least`: threads first count theirs.
  WB_BLOCK void Collect(GpuBlock& block, const Bits* from, const Best& least, uint32_t* ends,
                        Best* best) const {
    const int threads = block.threads();
    block.ForEach([&](int thread) {
      uint32_t count = 0;
      for (int i = thread; i < n; i += threads) count += !(least > At(from, i));
      ends[thread] = count;
    });
    for (int step = 1; step < threads; step *= 2) {
      block.ForEach([&](int thread) {
        ends[threads + thread] = ends[thread] + (thread < step ? 0 : ends[thread - step]);
      });
      block.ForEach([&](int thread) { ends[thread] = ends[threads + thread]; });
    }
    block.ForEach([&](int thread) {
      uint32_t to = thread == 0 ? 0 : ends[thread - 1];
      for (int i = thread; i < n; i += threads) {
        const Best candidate = At(from, i);
        if (!(least > candidate)) best[to++] = candidate;
      }
    });
  }

  // Bitonic, the greatest first; what fills up the room stays behind all others.
  WB_BLOCK void Sort(GpuBlock& block, Best* best, int count) const {
    block.ForEach([&](int thread) {
      for (int i = count + thread; i < room; i += block.threads()) best[i] = {0, 0};
    });
    for (int size = 2; size <= room; size *= 2) {
      for (int step = size / 2; step > 0; step /= 2) {
        block.ForEach([&](int thread) {
          for (int i = thread; i < room / 2; i += block.threads()) {
            const int low = 2 * i - (i & (step - 1)), high = low + step;
            const Best a = best[low], b = best[high];
            if ((low & size) == 0 ? b > a : a > b) {
              best[low] = b;
              best[high] = a;
            }
          }
        });
      }
    }
  }
};

WB_GPU_FUNCTION(TopKBlock<uint8_t>);
WB_GPU_FUNCTION(TopKBlock<uint16_t>);
WB_GPU_FUNCTION(TopKBlock<uint32_t>);
WB_GPU_FUNCTION(TopKBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

template <class T, class Bits>
ElementOrder<Bits> OrderOf() {
  using Order = ElementOrder<Bits>;
  if constexpr (kIsFloat<T>) {
    const T infinity(std::numeric_limits<ComputeType<T>>::infinity());
    Bits bits;
    memcpy(&bits, &infinity, sizeof(bits));
    return {Order::kFloat, bits};
  } else {
    return {std::is_signed_v<T> ? Order::kSigned : Order::kUnsigned, 0};
  }
}

class TopKOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t k, ReadTopKAttrs(init));
    return std::make_unique<TopKOnGpu>(k);
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<TopKBlock<uint32_t>>(); }
  explicit TopKOnGpu(int64_t k) : k_(k) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const int64_t k, ReadTopK(ctx, k_));
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const Shape shape, TopKOutputShape(x.shape(), k));
    WB_RETURN_IF_ERROR(ctx.Allocate(0, shape).status());
    WB_RETURN_IF_ERROR(ctx.Allocate(1, shape).status());
    if (shape.num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(x.rank() - 1);
    if (n > (int64_t{1} << 30)) {
      return Unimplemented("the greatest of rows of ", n, " elements on a GPU: at most 2^30");
    }
    return DispatchTypes(RealTypeList{}, x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return DispatchPlainElements(x.dtype(), [&](auto bits_tag) -> Status {
        using Bits = typename decltype(bits_tag)::type;
        if constexpr (sizeof(Bits) == sizeof(T)) {
          return Select<Bits>(ctx, stream, OrderOf<T, Bits>(), n, k);
        }
        return OkStatus();  // no type comes here
      });
    });
  }

 private:
  template <class Bits>
  Status Select(KernelContext& ctx, GpuStream& stream, const ElementOrder<Bits>& order, int64_t n,
                int64_t k) const {
    constexpr int64_t kSorted = 1024, kShared = 1024;
    const Tensor& x = ctx.input(0);
    const int64_t rows = ctx.output(0).num_elements() / k;
    int64_t room = 1;
    while (room < (n <= kSorted ? n : k)) room *= 2;
    GpuGrid grid = RowGrid(rows, n);
    if (n > 16 * kSorted) grid.threads = 512;
    grid.shared_bytes = (256 * TopKBlock<Bits>::kCopies + 2 * grid.threads) * sizeof(uint32_t) + 64;
    TopKBlock<Bits> fn{order,
                       static_cast<const Bits*>(x.raw_data()),
                       static_cast<Bits*>(ctx.output(0).raw_data()),
                       ctx.output(1).data<int32_t>(),
                       rows,
                       static_cast<int32_t>(n),
                       static_cast<int32_t>(k),
                       static_cast<int32_t>(room),
                       nullptr};
    const auto bytes = room * static_cast<int64_t>(sizeof(Candidate<Bits>));
    if (room <= kShared) {
      grid.shared_bytes += bytes;
      return Launch(stream, grid, fn);
    }
    WB_ASSIGN_OR_RETURN(Tensor memory,
                        ctx.AllocateTemp(DType::kUInt8, Shape({grid.blocks * bytes})));
    fn.memory = static_cast<Candidate<Bits>*>(memory.raw_data());
    return Launch(stream, grid, fn);
  }

  const int64_t k_;  // -1: an input
};

}  // namespace

WB_GPU_KERNEL("TopK", TopKOnGpu);
WB_GPU_KERNEL("TopKV2", TopKOnGpu);
WB_GPU_KERNEL("ApproxTopK", TopKOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
