#include "graph/types/tensor.h"

#include <algorithm>

#include "graph/types/errors.h"
#include "graph/types/quoted_string.h"

namespace warpbeam {
namespace {

template <typename T>
void CopyObjects(void* to, const void* from, int64_t count) {
  std::copy_n(static_cast<const T*>(from), count, static_cast<T*>(to));
}

template <typename T>
void AppendComplex(std::complex<T> value, std::string* out) {
  const std::string imaginary = absl::StrCat(value.imag());
  absl::StrAppend(out, value.real(), imaginary[0] == '-' ? "" : "+", imaginary, "j");
}

void AppendElement(const Tensor& t, int64_t i, std::string* out) {
  switch (t.dtype()) {
#define WB_CASE(Enum, T)                  \
  case DType::Enum:                       \
    absl::StrAppend(out, t.data<T>()[i]); \
    return;
    WB_CASE(kFloat, float)
    WB_CASE(kDouble, double)
    WB_CASE(kInt32, int32_t)
    WB_CASE(kInt64, int64_t)
    WB_CASE(kUInt32, uint32_t)
    WB_CASE(kUInt64, uint64_t)
    WB_CASE(kInt16, int16_t)
    WB_CASE(kUInt16, uint16_t)
#undef WB_CASE
    case DType::kInt8:
    case DType::kQInt8:
      absl::StrAppend(out, static_cast<int>(t.data<int8_t>()[i]));
      return;
    case DType::kUInt8:
    case DType::kQUInt8:
      absl::StrAppend(out, static_cast<int>(t.data<uint8_t>()[i]));
      return;
    case DType::kBool:
      out->append(t.data<bool>()[i] ? "true" : "false");
      return;
    case DType::kHalf:
      absl::StrAppend(out, static_cast<float>(t.data<Half>()[i]));
      return;
    case DType::kBFloat16:
      absl::StrAppend(out, static_cast<float>(t.data<BFloat16>()[i]));
      return;
    case DType::kComplex64:
      return AppendComplex(t.data<std::complex<float>>()[i], out);
    case DType::kComplex128:
      return AppendComplex(t.data<std::complex<double>>()[i], out);
    case DType::kString:
      absl::StrAppend(out, QuotedString(t.data<std::string>()[i]));
      return;
    case DType::kResource:
      absl::StrAppend(out, "<resource ", t.data<ResourceHandle>()[i].name, ">");
      return;
    default:
      absl::StrAppend(out, "<", DTypeName(t.dtype()), ">");
  }
}

}  // namespace

StatusOr<Tensor> Tensor::Allocate(DType dtype, const Shape& shape, Allocator& allocator) {
  const size_t size = DTypeSize(dtype);
  if (size == 0 || IsRef(dtype)) {
    return InvalidArgument("cannot allocate a tensor of ", DTypeName(dtype));
  }
  const int64_t count = shape.num_elements();
  int64_t bytes;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(size), &bytes)) {
    return InvalidArgument("a tensor of ", DTypeName(dtype), shape.ToString(),
                           " has more bytes than can be addressed");
  }
  BufferRef buffer = IsPlainData(dtype) ? allocator.Allocate(static_cast<size_t>(bytes))
                                        : AllocateObjects(dtype, count);
  if (!buffer) {
    return ResourceExhausted("out of memory in '", allocator.name(), "' for a tensor of ",
                             DTypeName(dtype), shape.ToString(), " (", bytes, " bytes)");
  }
  void* data = buffer->data();
  return Tensor(dtype, shape, std::move(buffer), data);
}

StatusOr<Tensor> Tensor::Reshaped(const Shape& shape) const {
  if (shape.num_elements() != num_elements()) {
    return InvalidArgument("cannot view ", num_elements(), " elements of shape ", shape_.ToString(),
                           " as ", shape.ToString());
  }
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::Rows(int64_t begin, int64_t end) const {
  Tensor t = *this;
  const int64_t rows = dim(0);
  const size_t row_bytes = rows == 0 ? 0 : bytes() / static_cast<size_t>(rows);
  t.data_ = static_cast<char*>(data_) + static_cast<size_t>(begin) * row_bytes;
  if (auto shape = shape_.WithDim(0, end - begin); shape.ok()) t.shape_ = *std::move(shape);
  return t;
}

StatusOr<Tensor> Tensor::Clone(Allocator& allocator) const {
  WB_ASSIGN_OR_RETURN(Tensor copy, Allocate(dtype_, shape_, allocator));
  CopyElements(dtype_, copy.data_, data_, num_elements());
  return copy;
}

std::string Tensor::ToString(int max_values) const {
  if (!has_value()) return "<no value>";
  std::string out = absl::StrCat(DTypeName(dtype_), shape_.ToString());
  const int64_t shown = std::min<int64_t>(num_elements(), max_values);
  for (int64_t i = 0; i < shown; ++i) {
    out += " ";
    AppendElement(*this, i, &out);
  }
  if (shown < num_elements()) out += " …";
  return out;
}

void CopyElements(DType dtype, void* to, const void* from, int64_t count) {
  if (count == 0) return;
  switch (BaseType(dtype)) {
    case DType::kString:
      return CopyObjects<std::string>(to, from, count);
    case DType::kResource:
      return CopyObjects<ResourceHandle>(to, from, count);
    case DType::kVariant:
      return CopyObjects<Variant>(to, from, count);
    default:
      memcpy(to, from, static_cast<size_t>(count) * DTypeSize(dtype));
  }
}

}  // namespace warpbeam
