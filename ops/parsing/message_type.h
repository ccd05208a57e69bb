// MessageType: a protobuf message type that a graph names, from a descriptor source: "local://" for
// those that this program is built with, a file or "bytes://" with a FileDescriptorSet for others.
//
//   WB_ASSIGN_OR_RETURN(auto type, MessageType::Find(source, "my.Message"));
//   WB_ASSIGN_OR_RETURN(auto* field, type->Field("name"));
//
// Ownership: holds the descriptors; fields live as long as it does. Thread safety: const access
// from many threads. Errors: INVALID_ARGUMENT for sources that hold no descriptors and for names
// that are not there.
#ifndef WARPBEAM_OPS_PARSING_MESSAGE_TYPE_H_
#define WARPBEAM_OPS_PARSING_MESSAGE_TYPE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <memory>
#include <string>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"

namespace warpbeam {

class MessageType {
 public:
  using FieldDescriptor = google::protobuf::FieldDescriptor;

  static StatusOr<std::shared_ptr<const MessageType>> Find(const std::string& source,
                                                           const std::string& name);

  // A field by its name, or an extension by its full name.
  StatusOr<const FieldDescriptor*> Field(const std::string& name) const;

  // A message in binary or text form as bytes that protobuf itself has written. DATA_LOSS when it
  // is malformed.
  StatusOr<std::string> Reserialized(const std::string& message, bool is_text) const;

 private:
  std::unique_ptr<google::protobuf::DescriptorPool> owned_;
  const google::protobuf::DescriptorPool* pool_ = nullptr;
  const google::protobuf::Descriptor* descriptor_ = nullptr;
  std::unique_ptr<google::protobuf::DynamicMessageFactory> factory_;
  const google::protobuf::Message* prototype_ = nullptr;
};

// Whether a tensor of this dtype can hold values of the field.
bool CanHold(DType dtype, const google::protobuf::FieldDescriptor& field);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_PARSING_MESSAGE_TYPE_H_
