// MurmurHash64A (Austin Appleby, public domain) with the seed that TensorFlow's string hashing
// uses. Buckets of hashed strings are part of trained models, so that the function is fixed for
// ever.
//
//   uint64_t h = MurmurHash64("word");
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_GRAPH_HASH_MURMUR_HASH_H_
#define WARPBEAM_GRAPH_HASH_MURMUR_HASH_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace warpbeam {

inline uint64_t MurmurHash64(absl::string_view text) {
  constexpr uint64_t kSeed = 0xdecafcaffe;
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  constexpr int kShift = 47;
  uint64_t hash = kSeed ^ (text.size() * kFactor);
  const char* p = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    word *= kFactor;
    word ^= word >> kShift;
    hash = (hash ^ (word * kFactor)) * kFactor;
  }
  if (left > 0) {
    uint64_t word = 0;
    memcpy(&word, p, left);
    hash = (hash ^ word) * kFactor;
  }
  hash = (hash ^ (hash >> kShift)) * kFactor;
  return hash ^ (hash >> kShift);
}

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_HASH_MURMUR_HASH_H_
