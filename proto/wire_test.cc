// Reads bytes that TensorFlow wrote (testdata/README.md) and writes them again.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "google/protobuf/any.pb.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/unknown_field_set.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "proto/checkpoint_state.pb.h"
#include "proto/config.pb.h"
#include "proto/control_flow.pb.h"
#include "proto/event.pb.h"
#include "proto/example.pb.h"
#include "proto/master.pb.h"
#include "proto/queue_runner.pb.h"
#include "proto/saved_model.pb.h"
#include "proto/saved_tensor_slice.pb.h"
#include "proto/tensor_bundle.pb.h"
#include "proto/worker.pb.h"

namespace warpbeam {
namespace {

namespace pb = google::protobuf;

std::string ReadTestData(const std::string& name) {
  std::ifstream in("proto/testdata/" + name, std::ios::binary);
  EXPECT_TRUE(in) << "cannot read proto/testdata/" << name;
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

// Serializes with map entries in the order of their keys.
std::string Canonical(const pb::Message& message) {
  std::string bytes;
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    EXPECT_TRUE(message.SerializeToCodedStream(&coded));
  }
  return bytes;
}

// Lists the fields our texts do not know, by path.
void CollectUnknownFields(const pb::Message& message, const std::string& path,
                          std::vector<std::string>* unknown) {
  const pb::Reflection& reflection = *message.GetReflection();
  const pb::UnknownFieldSet& set = reflection.GetUnknownFields(message);
  for (int i = 0; i < set.field_count(); ++i) {
    unknown->push_back(path + "." + std::to_string(set.field(i).number()));
  }
  std::vector<const pb::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const std::string inner = path + "." + field->name();
    if (field->is_repeated()) {
      for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        CollectUnknownFields(reflection.GetRepeatedMessage(message, field, i), inner, unknown);
      }
    } else {
      CollectUnknownFields(reflection.GetMessage(message, field), inner, unknown);
    }
  }
}

std::vector<std::string> UnknownFields(const pb::Message& message) {
  std::vector<std::string> unknown;
  CollectUnknownFields(message, message.GetDescriptor()->name(), &unknown);
  return unknown;
}

std::string Sorted(std::string bytes) {
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

// Parses `bytes`, expecting that all of it is known and comes back. With `any_order` it may do so
// in another order: maps have none by default, and some responses are written by hand.
void ExpectRoundTrip(const std::string& bytes, bool any_order, pb::Message* message) {
  SCOPED_TRACE(message->GetDescriptor()->full_name());
  ASSERT_TRUE(message->ParseFromString(bytes));
  EXPECT_EQ(UnknownFields(*message), std::vector<std::string>());
  const std::string again = Canonical(*message);
  if (any_order) {
    EXPECT_EQ(Sorted(again), Sorted(bytes));
    std::unique_ptr<pb::Message> copy(message->New());
    ASSERT_TRUE(copy->ParseFromString(again));
    EXPECT_EQ(Canonical(*copy), again);
  } else {
    EXPECT_TRUE(again == bytes) << "other bytes came back:\n" << message->ShortDebugString();
  }
}

template <class T>
T ReadMessage(const std::string& name) {
  T message;
  ExpectRoundTrip(ReadTestData(name), /*any_order=*/true, &message);
  return message;
}

std::unique_ptr<pb::Message> NewMessageOf(const pb::Any& any) {
  const std::string name = any.type_url().substr(any.type_url().rfind('/') + 1);
  const pb::Descriptor* type = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
  EXPECT_NE(type, nullptr) << name;
  if (type == nullptr) return nullptr;
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Every file the roots below import, themselves included: all of proto/ but the services.
std::set<const pb::FileDescriptor*> OurFiles() {
  std::vector<const pb::FileDescriptor*> todo = {
      tensorflow::SavedModel::descriptor()->file(),
      tensorflow::RunStepRequest::descriptor()->file(),
      tensorflow::RunGraphRequest::descriptor()->file(),
      tensorflow::Event::descriptor()->file(),
      tensorflow::Example::descriptor()->file(),
      tensorflow::BundleEntryProto::descriptor()->file(),
      tensorflow::SavedTensorSlices::descriptor()->file(),
      tensorflow::QueueRunnerDef::descriptor()->file(),
      tensorflow::CheckpointState::descriptor()->file(),
      tensorflow::WhileContextDef::descriptor()->file(),
  };
  std::set<const pb::FileDescriptor*> files;
  while (!todo.empty()) {
    const pb::FileDescriptor* file = todo.back();
    todo.pop_back();
    if (file->name().rfind("proto/", 0) != 0 || !files.insert(file).second) continue;
    for (int i = 0; i < file->dependency_count(); ++i) todo.push_back(file->dependency(i));
  }
  return files;
}

std::string Line(const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : "\t") + part;
  return line;
}

void AddEnumFacts(const pb::EnumDescriptor& type, std::set<std::string>* facts) {
  for (int i = 0; i < type.value_count(); ++i) {
    const pb::EnumValueDescriptor& value = *type.value(i);
    facts->insert(Line({"value", type.full_name(), value.name(), std::to_string(value.number())}));
  }
}

bool IsMapEntry(const pb::Descriptor& type) { return type.map_key() != nullptr; }

std::string LabelOf(const pb::FieldDescriptor& field) {
  if (field.is_repeated()) return "repeated";
  return field.is_required() ? "required" : "optional";
}

std::string TypeOf(const pb::FieldDescriptor& field) {
  if (field.message_type() != nullptr) return field.message_type()->full_name();
  if (field.enum_type() != nullptr) return field.enum_type()->full_name();
  return field.type_name();
}

// What Warpbeam's tasks say to each other besides, which TensorFlow's leave out and ignore: fields
// of these numbers, and messages that only such fields hold.
constexpr int kFirstOwnField = 1000;

bool IsOwn(const pb::Descriptor& type) {
  static const std::set<std::string> own = {"tensorflow.CollectiveExecution",
                                            "tensorflow.GroupMember", "tensorflow.LaneEndpoint"};
  return own.count(type.full_name()) > 0;
}

void AddMessageFacts(const pb::Descriptor& type, std::set<std::string>* facts) {
  if (IsOwn(type)) return;
  const std::string& name = type.full_name();
  facts->insert(Line({"message", name, IsMapEntry(type) ? "map_entry" : "-"}));
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& field = *type.field(i);
    if (field.number() >= kFirstOwnField) continue;
    const pb::OneofDescriptor* oneof = field.containing_oneof();
    EXPECT_FALSE(field.has_default_value()) << field.full_name();
    facts->insert(Line({"field", name, field.name(), std::to_string(field.number()), LabelOf(field),
                        TypeOf(field), oneof == nullptr ? "-" : oneof->name(),
                        field.is_packed() ? "packed" : "-", "-"}));
  }
  for (int i = 0; i < type.enum_type_count(); ++i) AddEnumFacts(*type.enum_type(i), facts);
  for (int i = 0; i < type.nested_type_count(); ++i) AddMessageFacts(*type.nested_type(i), facts);
}

std::set<std::string> OurFacts() {
  std::set<std::string> facts;
  for (const pb::FileDescriptor* file : OurFiles()) {
    for (int i = 0; i < file->enum_type_count(); ++i) AddEnumFacts(*file->enum_type(i), &facts);
    for (int i = 0; i < file->message_type_count(); ++i) {
      AddMessageFacts(*file->message_type(i), &facts);
    }
  }
  return facts;
}

TEST(DescriptorTest, EveryFieldAndEnumValueEqualsTensorFlows) {
  std::set<std::string> expected;
  std::istringstream lines(ReadTestData("tf_descriptors.tsv"));
  for (std::string line; std::getline(lines, line);) expected.insert(line);
  ASSERT_GT(expected.size(), 1000u);
  const std::set<std::string> ours = OurFacts();
  for (const std::string& fact : expected) EXPECT_EQ(ours.count(fact), 1u) << "missing: " << fact;
  for (const std::string& fact : ours) EXPECT_EQ(expected.count(fact), 1u) << "not there: " << fact;
}

TEST(DescriptorTest, EveryFileIsReached) {
  // A file nobody imports would escape the tests above and below.
  std::set<std::string> reached;
  for (const pb::FileDescriptor* file : OurFiles()) reached.insert(file->name());
  std::set<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator("proto")) {
    const std::string name = entry.path().generic_string();
    if (entry.path().extension() == ".proto" && name.find("_service") == std::string::npos) {
      present.insert(name);
    }
  }
  EXPECT_EQ(reached, present);
}

TEST(WireTest, MessagesWithEveryFieldSet) {
  tensorflow::CollectionDef::AnyList list;
  ASSERT_TRUE(list.ParseFromString(ReadTestData("filled.pb")));
  std::set<std::string> types;
  for (const pb::Any& any : list.value()) {
    std::unique_ptr<pb::Message> message = NewMessageOf(any);
    ASSERT_NE(message, nullptr);
    types.insert(message->GetDescriptor()->full_name());
    ExpectRoundTrip(any.value(), /*any_order=*/false, message.get());
    // Text form loses nothing either.
    std::string text;
    ASSERT_TRUE(pb::TextFormat::PrintToString(*message, &text));
    std::unique_ptr<pb::Message> copy(message->New());
    ASSERT_TRUE(pb::TextFormat::ParseFromString(text, copy.get())) << any.type_url();
    EXPECT_TRUE(pb::util::MessageDifferencer::Equals(*message, *copy)) << any.type_url();
  }
  for (const pb::FileDescriptor* file : OurFiles()) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      EXPECT_EQ(types.count(file->message_type(i)->full_name()),
                IsOwn(*file->message_type(i)) ? 0u : 1u)
          << file->message_type(i)->full_name();
    }
  }
}

TEST(WireTest, MessagesOfAClusterAtWork) {
  tensorflow::CollectionDef::AnyList list;
  ASSERT_TRUE(list.ParseFromString(ReadTestData("traffic.pb")));
  std::map<std::string, std::string> last;
  for (const pb::Any& any : list.value()) {
    std::unique_ptr<pb::Message> message = NewMessageOf(any);
    ASSERT_NE(message, nullptr);
    ExpectRoundTrip(any.value(), /*any_order=*/true, message.get());
    last[message->GetDescriptor()->name()] = any.value();
  }

  tensorflow::CreateSessionRequest create;
  ASSERT_TRUE(create.ParseFromString(last["CreateSessionRequest"]));
  EXPECT_TRUE(create.config().allow_soft_placement());
  EXPECT_EQ(create.config().device_count().at("CPU"), 1);

  tensorflow::ListDevicesResponse devices;
  ASSERT_TRUE(devices.ParseFromString(last["ListDevicesResponse"]));
  std::set<std::string> names;
  for (const auto& device : devices.local_device()) names.insert(device.name());
  for (const auto& device : devices.remote_device()) names.insert(device.name());
  EXPECT_EQ(names.count("/job:worker/replica:0/task:0/device:CPU:0"), 1u);
  EXPECT_EQ(names.count("/job:worker/replica:0/task:1/device:CPU:0"), 1u);

  tensorflow::RunStepResponse step;
  ASSERT_TRUE(step.ParseFromString(last["RunStepResponse"]));
  ASSERT_EQ(step.tensor_size(), 2);
  const tensorflow::NamedTensorProto& y = step.tensor(step.tensor(0).name() == "y:0" ? 0 : 1);
  EXPECT_EQ(y.name(), "y:0");
  EXPECT_EQ(y.tensor().dtype(), tensorflow::DT_FLOAT);
  ASSERT_EQ(y.tensor().tensor_content().size(), 3 * sizeof(float));
  float values[3];
  std::memcpy(values, y.tensor().tensor_content().data(), sizeof(values));
  EXPECT_EQ(std::vector<float>(values, values + 3), std::vector<float>({2, 4, 6}));
  EXPECT_GT(step.metadata().step_stats().dev_stats_size(), 0);

  tensorflow::RecvTensorRequest receive;
  ASSERT_TRUE(receive.ParseFromString(last["RecvTensorRequest"]));
  EXPECT_NE(receive.rendezvous_key().find("/job:worker/replica:0/task:"), std::string::npos);
  tensorflow::RecvTensorResponse received;
  ASSERT_TRUE(received.ParseFromString(last["RecvTensorResponse"]));
  EXPECT_EQ(received.tensor().tensor_shape().dim(0).size(), 3);
}

const tensorflow::NodeDef* FindNode(const tensorflow::GraphDef& graph, const std::string& name) {
  for (const tensorflow::NodeDef& node : graph.node()) {
    if (node.name() == name) return &node;
  }
  ADD_FAILURE() << "no node " << name;
  return nullptr;
}

TEST(WireTest, Graph) {
  const auto graph = ReadMessage<tensorflow::GraphDef>("graph.pb");
  EXPECT_EQ(graph.versions().min_consumer(), 12);
  EXPECT_GT(graph.versions().producer(), 2000);
  EXPECT_EQ(graph.library().function_size(), 3);

  const tensorflow::NodeDef* matmul = FindNode(graph, "layer/MatMul");
  ASSERT_NE(matmul, nullptr);
  EXPECT_EQ(matmul->op(), "MatMul");
  EXPECT_EQ(matmul->device(), "/job:localhost/task:0/device:GPU:1");
  ASSERT_EQ(matmul->input_size(), 2);
  EXPECT_EQ(matmul->input(0), "x");
  EXPECT_EQ(matmul->attr().at("T").type(), tensorflow::DT_FLOAT);
  EXPECT_EQ(matmul->attr().at("transpose_a").value_case(), tensorflow::AttrValue::kB);
  EXPECT_EQ(matmul->attr().at("transpose_a").b(), false);

  EXPECT_EQ(FindNode(graph, "done")->input(0), "^GradientDescent");
  const tensorflow::TensorProto& strings = FindNode(graph, "strings")->attr().at("value").tensor();
  EXPECT_EQ(strings.string_val(1), std::string("two\0", 4));
  const tensorflow::TensorProto& halves = FindNode(graph, "halves")->attr().at("value").tensor();
  EXPECT_EQ(halves.dtype(), tensorflow::DT_HALF);
  EXPECT_EQ(halves.tensor_content(), std::string("\x00\x3e\x00\xc0", 4));
}

TEST(WireTest, MetaGraph) {
  const auto meta = ReadMessage<tensorflow::MetaGraphDef>("meta_graph.pb");
  EXPECT_EQ(meta.meta_info_def().tensorflow_version().substr(0, 2), "2.");
  EXPECT_GT(meta.meta_info_def().stripped_op_list().op_size(), 20);
  EXPECT_EQ(meta.saver_def().max_to_keep(), 3);
  EXPECT_EQ(meta.saver_def().restore_op_name(), "save/restore_all");
  EXPECT_EQ(meta.saver_def().version(), tensorflow::SaverDef::V2);
  const tensorflow::NodeDef* matmul = FindNode(meta.graph_def(), "layer/MatMul");
  ASSERT_NE(matmul, nullptr);
  EXPECT_EQ(matmul->attr().at("_output_shapes").list().shape(0).dim(0).size(), -1);
  EXPECT_EQ(meta.collection_def().at("summaries").node_list().value(0), "loss_1:0");
  tensorflow::VariableDef variable;
  ASSERT_TRUE(variable.ParseFromString(
      meta.collection_def().at("trainable_variables").bytes_list().value(0)));
  EXPECT_EQ(variable.variable_name(), "w:0");
  EXPECT_EQ(variable.initializer_name(), "w/Assign");
  EXPECT_FALSE(variable.is_resource());
  EXPECT_TRUE(variable.trainable());
}

TEST(WireTest, SavedModels) {
  const auto v1 = ReadMessage<tensorflow::SavedModel>("saved_model_v1.pb");
  EXPECT_EQ(v1.saved_model_schema_version(), 1);
  ASSERT_EQ(v1.meta_graphs_size(), 2);
  EXPECT_EQ(v1.meta_graphs(1).meta_info_def().tags(0), "serve");
  const tensorflow::SignatureDef& predict = v1.meta_graphs(0).signature_def().at("predict");
  EXPECT_EQ(predict.method_name(), "tensorflow/serving/predict");
  EXPECT_EQ(predict.outputs().at("y").name(), "layer/y:0");
  EXPECT_EQ(predict.inputs().at("x").tensor_shape().dim(1).size(), 3);

  const auto v2 = ReadMessage<tensorflow::SavedModel>("saved_model_v2.pb");
  ASSERT_EQ(v2.meta_graphs_size(), 1);
  const tensorflow::SavedObjectGraph& objects = v2.meta_graphs(0).object_graph_def();
  ASSERT_GT(objects.nodes_size(), 1);
  EXPECT_EQ(objects.nodes(0).kind_case(), tensorflow::SavedObject::kUserObject);
  std::set<std::string> variables;
  for (const tensorflow::SavedObject& node : objects.nodes()) {
    if (node.has_variable()) variables.insert(node.variable().name());
  }
  EXPECT_EQ(variables.count("scale"), 1u);
}

TEST(WireTest, RunMetadata) {
  const auto metadata = ReadMessage<tensorflow::RunMetadata>("run_metadata.pb");
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  const tensorflow::DeviceStepStats& device = metadata.step_stats().dev_stats(0);
  EXPECT_EQ(device.device(), "/job:localhost/replica:0/task:0/device:CPU:0");
  ASSERT_GT(device.node_stats_size(), 10);
  for (const tensorflow::NodeExecStats& node : device.node_stats()) {
    EXPECT_GT(node.all_start_micros(), int64_t{1000000000} * 1000000) << node.node_name();
    EXPECT_EQ(node.all_start_nanos() / 1000, node.all_start_micros()) << node.node_name();
    EXPECT_LE(node.op_start_rel_nanos(), node.op_end_rel_nanos()) << node.node_name();
  }
  EXPECT_EQ(metadata.partition_graphs_size(), 1);
}

TEST(WireTest, EventFile) {
  const std::string file = ReadTestData("events.tfrecord");
  std::vector<tensorflow::Event> events;
  for (size_t at = 0; at < file.size();) {
    // Length, its checksum, the record, its checksum.
    uint64_t length = 0;
    ASSERT_LE(at + 12, file.size());
    std::memcpy(&length, &file[at], sizeof(length));
    ASSERT_LE(length, file.size() - at - 12);
    events.emplace_back();
    ExpectRoundTrip(file.substr(at + 12, length), /*any_order=*/true, &events.back());
    at += 16 + length;
  }
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_GT(events[0].wall_time(), 1e9);
  tensorflow::GraphDef graph;
  EXPECT_TRUE(graph.ParseFromString(events[1].graph_def()));
  EXPECT_NE(FindNode(graph, "layer/MatMul"), nullptr);
  ASSERT_EQ(events[3].what_case(), tensorflow::Event::kSummary);
  EXPECT_EQ(events[3].step(), 17);
  EXPECT_EQ(events[3].summary().value(0).tag(), "loss_1");
  EXPECT_GT(events[3].summary().value(0).simple_value(), 0);
  const tensorflow::HistogramProto& histogram = events[3].summary().value(1).histo();
  EXPECT_EQ(histogram.num(), 6);
  EXPECT_EQ(histogram.bucket_size(), histogram.bucket_limit_size());
  EXPECT_EQ(events[4].tagged_run_metadata().tag(), "step17");
  EXPECT_EQ(events[5].session_log().status(), tensorflow::SessionLog::START);
}

TEST(WireTest, Examples) {
  const auto example = ReadMessage<tensorflow::Example>("example.pb");
  const auto& feature = example.features().feature();
  EXPECT_EQ(feature.at("image").bytes_list().value(0), std::string("\x00\xff\x80", 3));
  EXPECT_EQ(feature.at("image").bytes_list().value(1), "");
  EXPECT_EQ(feature.at("label").int64_list().value(1), -1);
  EXPECT_EQ(feature.at("weight").float_list().value(0), 0.5f);
  EXPECT_EQ(feature.at("absent").kind_case(), tensorflow::Feature::KIND_NOT_SET);

  const auto sequence = ReadMessage<tensorflow::SequenceExample>("sequence_example.pb");
  EXPECT_EQ(sequence.feature_lists().feature_list().at("frames").feature_size(), 2);
}

TEST(WireTest, CheckpointIndex) {
  const auto header = ReadMessage<tensorflow::BundleHeaderProto>("bundle_header.pb");
  EXPECT_EQ(header.num_shards(), 1);
  EXPECT_EQ(header.endianness(), tensorflow::BundleHeaderProto::LITTLE);
  EXPECT_EQ(header.version().producer(), 1);
  const auto entry = ReadMessage<tensorflow::BundleEntryProto>("bundle_entry.pb");
  EXPECT_EQ(entry.dtype(), tensorflow::DT_FLOAT);
  EXPECT_EQ(entry.shape().dim(0).size(), 3);
  EXPECT_EQ(entry.size(), 3 * 2 * 4);
  EXPECT_NE(entry.crc32c(), 0u);
}

TEST(WireTest, FieldsOfALaterReleaseSurvive) {
  tensorflow::NodeDef node;
  node.set_name("n");
  const std::string later = "\xca\x3e\x03new";  // Field 1001, three bytes.
  const std::string bytes = Canonical(node) + later;
  tensorflow::GraphDef graph;
  ASSERT_TRUE(graph.add_node()->ParseFromString(bytes));
  EXPECT_EQ(UnknownFields(graph), std::vector<std::string>({"GraphDef.node.1001"}));
  EXPECT_EQ(Canonical(graph.node(0)), bytes);
}

}  // namespace
}  // namespace warpbeam
