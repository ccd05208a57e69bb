#include "runtime/comm/transfer_kernel.h"

#include "graph/hash/murmur_hash.h"

namespace warpbeam {
namespace {

uint64_t Combine(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800 + (a << 10) + (a >> 4));
}

}  // namespace

uint64_t EnterLoop(const std::string& name, int64_t outer_iteration, uint64_t outer) {
  return Combine(outer, Combine(static_cast<uint64_t>(outer_iteration), MurmurHash64(name)));
}

}  // namespace warpbeam
