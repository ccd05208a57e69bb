#include "runtime/checkpoint/bundle_strings.h"

#include <limits>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/checkpoint/table_format.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"

namespace warpbeam {
namespace {

uint32_t ExtendByLength(uint32_t crc, uint64_t length) {
  char bytes[8];
  StoreLittle64(length, bytes);
  return ExtendCrc32c(crc, bytes, length > std::numeric_limits<uint32_t>::max() ? 8 : 4);
}

}  // namespace

std::string EncodeStrings(const Tensor& tensor, uint32_t* masked_crc) {
  const Span<const std::string> values = tensor.flat<std::string>();
  std::string bytes;
  uint32_t crc = 0;
  size_t total = 0;
  for (const std::string& s : values) {
    AppendVarint(s.size(), &bytes);
    crc = ExtendByLength(crc, s.size());
    total += s.size();
  }
  char lengths_crc[4];
  StoreLittle32(MaskCrc32c(crc), lengths_crc);
  bytes.reserve(bytes.size() + 4 + total);
  bytes.append(lengths_crc, 4);
  crc = ExtendCrc32c(crc, lengths_crc, 4);
  for (const std::string& s : values) {
    bytes.append(s);
    crc = ExtendCrc32c(crc, s.data(), s.size());
  }
  *masked_crc = MaskCrc32c(crc);
  return bytes;
}

Status DecodeStrings(absl::string_view bytes, uint32_t masked_crc, Tensor* tensor) {
  Span<std::string> values = tensor->flat<std::string>();
  std::vector<uint64_t> lengths(values.size());
  uint32_t crc = 0;
  for (uint64_t& length : lengths) {
    if (!ReadVarint(&bytes, &length)) return DataLoss("the strings' lengths are damaged");
    crc = ExtendByLength(crc, length);
  }
  if (bytes.size() < 4) return DataLoss("the checksum of the strings' lengths is missing");
  const uint32_t stored = LoadLittle32(bytes.data());
  if (stored != MaskCrc32c(crc)) {
    return DataLoss("The length checksum does not match: expected ", stored, " but actual is ",
                    MaskCrc32c(crc));
  }
  crc = ExtendCrc32c(crc, bytes.data(), 4);
  bytes.remove_prefix(4);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > bytes.size()) return DataLoss("string ", i, " leaves the tensor's bytes");
    crc = ExtendCrc32c(crc, bytes.data(), lengths[i]);
    values[i].assign(bytes.data(), lengths[i]);
    bytes.remove_prefix(lengths[i]);
  }
  if (!bytes.empty()) return DataLoss(bytes.size(), " bytes behind the last string");
  if (MaskCrc32c(crc) != masked_crc) {
    return DataLoss("Checksum does not match: stored ", masked_crc,
                    " vs. calculated on the restored bytes ", MaskCrc32c(crc));
  }
  return OkStatus();
}

}  // namespace warpbeam
