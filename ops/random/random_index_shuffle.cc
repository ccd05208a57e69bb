// RandomIndexShuffle: where an index stands in a random order of [0, max_index], without making the
// order.
//
// Beaulieu et al., "The SIMON and SPECK families of lightweight block ciphers" (2013): encryption
// is a permutation of all blocks, here of the fewest even number of bits, at least 16, that hold
// max_index. It is repeated until the result is in range.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using Seed = std::array<uint32_t, 3>;

class IndexCipher {
 public:
  IndexCipher(const Seed& seed, uint64_t max_index, int64_t rounds) : max_index_(max_index) {
    int bits =
        max_index == 0 ? 0 : static_cast<int>(std::ceil(std::log2(static_cast<double>(max_index))));
    bits = std::max(16, bits + bits % 2);
    width_ = bits / 2;
    mask_ = (uint64_t{1} << width_) - 1;
    for (const uint32_t word : seed) keys_.push_back(word & mask_);
    uint64_t z = 0x7369f885192c0ef5u & mask_;
    for (int64_t i = 3; i < rounds; ++i, z >>= 1) {
      const uint64_t last = keys_.back();
      keys_.push_back((0xfffffffcu ^ (z & 1) ^ keys_[keys_.size() - 3] ^ RotateRight(last, 3) ^
                       RotateRight(last, 4)) &
                      mask_);
    }
  }

  // Ends: the values on the way repeat only once the first one, which is in range, has come back.
  // Where max_index needs a bit more than there are, that holds from the first encryption on, and
  // the number of encryptions is bounded.
  uint64_t Shuffle(uint64_t index) const {
    const uint64_t limit = mask_ == 0xffffffffu ? ~uint64_t{0} : uint64_t{1} << (2 * width_);
    for (uint64_t i = 0; i < limit; ++i) {
      index = Encrypt(index);
      if (index <= max_index_) break;
    }
    return index;
  }

 private:
  uint64_t RotateLeft(uint64_t x, int by) const {
    return ((x << by) | (x >> (width_ - by))) & mask_;
  }
  uint64_t RotateRight(uint64_t x, int by) const { return RotateLeft(x, width_ - by); }
  uint64_t Mix(uint64_t x) const {
    // A word of 8 bits turned by 8 is itself.
    const uint64_t by8 = width_ == 8 ? x : RotateLeft(x, 8);
    return (RotateLeft(x, 1) & by8) ^ RotateLeft(x, 2);
  }
  uint64_t Encrypt(uint64_t value) const {
    uint64_t left = value >> width_ & mask_, right = value & mask_;
    for (size_t i = 0; i + 1 < keys_.size(); i += 2) {
      left ^= Mix(right) ^ keys_[i];
      right ^= Mix(left) ^ keys_[i + 1];
    }
    return left << width_ | right;
  }

  const uint64_t max_index_;
  int width_ = 8;
  uint64_t mask_ = 0;
  std::vector<uint64_t> keys_;
};

template <typename T>
Status CheckRange(T index, T max_index) {
  if (index < T(0)) return InvalidArgument("index must be >= 0 but was ", index);
  if (max_index < T(0)) return InvalidArgument("max_index must be >= 0 but was ", max_index);
  if (max_index < index) {
    return InvalidArgument("max_index must be >= index, but ", max_index, " < ", index);
  }
  return OkStatus();
}

// The number of results: what those inputs agree on that are not for all.
StatusOr<int64_t> CountOf(const Tensor& index, const Tensor& seed, const Tensor& max_index) {
  if (index.rank() > 1) {
    return InvalidArgument("Index must be a scalar or vector, not of shape ",
                           index.shape().ToString());
  }
  if (max_index.rank() > 1) {
    return InvalidArgument("max_index must be a scalar or vector, not of shape ",
                           max_index.shape().ToString());
  }
  if (seed.rank() < 1 || seed.rank() > 2 || seed.dim(seed.rank() - 1) != 3) {
    return InvalidArgument("Seed must be a vector of size [3] or a matrix of size [n, 3] but got ",
                           seed.shape().ToString());
  }
  int64_t count = 1;
  const int64_t counts[] = {index.num_elements(), seed.rank() == 2 ? seed.dim(0) : 1,
                            max_index.num_elements()};
  for (const int64_t n : counts) {
    if (n == 1 || n == count) continue;
    if (count != 1) {
      return InvalidArgument("index, seed and max_index must have one value or as many as each ",
                             "other, but have ", counts[0], ", ", counts[1], " and ", counts[2]);
    }
    count = n;
  }
  return count;
}

class RandomIndexShuffleKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t rounds, init.attr<int64_t>("rounds"));
    // What TensorFlow takes for more than can be meant would take all memory.
    if (rounds > 1 << 16) return InvalidArgument("'rounds' is too large: ", rounds);
    return std::make_unique<RandomIndexShuffleKernel>(rounds);
  }
  explicit RandomIndexShuffleKernel(int64_t rounds) : rounds_(rounds) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &index = ctx.input(0), &seed = ctx.input(1), &max_index = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const int64_t count, CountOf(index, seed, max_index));
    const bool scalar = index.rank() == 0 && seed.rank() == 1 && max_index.rank() == 0;
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, scalar ? Shape() : Shape({count})));
    std::vector<Seed> seeds;
    WB_RETURN_IF_ERROR(
        (DispatchTypes<int32_t, uint32_t, int64_t, uint64_t>(seed.dtype(), [&](auto tag) {
          const auto* words = seed.data<typename decltype(tag)::type>();
          for (int64_t i = 0; i + 3 <= seed.num_elements(); i += 3) {
            seeds.push_back({static_cast<uint32_t>(words[i]), static_cast<uint32_t>(words[i + 1]),
                             static_cast<uint32_t>(words[i + 2])});
          }
          return OkStatus();
        })));
    return DispatchTypes<int32_t, uint32_t, int64_t, uint64_t>(
        index.dtype(), [&](auto tag) -> Status {
          using T = typename decltype(tag)::type;
          const auto of = [](const Tensor& t, int64_t i) {
            return t.data<T>()[t.num_elements() == 1 ? 0 : i];
          };
          for (int64_t i = 0; i < count; ++i) {
            const T at = of(index, i), most = of(max_index, i);
            WB_RETURN_IF_ERROR(CheckRange(at, most));
            const IndexCipher cipher(seeds[seeds.size() == 1 ? 0 : static_cast<size_t>(i)],
                                     static_cast<uint64_t>(most), rounds_);
            y->data<T>()[i] = static_cast<T>(cipher.Shuffle(static_cast<uint64_t>(at)));
          }
          return OkStatus();
        });
  }

 private:
  const int64_t rounds_;
};

Status RandomIndexShuffleShape(ShapeContext& c) {
  const PartialShape &index = c.input(0), &seed = c.input(1), &most = c.input(2);
  if (!index.has_rank() || !seed.has_rank() || !most.has_rank()) return OkStatus();
  if (index.rank() == 0 && seed.rank() == 1 && most.rank() == 0) {
    c.set_output(0, PartialShape(Shape()));
    return OkStatus();
  }
  int64_t count = 1;
  const int64_t counts[] = {index.rank() == 1 ? index.dim(0) : 1,
                            seed.rank() == 2 ? seed.dim(0) : 1, most.rank() == 1 ? most.dim(0) : 1};
  for (const int64_t n : counts) {
    if (n < 0) {
      count = -1;
      break;
    }
    if (n != 1) count = n;
  }
  c.set_output(0, PartialShape({count}));
  return OkStatus();
}

WB_OP("RandomIndexShuffle")
    .Input("index: dtype")
    .Input("seed: Tseed")
    .Input("max_index: dtype")
    .Output("output: dtype")
    .Attr("rounds: int = 4")
    .Attr("dtype: {int32, uint32, int64, uint64}")
    .Attr("Tseed: {int32, uint32, int64, uint64}")
    .Shape(RandomIndexShuffleShape);
WB_KERNEL("RandomIndexShuffle", RandomIndexShuffleKernel)
    .Cpu({{"dtype", kIndexTypes | TypeSet{DType::kUInt32, DType::kUInt64}}});
WB_NO_GRADIENT("RandomIndexShuffle");

}  // namespace
}  // namespace warpbeam
