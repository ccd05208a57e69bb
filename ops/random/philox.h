// Philox: the counter-based generator Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3" (SC 2011).
//
// A block of four 32-bit numbers is a pure function of a 64-bit key and a 128-bit counter, so that
// any part of a stream can be computed by itself: streams are split among threads without their
// number showing in the result.
//
//   Philox stream(seed, seed2);            // a position in a stream, 24 bytes, copied freely
//   stream.Skip(1000);                     // blocks
//   Philox::Block four = stream.Next();
//   stream.Generate(256, bits);            // the next 256 blocks: 1024 numbers
//   PhiloxNumbers one(stream);  uint32_t r = one.Next();
//
// Key and counter are laid out as in TensorFlow, so streams equal its own bit by bit. Thread
// safety: values.
#ifndef WARPBEAM_OPS_RANDOM_PHILOX_H_
#define WARPBEAM_OPS_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

namespace warpbeam {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;
  using Key = std::array<uint32_t, 2>;
  static constexpr int kBlockNumbers = 4;

  // `seed` becomes the key, `seed2` the upper half of the counter.
  Philox(uint64_t seed, uint64_t seed2) : Philox(Split(seed), {0, 0, Low(seed2), High(seed2)}) {}
  Philox(Key key, Block counter) : key_(key), counter_(counter) {}

  const Key& key() const { return key_; }
  const Block& counter() const { return counter_; }

  // Moves `blocks` blocks ahead; the 128-bit counter wraps around.
  void Skip(uint64_t blocks);
  Philox After(uint64_t blocks) const {
    Philox p = *this;
    p.Skip(blocks);
    return p;
  }
  Block Next();
  // The next `blocks` blocks, one after the other.
  void Generate(int64_t blocks, uint32_t* out);

 private:
  static uint32_t Low(uint64_t v) { return static_cast<uint32_t>(v); }
  static uint32_t High(uint64_t v) { return static_cast<uint32_t>(v >> 32); }
  static Key Split(uint64_t v) { return {Low(v), High(v)}; }

  Key key_;
  Block counter_;
};

// The numbers of a stream one at a time.
class PhiloxNumbers {
 public:
  explicit PhiloxNumbers(const Philox& stream) : stream_(stream) {}
  uint32_t Next() {
    if (used_ == Philox::kBlockNumbers) {
      block_ = stream_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox stream_;
  Philox::Block block_ = {};
  int used_ = Philox::kBlockNumbers;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_PHILOX_H_
