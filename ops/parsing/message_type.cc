#include "ops/parsing/message_type.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

namespace pb = google::protobuf;

// What protobuf would print otherwise.
class FirstError final : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const pb::Message*,
                ErrorLocation, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(file, ": ", element, ": ", message);
  }
  std::string text;
};

class NoErrors final : public pb::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

StatusOr<std::unique_ptr<pb::DescriptorPool>> MakePool(const std::string& source) {
  constexpr absl::string_view kBytes = "bytes://";
  std::string bytes(absl::StripPrefix(source, kBytes));
  const bool is_file = !absl::StartsWith(source, kBytes);
  if (is_file) {
    WB_ASSIGN_OR_RETURN(bytes, ReadFileToString(source));
  }
  pb::FileDescriptorSet set;
  if (!set.ParseFromString(bytes)) {
    return InvalidArgument("Source does not represent serialized file descriptor set proto: ",
                           is_file ? source : "bytes://…");
  }
  auto pool = std::make_unique<pb::DescriptorPool>();
  FirstError error;
  for (const pb::FileDescriptorProto& file : set.file()) {
    if (pool->BuildFileCollectingErrors(file, &error) == nullptr) {
      return InvalidArgument("Failed to load FileDescriptorProto: ", error.text);
    }
  }
  return pool;
}

}  // namespace

StatusOr<std::shared_ptr<const MessageType>> MessageType::Find(const std::string& source,
                                                               const std::string& name) {
  auto type = std::make_shared<MessageType>();
  if (source == "local://") {
    type->pool_ = pb::DescriptorPool::generated_pool();
  } else {
    WB_ASSIGN_OR_RETURN(type->owned_, MakePool(source));
    type->pool_ = type->owned_.get();
  }
  type->descriptor_ = type->pool_->FindMessageTypeByName(name);
  if (type->descriptor_ == nullptr) {
    return InvalidArgument("No descriptor found for message type ", name);
  }
  type->factory_ = std::make_unique<pb::DynamicMessageFactory>();
  type->prototype_ = type->factory_->GetPrototype(type->descriptor_);
  return type;
}

StatusOr<const MessageType::FieldDescriptor*> MessageType::Field(const std::string& name) const {
  const FieldDescriptor* field = descriptor_->FindFieldByName(name);
  if (field != nullptr) return field;
  std::vector<const FieldDescriptor*> extensions;
  pool_->FindAllExtensions(descriptor_, &extensions);
  for (const FieldDescriptor* extension : extensions) {
    if (extension->full_name() == name) return extension;
  }
  return InvalidArgument("Unknown field: ", name, " in message type ", descriptor_->full_name());
}

StatusOr<std::string> MessageType::Reserialized(const std::string& message, bool is_text) const {
  const std::unique_ptr<pb::Message> parsed(prototype_->New());
  NoErrors ignored;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&ignored);
  const bool is_good =
      is_text ? parser.ParseFromString(message, parsed.get()) : parsed->ParseFromString(message);
  std::string bytes;
  if (is_good && parsed->SerializeToString(&bytes)) return bytes;
  return DataLoss("Unable to parse ", is_text ? "text" : "binary", " protobuf");
}

bool CanHold(DType dtype, const google::protobuf::FieldDescriptor& field) {
  switch (field.type()) {
    case pb::FieldDescriptor::TYPE_DOUBLE:
      return dtype == DType::kDouble;
    case pb::FieldDescriptor::TYPE_FLOAT:
      return dtype == DType::kFloat || dtype == DType::kDouble;
    case pb::FieldDescriptor::TYPE_INT64:
    case pb::FieldDescriptor::TYPE_SFIXED64:
    case pb::FieldDescriptor::TYPE_SINT64:
      return dtype == DType::kInt64;
    case pb::FieldDescriptor::TYPE_UINT64:
    case pb::FieldDescriptor::TYPE_FIXED64:
      return dtype == DType::kUInt64;
    case pb::FieldDescriptor::TYPE_INT32:
    case pb::FieldDescriptor::TYPE_SFIXED32:
    case pb::FieldDescriptor::TYPE_SINT32:
      return dtype == DType::kInt32 || dtype == DType::kInt64;
    case pb::FieldDescriptor::TYPE_UINT32:
    case pb::FieldDescriptor::TYPE_FIXED32:
      return dtype == DType::kUInt32 || dtype == DType::kUInt64;
    case pb::FieldDescriptor::TYPE_BOOL:
      return dtype == DType::kBool;
    case pb::FieldDescriptor::TYPE_ENUM:
      return dtype == DType::kInt32;
    case pb::FieldDescriptor::TYPE_STRING:
    case pb::FieldDescriptor::TYPE_BYTES:
    case pb::FieldDescriptor::TYPE_MESSAGE:
    case pb::FieldDescriptor::TYPE_GROUP:
      return dtype == DType::kString;
  }
  return false;
}

}  // namespace warpbeam
