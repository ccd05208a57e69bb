#include "runtime/record/snappy.h"

#include <snappy.h>

#include "graph/types/errors.h"

namespace warpbeam {

std::string SnappyCompress(absl::string_view bytes) {
  std::string block;
  snappy::Compress(bytes.data(), bytes.size(), &block);
  return block;
}

StatusOr<std::string> SnappyUncompress(absl::string_view block) {
  // An element of three bytes copies at most 64, so a larger promise is a broken one: no memory is
  // taken for it.
  constexpr size_t kMostPerByte = 22;
  size_t size = 0;
  if (!snappy::GetUncompressedLength(block.data(), block.size(), &size) ||
      size / kMostPerByte > block.size()) {
    return DataLoss("a Snappy block of ", block.size(), " bytes begins with a broken length");
  }
  std::string bytes(size, '\0');
  if (!snappy::RawUncompress(block.data(), block.size(), bytes.data())) {
    return DataLoss("a Snappy block of ", block.size(), " bytes is damaged");
  }
  return bytes;
}

}  // namespace warpbeam
