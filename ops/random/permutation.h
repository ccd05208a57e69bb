// Permutation: a random order of n things, by Fisher and Yates, drawing one number a step.
//
//   std::vector<int64_t> order = RandomOrder(n, stream);   // y[i] = x[order[i]]
//
// Thread safety: pure.
#ifndef WARPBEAM_OPS_RANDOM_PERMUTATION_H_
#define WARPBEAM_OPS_RANDOM_PERMUTATION_H_

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ops/random/philox.h"

namespace warpbeam {

inline std::vector<int64_t> RandomOrder(int64_t n, const Philox& stream) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  PhiloxNumbers numbers(stream);
  for (int64_t i = 0; i + 1 < n; ++i) {
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>(i + numbers.Next() % static_cast<uint32_t>(n - i))]);
  }
  return order;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_PERMUTATION_H_
