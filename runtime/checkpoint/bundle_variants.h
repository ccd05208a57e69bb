// Tensors of variants in a version 2 checkpoint: for each element the length of its message as a
// varint, the message (tensorflow.VariantTensorDataProto) and the masked CRC-32C of all so far
// (uint32). Lengths enter checksums as numbers of eight bytes, not as varints.
//
//   uint32_t masked = 0;
//   WB_ASSIGN_OR_RETURN(std::string bytes, EncodeVariants(tensor, &masked));
//   WB_RETURN_IF_ERROR(DecodeVariants(bytes, masked, &tensor));   // of the right shape already
//
// Thread safety: pure. Errors: UNIMPLEMENTED for variants that have no message; DATA_LOSS for bytes
// that are damaged; those of the variants' codecs.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_VARIANTS_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_VARIANTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/tensor.h"

namespace warpbeam {

StatusOr<std::string> EncodeVariants(const Tensor& tensor, uint32_t* masked_crc);
Status DecodeVariants(absl::string_view bytes, uint32_t masked_crc, Tensor* tensor);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_VARIANTS_H_
