// EncodeProto: protobuf messages whose fields have the values of tensors.
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/parsing/message_type.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

namespace pb = google::protobuf;
using pb::internal::WireFormatLite;
using Descriptor = pb::FieldDescriptor;
using Output = pb::io::CodedOutputStream;

template <class T>
uint32_t FloatBits(T value) {
  const auto narrow = static_cast<float>(value);
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof(bits));
  return bits;
}

// A number without its tag.
template <class T>
void WriteNumber(const Descriptor& field, T value, Output* out) {
  switch (field.type()) {
    case Descriptor::TYPE_DOUBLE: {
      const auto wide = static_cast<double>(value);
      uint64_t bits;
      memcpy(&bits, &wide, sizeof(bits));
      return out->WriteLittleEndian64(bits);
    }
    case Descriptor::TYPE_FLOAT:
      return out->WriteLittleEndian32(FloatBits(value));
    case Descriptor::TYPE_FIXED32:
    case Descriptor::TYPE_SFIXED32:
      return out->WriteLittleEndian32(static_cast<uint32_t>(value));
    case Descriptor::TYPE_FIXED64:
    case Descriptor::TYPE_SFIXED64:
      return out->WriteLittleEndian64(static_cast<uint64_t>(value));
    case Descriptor::TYPE_INT32:
    case Descriptor::TYPE_ENUM:
      return out->WriteVarint32SignExtended(static_cast<int32_t>(value));
    case Descriptor::TYPE_UINT32:
      return out->WriteVarint32(static_cast<uint32_t>(value));
    case Descriptor::TYPE_SINT32:
      return out->WriteVarint32(WireFormatLite::ZigZagEncode32(static_cast<int32_t>(value)));
    case Descriptor::TYPE_SINT64:
      return out->WriteVarint64(WireFormatLite::ZigZagEncode64(static_cast<int64_t>(value)));
    default:
      return out->WriteVarint64(static_cast<uint64_t>(value));
  }
}

// As TensorFlow decides: by what the file says in so many words. This program's own files leave to
// proto3 what TensorFlow's say.
bool IsPacked(const Descriptor& field) {
  const bool is_own = field.file()->pool() == pb::DescriptorPool::generated_pool();
  return is_own ? field.is_packed() : field.options().packed();
}

template <class T>
void WriteNumbers(const Descriptor& field, const T* values, int64_t count, Output* out) {
  if (IsPacked(field)) {
    std::string list;
    {
      pb::io::StringOutputStream stream(&list);
      Output numbers(&stream);
      for (int64_t i = 0; i < count; ++i) WriteNumber(field, values[i], &numbers);
    }
    WireFormatLite::WriteBytes(field.number(), list, out);
    return;
  }
  const auto type =
      WireFormatLite::WireTypeForFieldType(static_cast<WireFormatLite::FieldType>(field.type()));
  for (int64_t i = 0; i < count; ++i) {
    WireFormatLite::WriteTag(field.number(), type, out);
    WriteNumber(field, values[i], out);
  }
}

void WriteTexts(const Descriptor& field, const std::string* values, int64_t count, Output* out) {
  for (int64_t i = 0; i < count; ++i) {
    if (field.type() != Descriptor::TYPE_GROUP) {
      WireFormatLite::WriteBytes(field.number(), values[i], out);
      continue;
    }
    WireFormatLite::WriteTag(field.number(), WireFormatLite::WIRETYPE_START_GROUP, out);
    out->WriteString(values[i]);
    WireFormatLite::WriteTag(field.number(), WireFormatLite::WIRETYPE_END_GROUP, out);
  }
}

void WriteField(const Descriptor& field, const Tensor& values, int64_t at, int64_t count,
                Output* out) {
  if (values.dtype() == DType::kString) {
    return WriteTexts(field, values.data<std::string>() + at, count, out);
  }
  using Types = TypeList<float, double, int32_t, int64_t, uint32_t, uint64_t, bool>;
  (void)DispatchTypes(Types{}, values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    WriteNumbers(field, values.data<T>() + at, count, out);
    return OkStatus();
  });
}

class EncodeProtoKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<EncodeProtoKernel>();
    WB_ASSIGN_OR_RETURN(const std::string source, init.attr<std::string>("descriptor_source"));
    WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("message_type"));
    WB_ASSIGN_OR_RETURN(kernel->type_, MessageType::Find(source, name));
    WB_ASSIGN_OR_RETURN(const auto names, init.attr<std::vector<std::string>>("field_names"));
    for (const std::string& field_name : names) {
      WB_ASSIGN_OR_RETURN(const Descriptor* field, kernel->type_->Field(field_name));
      kernel->fields_.push_back(field);
    }
    kernel->order_.resize(names.size());
    std::iota(kernel->order_.begin(), kernel->order_.end(), size_t{0});
    std::stable_sort(kernel->order_.begin(), kernel->order_.end(), [&kernel](size_t a, size_t b) {
      return kernel->fields_[a]->number() < kernel->fields_[b]->number();
    });
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(CheckValues(ctx));
    const Tensor& sizes = ctx.input(0);
    const int rank = sizes.rank() - 1;
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(sizes.shape().dims().subspan(0, rank)));
    const auto n = static_cast<int64_t>(fields_.size());
    for (int64_t i = 0; i < sizes.num_elements(); ++i) {
      const int32_t size = sizes.data<int32_t>()[i];
      const int64_t room = ctx.input(1 + static_cast<int>(i % n)).dim(rank);
      if (size < 0) {
        return InvalidArgument("Size to write must not be negative; but saw: ", size);
      }
      if (size > room) {
        return InvalidArgument("Size to write must not be larger than value tensor; but saw: ",
                               size, " > ", room, " at message ", i / n, " field ", i % n);
      }
    }
    WB_ASSIGN_OR_RETURN(Tensor * messages, ctx.Allocate(0, shape));
    for (int64_t m = 0; m < shape.num_elements(); ++m) {
      std::string& message = messages->data<std::string>()[m];
      message.clear();
      pb::io::StringOutputStream stream(&message);
      Output out(&stream);
      for (const size_t f : order_) {
        const Tensor& values = ctx.input(1 + static_cast<int>(f));
        const int32_t size = sizes.data<int32_t>()[m * n + static_cast<int64_t>(f)];
        if (size > 0) WriteField(*fields_[f], values, m * values.dim(rank), size, &out);
      }
    }
    return OkStatus();
  }

 private:
  Status CheckValues(const KernelContext& ctx) const {
    if (static_cast<size_t>(ctx.num_inputs() - 1) != fields_.size()) {
      return InvalidArgument("Length of inputs list must match field_names: there are ",
                             ctx.num_inputs() - 1, " and ", fields_.size());
    }
    const auto batch_of = [](const Tensor& t) {
      return t.shape().dims().subspan(0, t.shape().dims().size() - 1);
    };
    const Tensor& first = ctx.input(1);
    for (size_t f = 0; f < fields_.size(); ++f) {
      const Tensor& values = ctx.input(1 + static_cast<int>(f));
      if (!CanHold(values.dtype(), *fields_[f])) {
        return InvalidArgument("Incompatible type for field ", fields_[f]->name(),
                               ".  Saw dtype: ", DTypeName(values.dtype()),
                               " but field type is: ", fields_[f]->type_name());
      }
      if (values.rank() < 2) {
        return InvalidArgument("Invalid shape for field ", fields_[f]->name(), ".  Saw shape ",
                               values.shape().ToString(), " but it should be at least a matrix.");
      }
      if (batch_of(values) != batch_of(first)) {
        return InvalidArgument("Values must match up to the last dimension, but are of shapes ",
                               first.shape().ToString(), " and ", values.shape().ToString());
      }
    }
    WB_ASSIGN_OR_RETURN(const Shape wanted,
                        first.shape().WithDim(first.rank() - 1, ctx.num_inputs() - 1));
    if (ctx.input(0).shape() != wanted) {
      return InvalidArgument("sizes should be batch_size + [len(field_names)].  Saw: ",
                             ctx.input(0).shape().ToString(), " but expected: ", wanted.ToString());
    }
    return OkStatus();
  }

  std::shared_ptr<const MessageType> type_;
  std::vector<const Descriptor*> fields_;
  std::vector<size_t> order_;  // by number, as protobuf writes them
};

Status EncodeShape(ShapeContext& c) {
  const PartialShape& sizes = c.input(0);
  if (!sizes.has_rank() || sizes.rank() < 1) return OkStatus();
  c.set_output(0, PartialShape(std::vector<int64_t>(sizes.dims().begin(), sizes.dims().end() - 1)));
  return OkStatus();
}

WB_OP("EncodeProto")
    .Input("sizes: int32")
    .Input("values: Tinput_types")
    .Output("bytes: string")
    .Attr("field_names: list(string)")
    .Attr("message_type: string")
    .Attr("descriptor_source: string = 'local://'")
    .Attr("Tinput_types: list(type) >= 1")
    .Needs(Capability::kReadFile)
    .Shape(EncodeShape);
WB_KERNEL("EncodeProto", EncodeProtoKernel).Cpu();
WB_NO_GRADIENT("EncodeProto");

}  // namespace
}  // namespace warpbeam
