// The Snappy format: one block of bytes, compressed fast and not very small.
//
//   std::string small = SnappyCompress(bytes);
//   WB_ASSIGN_OR_RETURN(std::string again, SnappyUncompress(small));
//
// Thread safety: pure. Errors: DATA_LOSS for bytes that are no such block. No block asks for more
// memory than about 22 times its own size.
#ifndef WARPBEAM_RUNTIME_RECORD_SNAPPY_H_
#define WARPBEAM_RUNTIME_RECORD_SNAPPY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

std::string SnappyCompress(absl::string_view bytes);
StatusOr<std::string> SnappyUncompress(absl::string_view block);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_SNAPPY_H_
