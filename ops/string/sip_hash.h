// SipHash-2-4 (Jean-Philippe Aumasson, Daniel J. Bernstein; public domain): a hash whose collisions
// nobody can construct without its key.
//
//   uint64_t h = SipHash({key0, key1}, "word");
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_OPS_STRING_SIP_HASH_H_
#define WARPBEAM_OPS_STRING_SIP_HASH_H_

#include <array>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace warpbeam {

class SipState {
 public:
  explicit SipState(const std::array<uint64_t, 2>& key)
      : v0_(key[0] ^ 0x736f6d6570736575),
        v1_(key[1] ^ 0x646f72616e646f6d),
        v2_(key[0] ^ 0x6c7967656e657261),
        v3_(key[1] ^ 0x7465646279746573) {}
  void Add(uint64_t word) {
    v3_ ^= word;
    Round();
    Round();
    v0_ ^= word;
  }
  uint64_t Finish() {
    v2_ ^= 0xff;
    for (int i = 0; i < 4; ++i) Round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  static uint64_t Rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }
  void Round() {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = Rotate(v1_, 13) ^ v0_;
    v3_ = Rotate(v3_, 16) ^ v2_;
    v0_ = Rotate(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = Rotate(v1_, 17) ^ v2_;
    v3_ = Rotate(v3_, 21) ^ v0_;
    v2_ = Rotate(v2_, 32);
  }
  uint64_t v0_, v1_, v2_, v3_;
};

inline uint64_t SipHash(const std::array<uint64_t, 2>& key, absl::string_view text) {
  SipState state(key);
  const char* p = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    state.Add(word);
  }
  uint64_t last = static_cast<uint64_t>(text.size()) << 56;
  uint64_t tail = 0;
  if (left > 0) memcpy(&tail, p, left);
  state.Add(last | tail);
  return state.Finish();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STRING_SIP_HASH_H_
