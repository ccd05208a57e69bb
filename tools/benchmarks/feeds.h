// The values that both sides feed, made from a description so that losses can be compared: float32
// values by a linear congruential generator that starts over for each feed. README.md has the exact
// rule.
//
// Thread safety: free functions. Errors: none; a kind that does not exist is treated as 'u'.
//
//   std::vector<float> rows = FeedValues("h10", 1000);   // 100 one-hot rows of 10

#ifndef WARPBEAM_TOOLS_BENCHMARKS_FEEDS_H_
#define WARPBEAM_TOOLS_BENCHMARKS_FEEDS_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace warpbeam {
namespace benchmarks {

class FeedRandom {
 public:
  // Uniform in 0 <= x < 1.
  float Next() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(state_ >> 8) / 16777216.0f;
  }

 private:
  uint32_t state_ = 12345;
};

// `kind`: u = uniform in 0..1, iK = integers below K, hK = one-hot rows of K.
inline std::vector<float> FeedValues(const std::string& kind, size_t size) {
  FeedRandom random;
  std::vector<float> values(size, 0.0f);
  const int k = kind.size() > 1 ? atoi(kind.c_str() + 1) : 0;
  if (kind[0] == 'h') {
    for (size_t row = 0; row < size / static_cast<size_t>(k); ++row) {
      values[row * static_cast<size_t>(k) + static_cast<size_t>(random.Next() * k)] = 1;
    }
    return values;
  }
  for (float& value : values) {
    value = random.Next();
    if (kind[0] == 'i') value = static_cast<float>(static_cast<int>(value * k));
  }
  return values;
}

}  // namespace benchmarks
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BENCHMARKS_FEEDS_H_
