#include "tests/fuzz/message_mutator.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/graph.pb.h"
#include "proto/tensor.pb.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/graph_mutator.h"
#include "tests/fuzz/tensor_mutator.h"

namespace warpbeam {
namespace fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using CppType = google::protobuf::FieldDescriptor::CppType;

constexpr size_t kLongestString = 4096;
constexpr size_t kMostPlaces = 4000;

// What a change can be made to: a field of a message, or a message as a whole.
struct Place {
  Message* message;
  const FieldDescriptor* field;  // null: the message, which is a graph or a tensor
};

std::string KeyText(const Message& entry) {
  const FieldDescriptor* const key = entry.GetDescriptor()->FindFieldByNumber(1);
  const Reflection& reflection = *entry.GetReflection();
  if (key->cpp_type() == CppType::CPPTYPE_STRING) return reflection.GetString(entry, key);
  if (key->cpp_type() == CppType::CPPTYPE_INT32) {
    return absl::StrCat(reflection.GetInt32(entry, key));
  }
  return key->cpp_type() == CppType::CPPTYPE_INT64 ? absl::StrCat(reflection.GetInt64(entry, key))
                                                   : "";
}

// The messages in a field, in an order of their own.
std::vector<Message*> MessagesIn(Message* message, const FieldDescriptor* field) {
  const Reflection& reflection = *message->GetReflection();
  if (!field->is_repeated()) return {reflection.MutableMessage(message, field)};
  std::vector<Message*> all;
  for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
    all.push_back(reflection.MutableRepeatedMessage(message, field, i));
  }
  if (field->is_map()) {
    std::sort(all.begin(), all.end(),
              [](const Message* a, const Message* b) { return KeyText(*a) < KeyText(*b); });
  }
  return all;
}

void AddPlaces(Message* message, std::vector<Place>* places) {
  if (places->size() > kMostPlaces) return;
  const std::string& type = message->GetDescriptor()->full_name();
  if (type == "tensorflow.GraphDef" || type == "tensorflow.TensorProto") {
    // As often as several fields: most of a message is in them.
    for (int i = 0; i < 8; ++i) places->push_back({message, nullptr});
    return;
  }
  std::vector<const FieldDescriptor*> set;
  message->GetReflection()->ListFields(*message, &set);
  for (const FieldDescriptor* field : set) {
    if (!field->is_map()) places->push_back({message, field});
    if (field->cpp_type() != CppType::CPPTYPE_MESSAGE) continue;
    for (Message* inner : MessagesIn(message, field)) AddPlaces(inner, places);
  }
}

std::string MutatedString(RandomSource& random, std::string value) {
  static constexpr const char* kWords[] = {
      "", "/", "..", ":0", "^x", "x:1", "a b", "\n", "%s%n", "日本語", "#0", "x:2147483648", ":-1"};
  if (random.OneIn(2)) return random.Pick(kWords);
  if (random.OneIn(8)) return std::string(random.Below(100'000), 'n');
  MutateBytes(random, kLongestString, &value);
  return value;
}

int64_t MutatedInt(RandomSource& random, int64_t value) {
  if (random.OneIn(2)) return random.EdgeInt();
  return static_cast<int64_t>(static_cast<uint64_t>(value) + (random.OneIn(2) ? 1 : ~uint64_t{0}));
}

double MutatedDouble(RandomSource& random) {
  using Limits = std::numeric_limits<double>;
  const double edges[] = {
      0, -0.0, 1, -1, 0.5, 1e38, Limits::max(), Limits::infinity(), Limits::quiet_NaN()};
  return random.Pick(edges);
}

// Sets or adds a value of a field that holds no messages.
class ValueSetter {
 public:
  ValueSetter(RandomSource& random, const Place& place)
      : random_(random),
        message_(*place.message),
        field_(place.field),
        reflection_(*place.message->GetReflection()) {}

  void Set() {
    switch (field_->cpp_type()) {
      case CppType::CPPTYPE_INT32:
        return reflection_.SetInt32(
            &message_, field_,
            static_cast<int32_t>(MutatedInt(random_, reflection_.GetInt32(message_, field_))));
      case CppType::CPPTYPE_INT64:
        return reflection_.SetInt64(&message_, field_,
                                    MutatedInt(random_, reflection_.GetInt64(message_, field_)));
      case CppType::CPPTYPE_UINT32:
        return reflection_.SetUInt32(&message_, field_, static_cast<uint32_t>(random_.EdgeInt()));
      case CppType::CPPTYPE_UINT64:
        return reflection_.SetUInt64(&message_, field_, static_cast<uint64_t>(random_.EdgeInt()));
      case CppType::CPPTYPE_FLOAT:
        return reflection_.SetFloat(&message_, field_, static_cast<float>(MutatedDouble(random_)));
      case CppType::CPPTYPE_DOUBLE:
        return reflection_.SetDouble(&message_, field_, MutatedDouble(random_));
      case CppType::CPPTYPE_BOOL:
        return reflection_.SetBool(&message_, field_, !reflection_.GetBool(message_, field_));
      case CppType::CPPTYPE_ENUM:
        return reflection_.SetEnumValue(&message_, field_, AnyEnum());
      case CppType::CPPTYPE_STRING:
        return reflection_.SetString(
            &message_, field_, MutatedString(random_, reflection_.GetString(message_, field_)));
      case CppType::CPPTYPE_MESSAGE:
        return reflection_.ClearField(&message_, field_);
    }
  }
  void SetElement(int i) {
    switch (field_->cpp_type()) {
      case CppType::CPPTYPE_INT32:
        return reflection_.SetRepeatedInt32(&message_, field_, i,
                                            static_cast<int32_t>(random_.EdgeInt()));
      case CppType::CPPTYPE_INT64:
        return reflection_.SetRepeatedInt64(&message_, field_, i, random_.EdgeInt());
      case CppType::CPPTYPE_ENUM:
        return reflection_.SetRepeatedEnumValue(&message_, field_, i, AnyEnum());
      case CppType::CPPTYPE_STRING:
        return reflection_.SetRepeatedString(
            &message_, field_, i,
            MutatedString(random_, reflection_.GetRepeatedString(message_, field_, i)));
      default:
        return reflection_.RemoveLast(&message_, field_);
    }
  }
  void AddCopy(int i) {
    if (field_->cpp_type() == CppType::CPPTYPE_MESSAGE) {
      Message* const added = reflection_.AddMessage(&message_, field_);
      added->CopyFrom(reflection_.GetRepeatedMessage(message_, field_, i));
    } else if (field_->cpp_type() == CppType::CPPTYPE_STRING) {
      const std::string copied = reflection_.GetRepeatedString(message_, field_, i);
      reflection_.AddString(&message_, field_, copied);
    } else {
      SetElement(i);
    }
  }
  void ChangeList() {
    const int size = reflection_.FieldSize(message_, field_);
    const int i = random_.IntBelow(size);
    switch (random_.Below(4)) {
      case 0:
        return reflection_.RemoveLast(&message_, field_);
      case 1:
        return reflection_.SwapElements(&message_, field_, i, random_.IntBelow(size));
      case 2:
        return AddCopy(i);
      default:
        return SetElement(i);
    }
  }

 private:
  int AnyEnum() {
    if (random_.OneIn(4)) return static_cast<int>(random_.EdgeInt());
    return field_->enum_type()
        ->value(random_.IntBelow(field_->enum_type()->value_count()))
        ->number();
  }

  RandomSource& random_;
  Message& message_;
  const FieldDescriptor* const field_;
  const Reflection& reflection_;
};

// A field that is not there gets a value.
void SetMissing(RandomSource& random, Message* message) {
  const auto& descriptor = *message->GetDescriptor();
  if (descriptor.field_count() == 0) return;
  const FieldDescriptor* const field = descriptor.field(random.IntBelow(descriptor.field_count()));
  if (field->is_map()) return;
  const Reflection& reflection = *message->GetReflection();
  if (!field->is_repeated() && field->cpp_type() != CppType::CPPTYPE_MESSAGE) {
    ValueSetter(random, {message, field}).Set();
  } else if (field->cpp_type() == CppType::CPPTYPE_MESSAGE) {
    SetMissing(random, field->is_repeated() ? reflection.AddMessage(message, field)
                                            : reflection.MutableMessage(message, field));
  } else if (field->cpp_type() == CppType::CPPTYPE_STRING) {
    reflection.AddString(message, field, MutatedString(random, "x"));
  }
}

}  // namespace

void MutateMessage(RandomSource& random, Message* message) {
  std::vector<Place> places;
  AddPlaces(message, &places);
  if (places.empty()) return SetMissing(random, message);
  const Place place = random.Pick(places);
  if (place.field == nullptr) {
    if (auto* graph = dynamic_cast<tensorflow::GraphDef*>(place.message); graph != nullptr) {
      return MutateGraph(random, graph);
    }
    return MutateTensor(random, dynamic_cast<tensorflow::TensorProto*>(place.message));
  }
  if (random.OneIn(6)) return SetMissing(random, place.message);
  ValueSetter setter(random, place);
  place.field->is_repeated() ? setter.ChangeList() : setter.Set();
}

}  // namespace fuzz
}  // namespace warpbeam
