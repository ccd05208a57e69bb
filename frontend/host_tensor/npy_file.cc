// numpy's .npy format, version 1: a magic string, the length of a header, the header as a Python
// dictionary, and the elements.
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "frontend/host_tensor/host_tensor.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;
constexpr size_t kStart = kMagicSize + 4;  // version and length follow the magic

struct NamedType {
  DType dtype;
  const char* descr;
};

constexpr NamedType kTypes[] = {
    {DType::kBool, "|b1"},      {DType::kInt8, "|i1"},        {DType::kUInt8, "|u1"},
    {DType::kInt16, "<i2"},     {DType::kUInt16, "<u2"},      {DType::kInt32, "<i4"},
    {DType::kUInt32, "<u4"},    {DType::kInt64, "<i8"},       {DType::kUInt64, "<u8"},
    {DType::kHalf, "<f2"},      {DType::kFloat, "<f4"},       {DType::kDouble, "<f8"},
    {DType::kComplex64, "<c8"}, {DType::kComplex128, "<c16"},
};

// What stands behind `'key':` in the header, up to the end of its value.
absl::string_view ValueIn(absl::string_view header, absl::string_view key, char close) {
  const size_t at = header.find(absl::StrCat("'", key, "':"));
  if (at == absl::string_view::npos) return {};
  absl::string_view rest = header.substr(at + key.size() + 3);
  const size_t end = rest.find(close);
  return end == absl::string_view::npos ? absl::string_view()
                                        : absl::StripAsciiWhitespace(rest.substr(0, end));
}

StatusOr<Shape> ShapeIn(absl::string_view header) {
  absl::string_view text = ValueIn(header, "shape", ')');
  if (!absl::ConsumePrefix(&text, "(")) return DataLoss("the header names no shape");
  std::vector<int64_t> dims;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    int64_t dim = 0;
    if (!absl::SimpleAtoi(absl::StripSuffix(absl::StripAsciiWhitespace(part), "L"), &dim) ||
        dim < 0) {
      return DataLoss("the header's shape has the part '", part, "'");
    }
    dims.push_back(dim);
  }
  return Shape::Make(dims);
}

StatusOr<DType> DTypeIn(absl::string_view header) {
  absl::string_view descr = ValueIn(header, "descr", ',');
  absl::ConsumePrefix(&descr, "'");
  absl::ConsumeSuffix(&descr, "'");
  for (const NamedType& type : kTypes) {
    if (descr == type.descr) return type.dtype;
  }
  return Unimplemented("elements of numpy's type '", descr, "'");
}

}  // namespace

StatusOr<std::string> NpyBytes(const Tensor& tensor) {
  const char* descr = nullptr;
  for (const NamedType& type : kTypes) {
    if (type.dtype == tensor.dtype()) descr = type.descr;
  }
  if (descr == nullptr) {
    return Unimplemented("a tensor of ", DTypeName(tensor.dtype()), " has no type in numpy");
  }
  std::string dims;
  for (const int64_t dim : tensor.shape().dims()) absl::StrAppend(&dims, dim, ", ");
  if (tensor.rank() > 1) dims.resize(dims.size() - 2);
  if (tensor.rank() == 1) dims.resize(dims.size() - 1);
  std::string header =
      absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", dims, "), }");
  // The elements begin at a multiple of 64 bytes.
  const size_t size = (kStart + header.size() + 1 + 63) / 64 * 64 - kStart;
  if (size > 0xffff) return Unimplemented("a shape of ", tensor.rank(), " dimensions");
  header.resize(size - 1, ' ');
  header += '\n';
  std::string bytes(kMagic, kMagicSize);
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(size & 0xff);
  bytes += static_cast<char>(size >> 8);
  bytes += header;
  bytes.append(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
  return bytes;
}

StatusOr<Tensor> TensorOfNpy(const std::string& bytes) {
  if (bytes.size() < kStart || bytes.compare(0, kMagicSize, kMagic, kMagicSize) != 0) {
    return DataLoss("these ", bytes.size(), " bytes are no file of numpy's");
  }
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[i])); };
  const bool wide = byte(kMagicSize) > 1;
  const size_t start = kStart + (wide ? 2 : 0);
  if (bytes.size() < start) return DataLoss("a file of numpy's that ends within its header");
  size_t size = byte(8) | byte(9) << 8;
  if (wide) size |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - start < size) return DataLoss("a file of numpy's that ends within its header");
  const absl::string_view header = absl::string_view(bytes).substr(start, size);
  if (absl::StrContains(ValueIn(header, "fortran_order", ','), "True")) {
    return Unimplemented(
        "an array of numpy's in the order of Fortran; save numpy.ascontiguousarray");
  }
  WB_ASSIGN_OR_RETURN(const DType dtype, DTypeIn(header));
  WB_ASSIGN_OR_RETURN(const Shape shape, ShapeIn(header));
  const size_t rest = bytes.size() - start - size;
  if (static_cast<uint64_t>(shape.num_elements()) > rest / DTypeSize(dtype) ||
      shape.num_elements() * DTypeSize(dtype) != rest) {
    return DataLoss("a file of numpy's has ", rest, " bytes of elements for ", DTypeName(dtype),
                    shape.ToString());
  }
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (rest > 0) memcpy(tensor.raw_data(), bytes.data() + start + size, rest);
  return tensor;
}

Status WriteNpy(const Tensor& tensor, const std::string& path) {
  StatusOr<std::string> bytes = NpyBytes(tensor);
  if (!bytes.ok()) return Annotate(bytes.status(), path);
  WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create(path));
  WB_RETURN_IF_ERROR(file->Append(*bytes));
  return file->Commit();
}

StatusOr<Tensor> ReadNpy(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const std::string bytes, ReadFileToString(path));
  StatusOr<Tensor> tensor = TensorOfNpy(bytes);
  if (!tensor.ok()) return Annotate(tensor.status(), path);
  return tensor;
}

}  // namespace frontend
}  // namespace warpbeam
