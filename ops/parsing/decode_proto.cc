// DecodeProtoV2: fields of serialized protobuf messages, each as a tensor that has room for the
// most values that one message has; what is missing is the field's default.
#include <google/protobuf/unknown_field_set.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/parsing/message_type.h"
#include "ops/parsing/wire_reader.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

namespace pb = google::protobuf;
using pb::internal::WireFormatLite;
using Descriptor = pb::FieldDescriptor;

// A value as it stands on the wire: a number's bits, or bytes.
struct WireValue {
  uint64_t bits = 0;
  std::string bytes;
};

WireFormatLite::WireType WireTypeOf(const Descriptor& field) {
  return WireFormatLite::WireTypeForFieldType(static_cast<WireFormatLite::FieldType>(field.type()));
}

// The numbers of a packed list.
Status ReadPacked(WireFormatLite::WireType type, const std::string& list,
                  std::vector<WireValue>* values) {
  if (type == WireFormatLite::WIRETYPE_VARINT) {
    WireReader reader(list);
    while (!reader.AtEnd()) {
      WireValue value;
      if (!reader.ReadVarint(&value.bits)) return DataLoss("Corrupt packed varint");
      values->push_back(std::move(value));
    }
    return OkStatus();
  }
  const size_t size = type == WireFormatLite::WIRETYPE_FIXED32 ? 4 : 8;
  if (list.size() % size != 0) {
    return DataLoss("Illegal data length for packed fixed-size type: ", list.size());
  }
  for (size_t at = 0; at < list.size(); at += size) {
    WireValue value;
    memcpy(&value.bits, list.data() + at, size);
    values->push_back(std::move(value));
  }
  return OkStatus();
}

// The values of one field of a message. Of a field that is not repeated the last one counts, and
// what has another type on the wire than the field is passed over, as protobuf has it.
StatusOr<std::vector<WireValue>> ReadField(const Descriptor& field,
                                           const pb::UnknownFieldSet& message) {
  const WireFormatLite::WireType type = WireTypeOf(field);
  std::vector<WireValue> values;
  for (int i = 0; i < message.field_count(); ++i) {
    const pb::UnknownField& one = message.field(i);
    if (one.number() != field.number()) continue;
    WireValue value;
    if (one.type() == pb::UnknownField::TYPE_VARINT && type == WireFormatLite::WIRETYPE_VARINT) {
      value.bits = one.varint();
    } else if (one.type() == pb::UnknownField::TYPE_FIXED32 &&
               type == WireFormatLite::WIRETYPE_FIXED32) {
      value.bits = one.fixed32();
    } else if (one.type() == pb::UnknownField::TYPE_FIXED64 &&
               type == WireFormatLite::WIRETYPE_FIXED64) {
      value.bits = one.fixed64();
    } else if (one.type() == pb::UnknownField::TYPE_GROUP &&
               type == WireFormatLite::WIRETYPE_START_GROUP) {
      // With its tags.
      pb::UnknownFieldSet group;
      group.AddField(one);
      group.SerializeToString(&value.bytes);
    } else if (one.type() == pb::UnknownField::TYPE_LENGTH_DELIMITED) {
      if (type == WireFormatLite::WIRETYPE_START_GROUP) continue;
      if (type != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
        WB_RETURN_IF_ERROR(ReadPacked(type, one.length_delimited(), &values));
        continue;
      }
      value.bytes = one.length_delimited();
    } else {
      continue;
    }
    values.push_back(std::move(value));
  }
  if (!field.is_repeated() && values.size() > 1) values.erase(values.begin(), values.end() - 1);
  return values;
}

template <class T>
T FromBits(const Descriptor& field, uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  switch (field.type()) {
    case Descriptor::TYPE_DOUBLE: {
      double value;
      memcpy(&value, &bits, sizeof(value));
      return static_cast<T>(value);
    }
    case Descriptor::TYPE_FLOAT: {
      float value;
      memcpy(&value, &low, sizeof(value));
      return static_cast<T>(value);
    }
    case Descriptor::TYPE_BOOL:
      return static_cast<T>(bits != 0);
    case Descriptor::TYPE_SINT32:
      return static_cast<T>(WireFormatLite::ZigZagDecode32(low));
    case Descriptor::TYPE_SINT64:
      return static_cast<T>(WireFormatLite::ZigZagDecode64(bits));
    case Descriptor::TYPE_INT32:
    case Descriptor::TYPE_SFIXED32:
    case Descriptor::TYPE_ENUM:
      return static_cast<T>(static_cast<int32_t>(low));
    case Descriptor::TYPE_UINT32:
    case Descriptor::TYPE_FIXED32:
      return static_cast<T>(low);
    default:
      return static_cast<T>(bits);
  }
}

template <class T>
T DefaultOf(const Descriptor& field) {
  switch (field.cpp_type()) {
    case Descriptor::CPPTYPE_DOUBLE:
      return static_cast<T>(field.default_value_double());
    case Descriptor::CPPTYPE_FLOAT:
      return static_cast<T>(field.default_value_float());
    case Descriptor::CPPTYPE_INT32:
      return static_cast<T>(field.default_value_int32());
    case Descriptor::CPPTYPE_INT64:
      return static_cast<T>(field.default_value_int64());
    case Descriptor::CPPTYPE_UINT32:
      return static_cast<T>(field.default_value_uint32());
    case Descriptor::CPPTYPE_UINT64:
      return static_cast<T>(field.default_value_uint64());
    case Descriptor::CPPTYPE_BOOL:
      return static_cast<T>(field.default_value_bool());
    case Descriptor::CPPTYPE_ENUM:
      return static_cast<T>(field.default_value_enum()->number());
    default:
      return T();
  }
}

// The values of one message, then defaults up to `width`.
void WriteValues(const Descriptor& field, std::vector<WireValue> values, int64_t at, int64_t width,
                 Tensor* out) {
  if (out->dtype() == DType::kString) {
    std::string* to = out->data<std::string>() + at;
    for (WireValue& value : values) *to++ = std::move(value.bytes);
    const std::string missing =
        field.cpp_type() == Descriptor::CPPTYPE_STRING ? field.default_value_string() : "";
    std::fill(to, out->data<std::string>() + at + width, missing);
    return;
  }
  using Types = TypeList<float, double, int32_t, int64_t, uint32_t, uint64_t, bool>;
  (void)DispatchTypes(Types{}, out->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = out->data<T>() + at;
    for (const WireValue& value : values) *to++ = FromBits<T>(field, value.bits);
    std::fill(to, out->data<T>() + at + width, DefaultOf<T>(field));
    return OkStatus();
  });
}

class DecodeProtoKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<DecodeProtoKernel>();
    WB_ASSIGN_OR_RETURN(const std::string source, init.attr<std::string>("descriptor_source"));
    WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("message_type"));
    WB_ASSIGN_OR_RETURN(kernel->type_, MessageType::Find(source, name));
    WB_ASSIGN_OR_RETURN(const auto names, init.attr<std::vector<std::string>>("field_names"));
    WB_ASSIGN_OR_RETURN(const auto types, init.attr<std::vector<DType>>("output_types"));
    if (names.size() != types.size()) {
      return InvalidArgument("field_names and output_types attributes must have the same length");
    }
    for (size_t i = 0; i < names.size(); ++i) {
      WB_ASSIGN_OR_RETURN(const Descriptor* field, kernel->type_->Field(names[i]));
      if (!CanHold(types[i], *field)) {
        return InvalidArgument("Unexpected output type for ", field->full_name(), ": ",
                               field->type_name(), " to ", DTypeName(types[i]));
      }
      kernel->fields_.push_back(field);
    }
    WB_ASSIGN_OR_RETURN(const std::string format, init.attr<std::string>("message_format"));
    if (format != "binary" && format != "text") {
      return InvalidArgument("format must be one of binary or text, not '", format, "'");
    }
    kernel->is_text_ = format == "text";
    WB_ASSIGN_OR_RETURN(kernel->sanitizes_, init.attr<bool>("sanitize"));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& messages = ctx.input(0);
    const int64_t count = messages.num_elements();
    if (count < 1) return InvalidArgument("Bufs argument must contain at least one value");
    std::vector<int64_t> dims(messages.shape().dims().begin(), messages.shape().dims().end());
    dims.push_back(static_cast<int64_t>(fields_.size()));
    WB_ASSIGN_OR_RETURN(const Shape sizes_shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * sizes, ctx.Allocate(0, sizes_shape));
    // By message, then by field.
    std::vector<std::vector<WireValue>> values;
    for (const std::string& message : messages.flat<std::string>()) {
      WB_RETURN_IF_ERROR(ReadMessage(message, &values));
    }
    const auto n = static_cast<int64_t>(fields_.size());
    for (int64_t i = 0; i < n * count; ++i) {
      sizes->data<int32_t>()[i] = static_cast<int32_t>(values[i].size());
    }
    for (int64_t f = 0; f < n; ++f) {
      // There is room for one default at least.
      int64_t width = 1;
      for (int64_t m = 0; m < count; ++m) {
        width = std::max(width, static_cast<int64_t>(values[m * n + f].size()));
      }
      dims.back() = width;
      WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
      WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(static_cast<int>(f) + 1, shape));
      for (int64_t m = 0; m < count; ++m) {
        WriteValues(*fields_[f], std::move(values[m * n + f]), m * width, width, out);
      }
    }
    return OkStatus();
  }

 private:
  Status ReadMessage(const std::string& message,
                     std::vector<std::vector<WireValue>>* values) const {
    std::string copy;
    if (is_text_ || sanitizes_) {
      WB_ASSIGN_OR_RETURN(copy, type_->Reserialized(message, is_text_));
    }
    pb::UnknownFieldSet fields;
    if (!fields.ParseFromString(is_text_ || sanitizes_ ? copy : message)) {
      return DataLoss("a message is malformed: its ", message.size(),
                      " bytes are not those of protobuf fields");
    }
    for (const Descriptor* field : fields_) {
      WB_ASSIGN_OR_RETURN(std::vector<WireValue> read, ReadField(*field, fields));
      values->push_back(std::move(read));
    }
    return OkStatus();
  }

  std::shared_ptr<const MessageType> type_;
  std::vector<const Descriptor*> fields_;
  bool is_text_ = false, sanitizes_ = false;
};

Status DecodeShape(ShapeContext& c) {
  const PartialShape& messages = c.input(0);
  if (!messages.has_rank()) return OkStatus();
  std::vector<int64_t> dims = messages.dims();
  dims.push_back(c.num_outputs() - 1);
  c.set_output(0, PartialShape(dims));
  dims.back() = -1;
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(dims));
  return OkStatus();
}

WB_OP("DecodeProtoV2")
    .Input("bytes: string")
    .Output("sizes: int32")
    .Output("values: output_types")
    .Attr("message_type: string")
    .Attr("field_names: list(string)")
    .Attr("output_types: list(type) >= 0")
    .Attr("descriptor_source: string = 'local://'")
    .Attr("message_format: string = 'binary'")
    .Attr("sanitize: bool = false")
    .Needs(Capability::kReadFile)
    .Shape(DecodeShape);
WB_KERNEL("DecodeProtoV2", DecodeProtoKernel).Cpu();
WB_NO_GRADIENT("DecodeProtoV2");

}  // namespace
}  // namespace warpbeam
