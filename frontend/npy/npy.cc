#include "frontend/npy/npy.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";

// NumPy's names of element types, "<f4" without the byte order.
struct NpyType {
  const char* code;
  DType dtype;
};
constexpr NpyType kTypes[] = {
    {"b1", DType::kBool},      {"i1", DType::kInt8},        {"i2", DType::kInt16},
    {"i4", DType::kInt32},     {"i8", DType::kInt64},       {"u1", DType::kUInt8},
    {"u2", DType::kUInt16},    {"u4", DType::kUInt32},      {"u8", DType::kUInt64},
    {"f2", DType::kHalf},      {"f4", DType::kFloat},       {"f8", DType::kDouble},
    {"c8", DType::kComplex64}, {"c16", DType::kComplex128},
};

// The text behind 'key': in a header's dictionary.
StatusOr<absl::string_view> ValueOf(absl::string_view header, absl::string_view key) {
  const size_t at = header.find(absl::StrCat("'", key, "':"));
  if (at == absl::string_view::npos) return InvalidArgument("the header has no '", key, "'");
  return absl::StripLeadingAsciiWhitespace(header.substr(at + key.size() + 3));
}

StatusOr<NpyHeader> ParseHeader(absl::string_view text) {
  NpyHeader header;
  WB_ASSIGN_OR_RETURN(absl::string_view descr, ValueOf(text, "descr"));
  if (!absl::ConsumePrefix(&descr, "'") || descr.find('\'') == absl::string_view::npos) {
    return InvalidArgument("records of several fields cannot be read");
  }
  header.type = std::string(descr.substr(0, descr.find('\'')));
  WB_ASSIGN_OR_RETURN(absl::string_view order, ValueOf(text, "fortran_order"));
  header.fortran_order = absl::StartsWith(order, "True");
  WB_ASSIGN_OR_RETURN(absl::string_view shape, ValueOf(text, "shape"));
  const size_t end = shape.find(')');
  if (!absl::ConsumePrefix(&shape, "(") || end == absl::string_view::npos) {
    return InvalidArgument("the header's shape is no tuple");
  }
  for (absl::string_view part : absl::StrSplit(shape.substr(0, end - 1), ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    int64_t extent;
    // Python 2 wrote long numbers so.
    if (!absl::SimpleAtoi(absl::StripSuffix(part, "L"), &extent)) {
      return InvalidArgument("the header's shape holds '", part, "'");
    }
    header.dims.push_back(extent);
  }
  return header;
}

// Copies elements in the order of the last index moving fastest, from one of the first moving
// fastest.
template <typename Copy>
void FromFortranOrder(const Shape& shape, Copy copy) {
  const int rank = shape.rank();
  std::vector<int64_t> index(static_cast<size_t>(rank), 0);
  for (int64_t to = 0; to < shape.num_elements(); ++to) {
    int64_t from = 0;
    for (int d = rank - 1; d >= 0; --d) from = from * shape.dim(d) + index[static_cast<size_t>(d)];
    copy(to, from);
    for (int d = rank - 1; d >= 0 && ++index[static_cast<size_t>(d)] == shape.dim(d); --d) {
      index[static_cast<size_t>(d)] = 0;
    }
  }
}

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr int kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out->push_back(static_cast<char>(kLead[more] | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
  }
}

// One string of fixed length, without the zeros that fill it up.
std::string TakeString(const char* data, size_t size, bool wide) {
  std::string text;
  if (!wide) {
    text.assign(data, size);
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t code;
    memcpy(&code, data + i, 4);
    if (code == 0 || code > 0x10ffff) break;
    AppendUtf8(code, &text);
  }
  return text;
}

StatusOr<Tensor> ReadElements(const NpyHeader& header, absl::string_view data, DType dtype,
                              size_t element_size, bool wide) {
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(header.dims));
  int64_t bytes;
  if (__builtin_mul_overflow(shape.num_elements(), static_cast<int64_t>(element_size), &bytes) ||
      bytes > static_cast<int64_t>(data.size())) {
    return InvalidArgument("the file is cut off: ", shape.ToString(), " elements of ", element_size,
                           " bytes are announced, ", data.size(), " bytes follow");
  }
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (dtype == DType::kBool &&
      std::any_of(data.begin(), data.begin() + bytes, [](char c) { return c != 0 && c != 1; })) {
    return InvalidArgument("the file's booleans hold bytes other than 0 and 1");
  }
  if (dtype != DType::kString && !header.fortran_order) {
    if (bytes > 0) memcpy(tensor.raw_data(), data.data(), static_cast<size_t>(bytes));
    return tensor;
  }
  const auto copy = [&](int64_t to, int64_t from) {
    const char* element = data.data() + static_cast<size_t>(from) * element_size;
    if (dtype == DType::kString) {
      tensor.data<std::string>()[to] = TakeString(element, element_size, wide);
    } else {
      memcpy(tensor.data<char>() + static_cast<size_t>(to) * element_size, element, element_size);
    }
  };
  if (header.fortran_order) {
    FromFortranOrder(shape, copy);
  } else {
    for (int64_t i = 0; i < shape.num_elements(); ++i) copy(i, i);
  }
  return tensor;
}

std::string HeaderText(const std::string& type, const Shape& shape) {
  std::string dims;
  for (int64_t extent : shape.dims()) absl::StrAppend(&dims, extent, ", ");
  if (shape.rank() > 1) dims.resize(dims.size() - 2);
  if (shape.rank() == 1) dims.pop_back();
  std::string text =
      absl::StrCat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", dims, "), }");
  // The data begin at a multiple of 64 bytes.
  const size_t before = kMagic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text.push_back('\n');
  return text;
}

std::string WithHeader(const std::string& type, const Shape& shape) {
  const std::string text = HeaderText(type, shape);
  const bool is_long = text.size() > UINT16_MAX;  // of a shape of very many dimensions
  std::string bytes(kMagic);
  bytes.push_back(is_long ? 2 : 1);
  bytes.push_back(0);
  for (size_t i = 0; i < (is_long ? 4u : 2u); ++i) {
    bytes.push_back(static_cast<char>(text.size() >> (8 * i)));
  }
  return bytes + text;
}

std::string FormatStrings(const Tensor& tensor) {
  size_t longest = 1;
  const auto strings = tensor.flat<std::string>();
  for (const std::string& s : strings) longest = std::max(longest, s.size());
  std::string bytes = WithHeader(absl::StrCat("|S", longest), tensor.shape());
  for (const std::string& s : strings) {
    bytes += s;
    bytes.append(longest - s.size(), '\0');
  }
  return bytes;
}

}  // namespace

std::string NpyNumberType(DType dtype) {
  for (const NpyType& type : kTypes) {
    if (type.dtype == dtype) return absl::StrCat(DTypeSize(dtype) == 1 ? "|" : "<", type.code);
  }
  return "";
}

StatusOr<NpyHeader> TakeNpyHeader(absl::string_view* bytes) {
  if (!absl::ConsumePrefix(bytes, kMagic) || bytes->size() < 4) {
    return InvalidArgument("not a .npy file: it does not begin as one");
  }
  const int major = (*bytes)[0];
  const size_t length_size = major == 1 ? 2 : 4;
  bytes->remove_prefix(2);
  uint32_t length = 0;
  if (bytes->size() < length_size) return InvalidArgument("the file is cut off in its header");
  memcpy(&length, bytes->data(), length_size);
  bytes->remove_prefix(length_size);
  if (bytes->size() < length) return InvalidArgument("the file is cut off in its header");
  const absl::string_view text = bytes->substr(0, length);
  bytes->remove_prefix(length);
  return ParseHeader(text);
}

StatusOr<Tensor> ParseNpy(absl::string_view bytes) {
  WB_ASSIGN_OR_RETURN(const NpyHeader header, TakeNpyHeader(&bytes));
  absl::string_view code = header.type;
  if (absl::StartsWith(code, ">")) {
    return InvalidArgument("'", header.type, "' elements are big-endian; save them with ",
                           "array.astype(array.dtype.newbyteorder('<'))");
  }
  if (!code.empty() && (code[0] == '<' || code[0] == '|' || code[0] == '=')) code.remove_prefix(1);
  for (const NpyType& type : kTypes) {
    if (code == type.code) {
      return ReadElements(header, bytes, type.dtype, DTypeSize(type.dtype), false);
    }
  }
  int length;
  if (code.size() > 1 && (code[0] == 'S' || code[0] == 'U') &&
      absl::SimpleAtoi(code.substr(1), &length) && length > 0 && length < (1 << 28)) {
    const bool wide = code[0] == 'U';
    return ReadElements(header, bytes, DType::kString, static_cast<size_t>(length) * (wide ? 4 : 1),
                        wide);
  }
  return InvalidArgument("elements of NumPy type '", header.type, "' cannot be read");
}

StatusOr<std::string> FormatNpy(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return FormatStrings(tensor);
  if (tensor.dtype() == DType::kBFloat16) {
    WB_ASSIGN_OR_RETURN(Tensor wide, Tensor::Allocate(DType::kFloat, tensor.shape()));
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      wide.data<float>()[i] = static_cast<float>(tensor.data<BFloat16>()[i]);
    }
    return FormatNpy(wide);
  }
  const std::string type = NpyNumberType(tensor.dtype());
  if (type.empty()) {
    return Unimplemented("NumPy has no type for ", DTypeName(tensor.dtype()), " elements");
  }
  std::string bytes = WithHeader(type, tensor.shape());
  bytes.append(tensor.data<char>(), tensor.bytes());
  return bytes;
}

}  // namespace frontend
}  // namespace warpbeam
