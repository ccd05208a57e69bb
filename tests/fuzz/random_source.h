// RandomSource: the numbers that mutations draw. The same seed gives the same numbers everywhere.
//
//   RandomSource random(seed);
//   if (random.OneIn(4)) bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
//
// Thread safety: one thread. Errors: none.
#ifndef WARPBEAM_TESTS_FUZZ_RANDOM_SOURCE_H_
#define WARPBEAM_TESTS_FUZZ_RANDOM_SOURCE_H_

#include <cstddef>
#include <cstdint>

namespace warpbeam {
namespace fuzz {

class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed) {}

  // SplitMix64.
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, n); 0 for n = 0.
  size_t Below(size_t n) { return n == 0 ? 0 : static_cast<size_t>(Next() % n); }
  int IntBelow(int n) { return n <= 0 ? 0 : static_cast<int>(Next() % static_cast<uint64_t>(n)); }
  bool OneIn(uint64_t n) { return Next() % n == 0; }
  // An element of a container or array that has one.
  template <typename C>
  auto& Pick(C& c) {
    return c[Below(static_cast<size_t>(c.size()))];
  }
  template <typename T, size_t n>
  const T& Pick(const T (&values)[n]) {
    return values[Below(n)];
  }

  // Numbers where code breaks: around zero, powers of two and the limits of the integer types.
  int64_t EdgeInt() {
    static constexpr int64_t kEdges[] = {0,
                                         0,
                                         1,
                                         1,
                                         -1,
                                         -1,
                                         2,
                                         3,
                                         -2,
                                         4,
                                         7,
                                         8,
                                         16,
                                         127,
                                         128,
                                         -128,
                                         255,
                                         256,
                                         32767,
                                         65535,
                                         65536,
                                         (1 << 20) + 1,
                                         INT32_MAX,
                                         INT32_MIN,
                                         int64_t{INT32_MAX} + 1,
                                         int64_t{1} << 32,
                                         (int64_t{1} << 32) + 1,
                                         int64_t{1} << 40,
                                         int64_t{1} << 62,
                                         INT64_MAX,
                                         INT64_MIN};
    return Pick(kEdges);
  }

 private:
  uint64_t state_;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_RANDOM_SOURCE_H_
