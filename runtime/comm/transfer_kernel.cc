#include "runtime/comm/transfer_kernel.h"

#include "absl/strings/str_cat.h"
#include "graph/hash/murmur_hash.h"

namespace warpbeam {

uint64_t EnterLoop(const std::string& name, int64_t outer_iteration, std::string* path) {
  *path = absl::StrCat(*path, ";", outer_iteration, ";", name);
  return MurmurHash64(*path);
}

}  // namespace warpbeam
