// Every op schema of this program equals TensorFlow's, as far as graphs and their readers can tell.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/match.h"
#include "google/protobuf/text_format.h"
#include "graph/io/op_schema_io.h"
#include "graph/io/tensor_io.h"
#include "graph/op/op_registry.h"
#include "gtest/gtest.h"
#include "proto/op_def.pb.h"
#include "proto/tensor.pb.h"

namespace warpbeam {
namespace {

using tensorflow::OpDef;

std::map<std::string, OpDef> GoldenOps() {
  std::ifstream file("tests/golden/tf_op_defs.pbtxt");
  std::ostringstream text;
  text << file.rdbuf();
  tensorflow::OpList list;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text.str(), &list))
      << "tests/golden/tf_op_defs.pbtxt does not parse";
  std::map<std::string, OpDef> ops;
  for (const OpDef& op : list.op()) ops[op.name()] = op;
  return ops;
}

// A tensor has several spellings on the wire: here it is a list of its values.
void NormaliseTensor(OpDef::AttrDef* attr) {
  tensorflow::TensorProto* value = attr->mutable_default_value()->mutable_tensor();
  const auto tensor = TensorFromProto(*value);
  ASSERT_TRUE(tensor.ok()) << attr->name() << ": " << tensor.status();
  value->Clear();
  ASSERT_TRUE(TensorToProto(*tensor, TensorForm::kValues, value).ok()) << attr->name();
}

// Leaves out what no graph depends on (texts, full types) and sorts what is a set.
std::string Normalised(OpDef op) {
  op.clear_summary();
  op.clear_description();
  if (op.has_deprecation()) op.mutable_deprecation()->clear_explanation();
  for (auto* args : {op.mutable_input_arg(), op.mutable_output_arg()}) {
    for (OpDef::ArgDef& arg : *args) {
      arg.clear_description();
      arg.clear_handle_data();
      arg.clear_experimental_full_type();
    }
  }
  std::sort(op.mutable_attr()->begin(), op.mutable_attr()->end(),
            [](const auto& a, const auto& b) { return a.name() < b.name(); });
  for (OpDef::AttrDef& attr : *op.mutable_attr()) {
    attr.clear_description();
    if (attr.default_value().has_tensor()) NormaliseTensor(&attr);
    if (!attr.has_allowed_values()) continue;
    auto* allowed = attr.mutable_allowed_values()->mutable_list();
    std::sort(allowed->mutable_type()->begin(), allowed->mutable_type()->end());
    std::sort(allowed->mutable_s()->begin(), allowed->mutable_s()->end());
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(op, &text);
  return text;
}

TEST(OpSchemaGoldenTest, EverySchemaEqualsTensorFlows) {
  ASSERT_TRUE(OpRegistry::CheckGlobal().ok()) << OpRegistry::GlobalStatus();
  const std::map<std::string, OpDef> golden = GoldenOps();
  int compared = 0;
  for (const OpSchema* schema : OpRegistry::Global().All()) {
    const auto it = golden.find(schema->name);
    if (it == golden.end()) {
      EXPECT_TRUE(absl::StartsWith(schema->name, "_"))
          << schema->name
          << " is not in tests/golden/tf_op_defs.pbtxt. Add its name to tests/golden/ops.txt and "
             "run tests/golden/dump_tensorflow.py; an op of our own begins with '_'.";
      continue;
    }
    OpDef ours;
    ASSERT_TRUE(OpSchemaToProto(*schema, &ours).ok()) << schema->name;
    EXPECT_EQ(Normalised(ours), Normalised(it->second)) << "the schema of " << schema->name;
    ++compared;
  }
  EXPECT_GT(compared, 0) << "no ops are linked into this test";
}

TEST(OpSchemaGoldenTest, SchemasSurviveTheWire) {
  for (const auto& [name, op] : GoldenOps()) {
    auto schema = OpSchemaFromProto(op);
    ASSERT_TRUE(schema.ok()) << name << ": " << schema.status();
    OpDef back;
    ASSERT_TRUE(OpSchemaToProto(*schema, &back).ok()) << name;
    EXPECT_EQ(Normalised(back), Normalised(op));
  }
}

}  // namespace
}  // namespace warpbeam
