// String tensors in a version 2 checkpoint: the lengths as varints, the masked CRC-32C of the
// lengths (uint32), the strings. Lengths enter checksums as numbers of four bytes (eight for 4 GiB
// and more), not as varints; the tensor's checksum covers lengths, their checksum and the strings.
//
//   uint32_t masked = 0;
//   std::string bytes = EncodeStrings(tensor, &masked);
//   WB_RETURN_IF_ERROR(DecodeStrings(bytes, masked, &tensor));   // of the right shape already
//
// Thread safety: pure. Errors: DATA_LOSS for bytes that are damaged.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_STRINGS_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_STRINGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/tensor.h"

namespace warpbeam {

std::string EncodeStrings(const Tensor& tensor, uint32_t* masked_crc);
Status DecodeStrings(absl::string_view bytes, uint32_t masked_crc, Tensor* tensor);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_STRINGS_H_
