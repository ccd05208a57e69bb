#include "runtime/record/compression.h"

#include "graph/types/errors.h"

namespace warpbeam {

StatusOr<CompressionType> ParseCompressionType(absl::string_view name) {
  if (name.empty()) return CompressionType::kNone;
  if (name == "ZLIB") return CompressionType::kZlib;
  if (name == "GZIP") return CompressionType::kGzip;
  if (name == "SNAPPY") return CompressionType::kSnappy;
  return InvalidArgument("compression type '", name,
                         "' is unknown; it must be '' (none), 'ZLIB', 'GZIP' or 'SNAPPY'");
}

absl::string_view CompressionName(CompressionType type) {
  switch (type) {
    case CompressionType::kNone:
      return "uncompressed";
    case CompressionType::kZlib:
      return "ZLIB";
    case CompressionType::kGzip:
      return "GZIP";
    case CompressionType::kSnappy:
      return "SNAPPY";
  }
  return "unknown";
}

}  // namespace warpbeam
