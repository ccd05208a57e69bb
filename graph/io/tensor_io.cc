#include "graph/io/tensor_io.h"

#include <algorithm>

#include "graph/io/dtype_io.h"
#include "graph/io/variant_codec.h"
#include "proto/tensor.pb.h"

namespace warpbeam {
namespace {

using tensorflow::TensorProto;

// Which of the message's lists holds the values of a type.
enum class ValueList {
  kNone,
  kFloat,
  kDouble,
  kInt,
  kInt64,
  kUInt32,
  kUInt64,
  kHalf,
  kBool,
  kString,
  kComplex64,
  kComplex128,
  kFloat8,
  kResource,
  kVariant,
};

ValueList ListOf(DType type) {
  switch (type) {
    case DType::kFloat:
      return ValueList::kFloat;
    case DType::kDouble:
      return ValueList::kDouble;
    case DType::kInt64:
      return ValueList::kInt64;
    case DType::kUInt32:
      return ValueList::kUInt32;
    case DType::kUInt64:
      return ValueList::kUInt64;
    case DType::kHalf:
    case DType::kBFloat16:
      return ValueList::kHalf;
    case DType::kBool:
      return ValueList::kBool;
    case DType::kString:
      return ValueList::kString;
    case DType::kComplex64:
      return ValueList::kComplex64;
    case DType::kComplex128:
      return ValueList::kComplex128;
    case DType::kFloat8E5M2:
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E4M3B11FNUZ:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat4E2M1FN:
      return ValueList::kFloat8;
    case DType::kResource:
      return ValueList::kResource;
    case DType::kVariant:
      return ValueList::kVariant;
    case DType::kInvalid:
      return ValueList::kNone;
    default:
      return ValueList::kInt;
  }
}

struct ListSize {
  ValueList list;
  const char* field;
  int64_t size;
};

// The first list with values that is not the one wanted; size 0 when there is none.
ListSize StrayList(const TensorProto& p, ValueList wanted) {
  const ListSize lists[] = {
      {ValueList::kFloat, "float_val", p.float_val_size()},
      {ValueList::kDouble, "double_val", p.double_val_size()},
      {ValueList::kInt, "int_val", p.int_val_size()},
      {ValueList::kInt64, "int64_val", p.int64_val_size()},
      {ValueList::kUInt32, "uint32_val", p.uint32_val_size()},
      {ValueList::kUInt64, "uint64_val", p.uint64_val_size()},
      {ValueList::kHalf, "half_val", p.half_val_size()},
      {ValueList::kBool, "bool_val", p.bool_val_size()},
      {ValueList::kString, "string_val", p.string_val_size()},
      {ValueList::kComplex64, "scomplex_val", p.scomplex_val_size()},
      {ValueList::kComplex128, "dcomplex_val", p.dcomplex_val_size()},
      {ValueList::kFloat8, "float8_val", static_cast<int64_t>(p.float8_val().size())},
      {ValueList::kResource, "resource_handle_val", p.resource_handle_val_size()},
      {ValueList::kVariant, "variant_val", p.variant_val_size()},
  };
  for (const ListSize& list : lists) {
    if (list.size > 0 && list.list != wanted) return list;
  }
  return {ValueList::kNone, "", 0};
}

// Writes `size` values into `count` places: extra values are dropped, the last one is repeated, and
// where there is none the places get T().
template <typename T, typename At>
void FillFrom(int64_t size, At at, int64_t count, void* out) {
  T* to = static_cast<T*>(out);
  const int64_t given = std::min<int64_t>(size, count);
  for (int64_t i = 0; i < given; ++i) to[i] = at(static_cast<int>(i));
  if (given < count) std::fill(to + given, to + count, given > 0 ? to[given - 1] : T());
}

ResourceHandle HandleFromProto(const tensorflow::ResourceHandleProto& proto) {
  ResourceHandle handle;
  handle.device = proto.device();
  handle.container = proto.container();
  handle.name = proto.name();
  handle.hash_code = proto.hash_code();
  handle.type_name = proto.maybe_type_name();
  for (const auto& entry : proto.dtypes_and_shapes()) {
    const auto dtype = DTypeFromNumber(entry.dtype());
    auto shape = ShapeFromProto(entry.shape());
    // What a handle says of its values is a hint; one that cannot be read is dropped.
    if (dtype.ok() && shape.ok()) handle.dtypes_and_shapes.emplace_back(*dtype, *std::move(shape));
  }
  return handle;
}

void HandleToProto(const ResourceHandle& handle, tensorflow::ResourceHandleProto* proto) {
  proto->set_device(handle.device);
  proto->set_container(handle.container);
  proto->set_name(handle.name);
  proto->set_hash_code(handle.hash_code);
  proto->set_maybe_type_name(handle.type_name);
  for (const auto& [dtype, shape] : handle.dtypes_and_shapes) {
    auto* entry = proto->add_dtypes_and_shapes();
    entry->set_dtype(static_cast<tensorflow::DataType>(NumberOf(dtype)));
    ShapeToProto(shape, entry->mutable_shape());
  }
}

void FillInts(const TensorProto& p, size_t element_size, int64_t count, void* out) {
  // Narrow integers are cut from 32 bits, whatever their sign.
  const auto at = [&p](int i) { return p.int_val(i); };
  if (element_size == 4) {
    FillFrom<int32_t>(p.int_val_size(), at, count, out);
  } else if (element_size == 2) {
    FillFrom<uint16_t>(p.int_val_size(), at, count, out);
  } else {
    FillFrom<uint8_t>(p.int_val_size(), at, count, out);
  }
}

// The typed list of `p` into the tensor.
void FillFromList(const TensorProto& p, Tensor* tensor) {
  const int64_t count = tensor->num_elements();
  void* out = tensor->raw_data();
  switch (ListOf(tensor->dtype())) {
    case ValueList::kFloat:
      return FillFrom<float>(
          p.float_val_size(), [&p](int i) { return p.float_val(i); }, count, out);
    case ValueList::kDouble:
      return FillFrom<double>(
          p.double_val_size(), [&p](int i) { return p.double_val(i); }, count, out);
    case ValueList::kInt:
      return FillInts(p, DTypeSize(tensor->dtype()), count, out);
    case ValueList::kInt64:
      return FillFrom<int64_t>(
          p.int64_val_size(), [&p](int i) { return p.int64_val(i); }, count, out);
    case ValueList::kUInt32:
      return FillFrom<uint32_t>(
          p.uint32_val_size(), [&p](int i) { return p.uint32_val(i); }, count, out);
    case ValueList::kUInt64:
      return FillFrom<uint64_t>(
          p.uint64_val_size(), [&p](int i) { return p.uint64_val(i); }, count, out);
    case ValueList::kHalf:
      return FillFrom<uint16_t>(
          p.half_val_size(), [&p](int i) { return static_cast<uint16_t>(p.half_val(i)); }, count,
          out);
    case ValueList::kBool:
      return FillFrom<bool>(
          p.bool_val_size(), [&p](int i) { return p.bool_val(i); }, count, out);
    case ValueList::kString:
      return FillFrom<std::string>(
          p.string_val_size(), [&p](int i) { return p.string_val(i); }, count, out);
    case ValueList::kComplex64:
      return FillFrom<std::complex<float>>(
          p.scomplex_val_size() / 2,
          [&p](int i) {
            return std::complex<float>(p.scomplex_val(2 * i), p.scomplex_val(2 * i + 1));
          },
          count, out);
    case ValueList::kComplex128:
      return FillFrom<std::complex<double>>(
          p.dcomplex_val_size() / 2,
          [&p](int i) {
            return std::complex<double>(p.dcomplex_val(2 * i), p.dcomplex_val(2 * i + 1));
          },
          count, out);
    case ValueList::kFloat8:
      return FillFrom<uint8_t>(
          static_cast<int64_t>(p.float8_val().size()),
          [&p](int i) { return static_cast<uint8_t>(p.float8_val()[static_cast<size_t>(i)]); },
          count, out);
    case ValueList::kResource:
      return FillFrom<ResourceHandle>(
          p.resource_handle_val_size(),
          [&p](int i) { return HandleFromProto(p.resource_handle_val(i)); }, count, out);
    case ValueList::kVariant:
    case ValueList::kNone:
      return;
  }
}

// Strings and variants in raw form: all lengths as varints, then all bytes.
StatusOr<std::vector<absl::string_view>> SplitContent(absl::string_view content, int64_t count) {
  const auto cut = [count] {
    return InvalidArgument("tensor_content ends within the lengths of its ", count, " strings");
  };
  if (static_cast<int64_t>(content.size()) < count) return cut();
  std::vector<uint64_t> lengths(static_cast<size_t>(count));
  uint64_t total = 0;
  for (uint64_t& length : lengths) {
    for (int shift = 0;; shift += 7) {
      if (content.empty() || shift > 28) return cut();
      const auto byte = static_cast<uint8_t>(content.front());
      content.remove_prefix(1);
      length |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    total += length;
  }
  if (total != content.size()) {
    return InvalidArgument("tensor_content holds ", content.size(),
                           " bytes of strings where its lengths add up to ", total);
  }
  std::vector<absl::string_view> pieces;
  pieces.reserve(lengths.size());
  for (const uint64_t length : lengths) {
    pieces.push_back(content.substr(0, length));
    content.remove_prefix(length);
  }
  return pieces;
}

Status FillStringsFromContent(absl::string_view content, Tensor* tensor) {
  WB_ASSIGN_OR_RETURN(const std::vector<absl::string_view> pieces,
                      SplitContent(content, tensor->num_elements()));
  for (size_t i = 0; i < pieces.size(); ++i) {
    tensor->data<std::string>()[i].assign(pieces[i].data(), pieces[i].size());
  }
  return OkStatus();
}

Status FillHandlesFromContent(absl::string_view content, Tensor* tensor) {
  WB_ASSIGN_OR_RETURN(const std::vector<absl::string_view> pieces,
                      SplitContent(content, tensor->num_elements()));
  for (size_t i = 0; i < pieces.size(); ++i) {
    tensorflow::ResourceHandleProto proto;
    if (!proto.ParseFromArray(pieces[i].data(), static_cast<int>(pieces[i].size()))) {
      return InvalidArgument("tensor_content: element ", i, " is no handle of a resource");
    }
    tensor->data<ResourceHandle>()[i] = HandleFromProto(proto);
  }
  return OkStatus();
}

Status FillFromContent(const std::string& content, Tensor* tensor) {
  if (tensor->dtype() == DType::kString) return FillStringsFromContent(content, tensor);
  if (tensor->dtype() == DType::kResource) return FillHandlesFromContent(content, tensor);
  if (!IsPlainData(tensor->dtype())) {
    return InvalidArgument("tensor_content cannot hold ", DTypeName(tensor->dtype()), " values");
  }
  if (content.size() != tensor->bytes()) {
    return InvalidArgument("tensor_content holds ", content.size(), " bytes where ",
                           DTypeName(tensor->dtype()), tensor->shape().ToString(), " needs ",
                           tensor->bytes());
  }
  if (tensor->dtype() == DType::kBool &&
      !std::all_of(content.begin(), content.end(), [](char c) { return c == 0 || c == 1; })) {
    return InvalidArgument("tensor_content of a bool tensor holds bytes other than 0 and 1");
  }
  if (!content.empty()) memcpy(tensor->raw_data(), content.data(), content.size());
  return OkStatus();
}

// The bytes of a list of strings or messages in which the last element stands for all that follow.
template <typename List, typename SizeOf>
int64_t HeldBytes(const List& list, int64_t count, SizeOf size_of) {
  const int64_t given = std::min<int64_t>(list.size(), count);
  int64_t bytes = 0, last = 0;
  for (int64_t i = 0; i < given; ++i) {
    last = static_cast<int64_t>(size_of(list.Get(static_cast<int>(i))));
    bytes += last;
  }
  int64_t repeated;
  if (__builtin_mul_overflow(last, count - given, &repeated) ||
      __builtin_add_overflow(bytes, repeated, &bytes)) {
    return INT64_MAX;
  }
  return bytes;
}

int64_t HeldBytes(const TensorProto& proto, DType dtype, int64_t count) {
  if (dtype == DType::kString) {
    return HeldBytes(proto.string_val(), count, [](const std::string& s) { return s.size(); });
  }
  if (dtype == DType::kResource) {
    return HeldBytes(proto.resource_handle_val(), count,
                     [](const auto& handle) { return handle.ByteSizeLong(); });
  }
  return 0;
}

// The dtype and shape of a message that may be read at all, and the memory that it takes.
Status CheckHeader(const TensorProto& proto, int64_t max_bytes, DType* dtype, Shape* shape,
                   int64_t* bytes) {
  WB_ASSIGN_OR_RETURN(*dtype, DTypeFromNumber(proto.dtype()));
  if (*dtype == DType::kInvalid) return InvalidArgument("a tensor without an element type");
  if (IsRef(*dtype)) {
    return InvalidArgument("a tensor cannot have the reference type ", DTypeName(*dtype));
  }
  WB_ASSIGN_OR_RETURN(PartialShape partial, ShapeFromProto(proto.tensor_shape()));
  WB_ASSIGN_OR_RETURN(*shape, partial.AsShape());
  if (__builtin_mul_overflow(shape->num_elements(), static_cast<int64_t>(DTypeSize(*dtype)),
                             bytes) ||
      __builtin_add_overflow(*bytes, HeldBytes(proto, *dtype, shape->num_elements()), bytes)) {
    *bytes = INT64_MAX;
  }
  if (*bytes > max_bytes) {
    return ResourceExhausted("a tensor ", DTypeName(*dtype), shape->ToString(), " of ", *bytes,
                             " bytes is larger than the limit of ", max_bytes, " bytes");
  }
  return OkStatus();
}

template <typename T, typename List>
void AppendAll(const Tensor& t, int64_t count, List* list) {
  list->Reserve(static_cast<int>(count));
  for (int64_t i = 0; i < count; ++i) list->Add(t.data<T>()[i]);
}

void AppendInts(const Tensor& t, int64_t count, TensorProto* p) {
  switch (t.dtype()) {
    case DType::kUInt8:
    case DType::kQUInt8:
    case DType::kUInt4:
    case DType::kUInt2:
      return AppendAll<uint8_t>(t, count, p->mutable_int_val());
    case DType::kUInt16:
    case DType::kQUInt16:
      return AppendAll<uint16_t>(t, count, p->mutable_int_val());
    case DType::kInt16:
    case DType::kQInt16:
      return AppendAll<int16_t>(t, count, p->mutable_int_val());
    case DType::kInt32:
    case DType::kQInt32:
      return AppendAll<int32_t>(t, count, p->mutable_int_val());
    default:
      return AppendAll<int8_t>(t, count, p->mutable_int_val());
  }
}

// The first `count` values into the list of their type.
void AppendValues(const Tensor& t, int64_t count, TensorProto* p) {
  switch (ListOf(t.dtype())) {
    case ValueList::kFloat:
      return AppendAll<float>(t, count, p->mutable_float_val());
    case ValueList::kDouble:
      return AppendAll<double>(t, count, p->mutable_double_val());
    case ValueList::kInt:
      return AppendInts(t, count, p);
    case ValueList::kInt64:
      return AppendAll<int64_t>(t, count, p->mutable_int64_val());
    case ValueList::kUInt32:
      return AppendAll<uint32_t>(t, count, p->mutable_uint32_val());
    case ValueList::kUInt64:
      return AppendAll<uint64_t>(t, count, p->mutable_uint64_val());
    case ValueList::kHalf:
      return AppendAll<uint16_t>(t, count, p->mutable_half_val());
    case ValueList::kBool:
      return AppendAll<bool>(t, count, p->mutable_bool_val());
    case ValueList::kComplex64:  // as pairs of parts
      return AppendAll<float>(t, 2 * count, p->mutable_scomplex_val());
    case ValueList::kComplex128:
      return AppendAll<double>(t, 2 * count, p->mutable_dcomplex_val());
    case ValueList::kFloat8:
      p->set_float8_val(t.raw_data(), static_cast<size_t>(count));
      return;
    case ValueList::kString:
      for (int64_t i = 0; i < count; ++i) p->add_string_val(t.data<std::string>()[i]);
      return;
    case ValueList::kResource:
      for (int64_t i = 0; i < count; ++i) {
        HandleToProto(t.data<ResourceHandle>()[i], p->add_resource_handle_val());
      }
      return;
    case ValueList::kVariant:
    case ValueList::kNone:
      return;
  }
}

bool AllEqual(const Tensor& t) {
  const int64_t count = t.num_elements();
  if (count <= 1) return true;
  if (t.dtype() == DType::kString) {
    const auto values = t.flat<std::string>();
    return std::all_of(values.begin() + 1, values.end(),
                       [&](const std::string& s) { return s == values[0]; });
  }
  if (!IsPlainData(t.dtype())) return false;
  // Every element equals its predecessor.
  const size_t size = DTypeSize(t.dtype());
  const char* bytes = t.data<char>();
  return memcmp(bytes, bytes + size, t.bytes() - size) == 0;
}

// Variants hold tensors, which may hold variants again: as deep as a message likes to say.
constexpr int kMaxVariantDepth = 32;

Status CheckVariantDepth(int depth) {
  if (depth < kMaxVariantDepth) return OkStatus();
  return InvalidArgument("variants lie within variants more than ", kMaxVariantDepth, " deep");
}

// Takes the bytes of all that it makes off `budget`.
StatusOr<Tensor> ReadTensor(const TensorProto& proto, int64_t* budget, int depth);

StatusOr<Variant> ReadVariant(const tensorflow::VariantTensorDataProto& proto, int64_t* budget,
                              int depth) {
  WB_RETURN_IF_ERROR(CheckVariantDepth(depth));
  if (proto.type_name().empty() && proto.metadata().empty() && proto.tensors().empty()) {
    return Variant();
  }
  const VariantCodec* codec = FindVariantCodec(proto.type_name());
  if (codec == nullptr) {
    return InvalidArgument("a variant of the type '", proto.type_name(),
                           "', of which nothing is known here");
  }
  VariantData data;
  data.metadata = proto.metadata();
  for (const TensorProto& tensor : proto.tensors()) {
    WB_ASSIGN_OR_RETURN(Tensor read, ReadTensor(tensor, budget, depth + 1));
    data.tensors.push_back(std::move(read));
  }
  auto variant = codec->read(std::move(data));
  if (!variant.ok()) return Annotate(variant.status(), absl::StrCat("a ", codec->type_name));
  return variant;
}

// Elements of which the message says nothing stay empty.
Status FillVariants(const TensorProto& proto, int64_t* budget, int depth, Tensor* tensor) {
  Variant* to = tensor->data<Variant>();
  const int64_t count = tensor->num_elements();
  if (proto.tensor_content().empty()) {
    const int64_t given = std::min<int64_t>(count, proto.variant_val_size());
    for (int64_t i = 0; i < given; ++i) {
      WB_ASSIGN_OR_RETURN(to[i],
                          ReadVariant(proto.variant_val(static_cast<int>(i)), budget, depth));
    }
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(const std::vector<absl::string_view> pieces,
                      SplitContent(proto.tensor_content(), count));
  for (size_t i = 0; i < pieces.size(); ++i) {
    tensorflow::VariantTensorDataProto one;
    if (!one.ParseFromArray(pieces[i].data(), static_cast<int>(pieces[i].size()))) {
      return InvalidArgument("tensor_content: element ", i, " is no variant");
    }
    WB_ASSIGN_OR_RETURN(to[i], ReadVariant(one, budget, depth));
  }
  return OkStatus();
}

StatusOr<Tensor> ReadTensor(const TensorProto& proto, int64_t* budget, int depth) {
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;
  WB_RETURN_IF_ERROR(CheckHeader(proto, *budget, &dtype, &shape, &bytes));
  if (const ListSize stray = StrayList(proto, ListOf(dtype)); stray.size > 0) {
    return InvalidArgument("a tensor of ", DTypeName(dtype), " has values in ", stray.field,
                           ", which that type does not use");
  }
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  *budget -= bytes;
  if (shape.num_elements() == 0) return tensor;
  if (dtype == DType::kVariant) {
    WB_RETURN_IF_ERROR(FillVariants(proto, budget, depth, &tensor));
  } else if (proto.tensor_content().empty()) {
    FillFromList(proto, &tensor);
  } else {
    WB_RETURN_IF_ERROR(FillFromContent(proto.tensor_content(), &tensor));
  }
  return tensor;
}

Status WriteTensor(const Tensor& tensor, TensorForm form, int depth, TensorProto* proto);

Status WriteVariant(const Variant& variant, int depth, tensorflow::VariantTensorDataProto* proto) {
  WB_RETURN_IF_ERROR(CheckVariantDepth(depth));
  if (!variant.has_value()) return OkStatus();
  const VariantCodec* codec = FindVariantCodec(variant);
  if (codec == nullptr) {
    return Unimplemented("a variant that holds ", variant.type_name(),
                         " cannot be written to a message");
  }
  WB_ASSIGN_OR_RETURN(VariantData data, codec->write(variant));
  proto->set_type_name(codec->type_name);
  proto->set_metadata(std::move(data.metadata));
  for (const Tensor& held : data.tensors) {
    WB_RETURN_IF_ERROR(WriteTensor(held, TensorForm::kValues, depth + 1, proto->add_tensors()));
  }
  return OkStatus();
}

Status WriteVariants(const Tensor& tensor, TensorForm form, int depth, TensorProto* proto) {
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    WB_RETURN_IF_ERROR(WriteVariant(tensor.data<Variant>()[i], depth, proto->add_variant_val()));
  }
  if (proto->ByteSizeLong() > INT32_MAX) {
    return ResourceExhausted("variants of more than 2 GiB do not fit into one message");
  }
  if (form != TensorForm::kContent) return OkStatus();
  std::string pieces;
  for (const auto& variant : proto->variant_val()) {
    const std::string piece = variant.SerializeAsString();
    for (uint64_t rest = piece.size();; rest >>= 7) {
      proto->mutable_tensor_content()->push_back(
          static_cast<char>(rest < 0x80 ? rest : (rest & 0x7f) | 0x80));
      if (rest < 0x80) break;
    }
    pieces += piece;
  }
  proto->mutable_tensor_content()->append(pieces);
  proto->clear_variant_val();
  return OkStatus();
}

Status WriteTensor(const Tensor& tensor, TensorForm form, int depth, TensorProto* proto) {
  proto->Clear();
  if (!tensor.has_value()) return InvalidArgument("no tensor to write: it has no value");
  proto->set_dtype(static_cast<tensorflow::DataType>(NumberOf(tensor.dtype())));
  ShapeToProto(tensor.shape(), proto->mutable_tensor_shape());
  const int64_t count = tensor.num_elements();
  if (tensor.dtype() == DType::kVariant) return WriteVariants(tensor, form, depth, proto);
  if (form == TensorForm::kCompact && AllEqual(tensor)) {
    AppendValues(tensor, std::min<int64_t>(count, 1), proto);
  } else if (std::max<size_t>(tensor.bytes(), static_cast<size_t>(count)) > INT32_MAX) {
    return ResourceExhausted("a tensor of ", tensor.bytes(),
                             " bytes does not fit into one message of at most 2 GiB");
  } else if (form == TensorForm::kValues || !IsPlainData(tensor.dtype())) {
    AppendValues(tensor, count, proto);
  } else if (count > 0) {
    proto->set_tensor_content(tensor.raw_data(), tensor.bytes());
  }
  return OkStatus();
}

}  // namespace

StatusOr<Tensor> TensorFromProto(const TensorProto& proto, int64_t max_bytes, int64_t* taken) {
  int64_t budget = max_bytes;
  WB_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(proto, &budget, 0));
  if (taken != nullptr) *taken = max_bytes - budget;
  return tensor;
}

Status TensorToProto(const Tensor& tensor, TensorForm form, TensorProto* proto) {
  return WriteTensor(tensor, form, 0, proto);
}

StatusOr<Tensor> ParseTensor(absl::string_view wire_form, int64_t max_bytes) {
  TensorProto proto;
  if (wire_form.size() > INT32_MAX ||
      !proto.ParseFromArray(wire_form.data(), static_cast<int>(wire_form.size()))) {
    return InvalidArgument("these ", wire_form.size(), " bytes are no serialized tensor");
  }
  return TensorFromProto(proto, max_bytes);
}

StatusOr<std::string> SerializeTensor(const Tensor& tensor, TensorForm form) {
  TensorProto proto;
  WB_RETURN_IF_ERROR(TensorToProto(tensor, form, &proto));
  if (proto.ByteSizeLong() > INT32_MAX) {
    return ResourceExhausted("a tensor of ", tensor.bytes(),
                             " bytes does not fit into one message of at most 2 GiB");
  }
  return proto.SerializeAsString();
}

}  // namespace warpbeam
