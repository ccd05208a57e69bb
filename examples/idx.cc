#include "examples/idx.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace examples {
namespace {

constexpr int kUnsignedByte = 0x08;
// Values are taken in steps of this size, so that a hostile header costs no memory.
constexpr size_t kChunkBytes = 1 << 20;

struct GzClose {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<gzFile_s, GzClose>;

// Reads exactly `size` bytes; `what` says what they are in the error.
Status ReadExactly(gzFile file, absl::string_view path, absl::string_view what, uint8_t* to,
                   size_t size) {
  errno = 0;
  const int got = gzread(file, to, static_cast<unsigned>(size));
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  if (got >= 0 && static_cast<size_t>(got) == size) return OkStatus();
  if (code == Z_ERRNO) {
    return ErrnoToStatus(errno, absl::StrCat(path, ": cannot read the ", what));
  }
  if (code == Z_OK || code == Z_BUF_ERROR) {
    return DataLoss(path, " ends inside the ", what, ": ", std::max(got, 0), " of ", size,
                    " bytes are there; the file is truncated");
  }
  return DataLoss(path, " is damaged in the ", what, ": ", message);
}

StatusOr<std::vector<int64_t>> ReadDims(gzFile file, absl::string_view path, int64_t max_values) {
  uint8_t magic[4];
  Status status = ReadExactly(file, path, "magic number", magic, sizeof magic);
  if (!status.ok()) return status;
  if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0) {
    return DataLoss(
        absl::StrCat(path, " is not an IDX file: it begins with 0x",
                     absl::Hex(magic[0], absl::kZeroPad2), absl::Hex(magic[1], absl::kZeroPad2),
                     absl::Hex(magic[2], absl::kZeroPad2), absl::Hex(magic[3], absl::kZeroPad2)));
  }
  if (magic[2] != kUnsignedByte) {
    return Unimplemented(path, " holds elements of IDX type 0x",
                         absl::Hex(magic[2], absl::kZeroPad2),
                         "; only unsigned bytes (0x08) are read");
  }
  std::vector<int64_t> dims;
  int64_t values = 1;
  for (int i = 0; i < magic[3]; ++i) {
    uint8_t b[4];
    status = ReadExactly(file, path, "dimensions", b, sizeof b);
    if (!status.ok()) return status;
    dims.push_back(int64_t{b[0]} << 24 | int64_t{b[1]} << 16 | int64_t{b[2]} << 8 | int64_t{b[3]});
    if (dims.back() == 0 || values == 0) {
      values = 0;
    } else if (values > max_values / dims.back()) {
      return ResourceExhausted(path, " announces ", absl::StrJoin(dims, "x"),
                               " values or more; the limit is ", max_values);
    } else {
      values *= dims.back();
    }
  }
  return dims;
}

}  // namespace

StatusOr<IdxArray> ReadIdx(absl::string_view path, int64_t max_values) {
  errno = 0;
  GzFile file(gzopen(std::string(path).c_str(), "rb"));
  if (file == nullptr) {
    return ErrnoToStatus(errno == 0 ? ENOMEM : errno, absl::StrCat("cannot open ", path));
  }
  IdxArray array;
  StatusOr<std::vector<int64_t>> dims = ReadDims(file.get(), path, max_values);
  if (!dims.ok()) return dims.status();
  array.dims = *std::move(dims);
  size_t left = 1;
  for (int64_t d : array.dims) left *= static_cast<size_t>(d);
  while (left > 0) {
    const size_t chunk = std::min(left, kChunkBytes);
    const size_t old_size = array.values.size();
    array.values.resize(old_size + chunk);
    Status status = ReadExactly(file.get(), path, "values", array.values.data() + old_size, chunk);
    if (!status.ok()) return status;
    left -= chunk;
  }
  // The read past the end also makes zlib check the CRC and length behind the compressed data.
  uint8_t extra;
  const int got = gzread(file.get(), &extra, 1);
  if (got > 0) {
    return DataLoss(path, " goes on after its ", array.values.size(), " values (",
                    absl::StrJoin(array.dims, "x"), ")");
  }
  int code = Z_OK;
  const char* message = gzerror(file.get(), &code);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    return DataLoss(path, " is damaged behind its values: ", message);
  }
  return array;
}

StatusOr<Digits> ReadDigits(absl::string_view images_path, absl::string_view labels_path) {
  StatusOr<IdxArray> images = ReadIdx(images_path);
  if (!images.ok()) return images.status();
  StatusOr<IdxArray> labels = ReadIdx(labels_path);
  if (!labels.ok()) return labels.status();
  if (images->dims.size() != 3) {
    return InvalidArgument(
        absl::StrCat(images_path, " has ", images->dims.size(), " dimensions, images have 3"));
  }
  if (labels->dims.size() != 1) {
    return InvalidArgument(
        absl::StrCat(labels_path, " has ", labels->dims.size(), " dimensions, labels have 1"));
  }
  if (images->dims[0] != labels->dims[0]) {
    return InvalidArgument(images_path, " has ", images->dims[0], " images but ", labels_path,
                           " has ", labels->dims[0], " labels");
  }
  return Digits{*std::move(images), std::move(labels->values)};
}

}  // namespace examples
}  // namespace warpbeam
