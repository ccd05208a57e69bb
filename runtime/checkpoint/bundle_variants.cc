#include "runtime/checkpoint/bundle_variants.h"

#include <utility>

#include "graph/io/tensor_io.h"
#include "proto/tensor.pb.h"
#include "runtime/checkpoint/table_format.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"

namespace warpbeam {
namespace {

uint32_t ExtendByMessage(uint32_t crc, absl::string_view message) {
  char length[8];
  StoreLittle64(message.size(), length);
  crc = ExtendCrc32c(crc, length, sizeof(length));
  return ExtendCrc32c(crc, message.data(), message.size());
}

}  // namespace

StatusOr<std::string> EncodeVariants(const Tensor& tensor, uint32_t* masked_crc) {
  tensorflow::TensorProto proto;
  WB_RETURN_IF_ERROR(TensorToProto(tensor, TensorForm::kValues, &proto));
  std::string bytes;
  uint32_t crc = 0;
  for (const auto& variant : proto.variant_val()) {
    const std::string message = variant.SerializeAsString();
    AppendVarint(message.size(), &bytes);
    bytes += message;
    crc = ExtendByMessage(crc, message);
    char sum[4];
    StoreLittle32(MaskCrc32c(crc), sum);
    bytes.append(sum, sizeof(sum));
    crc = ExtendCrc32c(crc, sum, sizeof(sum));
  }
  *masked_crc = MaskCrc32c(crc);
  return bytes;
}

Status DecodeVariants(absl::string_view bytes, uint32_t masked_crc, Tensor* tensor) {
  tensorflow::TensorProto proto;
  WB_RETURN_IF_ERROR(TensorToProto(*tensor, TensorForm::kValues, &proto));  // dtype and shape
  proto.clear_variant_val();
  uint32_t crc = 0;
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    uint64_t length = 0;
    if (!ReadVarint(&bytes, &length) || length > bytes.size() || bytes.size() - length < 4) {
      return DataLoss("variant ", i, " leaves the tensor's bytes");
    }
    const absl::string_view message = bytes.substr(0, length);
    crc = ExtendByMessage(crc, message);
    bytes.remove_prefix(length);
    const uint32_t stored = LoadLittle32(bytes.data());
    if (stored != MaskCrc32c(crc)) {
      return DataLoss("The checksum after Variant ", i, " does not match: expected ", stored,
                      " but actual is ", MaskCrc32c(crc));
    }
    crc = ExtendCrc32c(crc, bytes.data(), 4);
    bytes.remove_prefix(4);
    if (length > INT32_MAX || !proto.add_variant_val()->ParseFromArray(
                                  message.data(), static_cast<int>(message.size()))) {
      return DataLoss("variant ", i, " is no message of a variant");
    }
  }
  if (!bytes.empty()) return DataLoss(bytes.size(), " bytes behind the last variant");
  if (MaskCrc32c(crc) != masked_crc) {
    return DataLoss("Checksum does not match: stored ", masked_crc,
                    " vs. calculated on the restored bytes ", MaskCrc32c(crc));
  }
  WB_ASSIGN_OR_RETURN(*tensor, TensorFromProto(proto));
  return OkStatus();
}

}  // namespace warpbeam
