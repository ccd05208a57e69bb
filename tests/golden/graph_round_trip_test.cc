// Graphs that TensorFlow wrote come out of a Graph as they went in.
//
// "As they went in" is up to what means the same: the order of nodes and of control inputs, "x:0"
// for "x", attributes left out for their default, and the form in which a tensor's values are
// written.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "graph/io/attr_io.h"
#include "graph/io/graph_export.h"
#include "graph/io/graph_import.h"
#include "graph/io/op_schema_io.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"

namespace warpbeam {
namespace {

using tensorflow::GraphDef;
using tensorflow::NodeDef;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

// The ops of TensorFlow, whether this program runs them or not; none has a shape function.
const OpRegistry& GoldenOps() {
  static const OpRegistry* registry = [] {
    tensorflow::OpList list;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        ReadFile("tests/golden/tf_op_defs.pbtxt"), &list));
    auto* made = new OpRegistry;
    for (const auto& op : list.op()) {
      auto schema = OpSchemaFromProto(op);
      EXPECT_TRUE(schema.ok()) << op.name();
      if (!schema.ok()) continue;
      // Which ops close a loop is no part of TensorFlow's definitions.
      if (absl::EndsWith(op.name(), "NextIteration")) schema->role = OpRole::kNextIteration;
      if (op.name() == "Merge" || op.name() == "RefMerge") schema->role = OpRole::kMerge;
      EXPECT_TRUE(made->Register(*std::move(schema)).ok()) << op.name();
    }
    return made;
  }();
  return *registry;
}

// Writes every tensor of an attribute in one form.
void NormaliseAttr(tensorflow::AttrValue* attr) {
  if (HasMoreThanValue(*attr)) return;  // kept byte for byte
  auto value = AttrFromProto(*attr);
  if (!value.ok() || !value->has_value()) return;
  EXPECT_TRUE(AttrToProto(*value, attr).ok());
}

void NormaliseNode(NodeDef* node) {
  for (std::string& input : *node->mutable_input()) {
    if (absl::EndsWith(input, ":0")) input.resize(input.size() - 2);
  }
  auto* inputs = node->mutable_input();
  const auto controls = std::find_if(inputs->begin(), inputs->end(),
                                     [](const std::string& s) { return absl::StartsWith(s, "^"); });
  std::sort(controls, inputs->end());
  inputs->erase(std::unique(controls, inputs->end()), inputs->end());
  for (auto& [name, attr] : *node->mutable_attr()) NormaliseAttr(&attr);
  const OpSchema* schema = GoldenOps().Find(node->op());
  if (schema == nullptr) return;  // a call of a library function
  for (const AttrSpec& spec : schema->attrs) {
    if (!spec.default_value.has_value() || node->attr().count(spec.name) > 0) continue;
    EXPECT_TRUE(AttrToProto(spec.default_value, &(*node->mutable_attr())[spec.name]).ok());
  }
}

// Up to version 21 a placeholder's shape without dimensions said that nothing is known of it; what
// is written says so in a way that holds for all versions.
void NormaliseOldPlaceholders(GraphDef* graph) {
  constexpr int kLastWithoutScalars = 21;
  if (graph->versions().producer() > kLastWithoutScalars) return;
  for (NodeDef& node : *graph->mutable_node()) {
    const auto shape = node.mutable_attr()->find("shape");
    if (node.op() != "Placeholder" || shape == node.mutable_attr()->end()) continue;
    if (shape->second.shape().dim_size() == 0) {
      shape->second.mutable_shape()->set_unknown_rank(true);
    }
  }
}

std::string Canonical(GraphDef graph) {
  NormaliseOldPlaceholders(&graph);
  for (NodeDef& node : *graph.mutable_node()) NormaliseNode(&node);
  std::sort(graph.mutable_node()->begin(), graph.mutable_node()->end(),
            [](const NodeDef& a, const NodeDef& b) { return a.name() < b.name(); });
  std::sort(graph.mutable_library()->mutable_function()->begin(),
            graph.mutable_library()->mutable_function()->end(), [](const auto& a, const auto& b) {
              return a.signature().name() < b.signature().name();
            });
  if (graph.library().ByteSizeLong() == 0) graph.clear_library();
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    graph.SerializeToCodedStream(&coded);
  }
  return bytes;
}

// The first difference of two graphs, for people.
std::string Difference(const std::string& a, const std::string& b) {
  GraphDef left, right;
  left.ParseFromString(a);
  right.ParseFromString(b);
  std::istringstream lines_a(left.DebugString()), lines_b(right.DebugString());
  std::string line_a, line_b, node;
  while (std::getline(lines_a, line_a) && std::getline(lines_b, line_b)) {
    if (absl::StartsWith(line_a, "  name:")) node = line_a;
    if (line_a != line_b) break;
  }
  return absl::StrCat("in node", node, ": '", line_a, "' came out as '", line_b, "'");
}

void ExpectRoundTrip(const std::string& name, const std::string& bytes) {
  GraphDef before, after;
  ASSERT_TRUE(before.ParseFromString(bytes)) << name;
  Graph graph(GoldenOps());
  const Status imported = ImportGraphDef(bytes, ImportOptions(), &graph);
  ASSERT_TRUE(imported.ok()) << name << ": " << imported;
  const auto exported = ExportGraphDef(graph);
  ASSERT_TRUE(exported.ok()) << name << ": " << exported.status();
  ASSERT_TRUE(after.ParseFromString(*exported)) << name;
  const std::string want = Canonical(before), got = Canonical(after);
  EXPECT_TRUE(got == want) << name << ": " << Difference(want, got);
}

TEST(GraphRoundTripTest, BenchmarkGraphs) {
  int graphs = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tools/benchmarks/graphs")) {
    if (entry.path().extension() != ".pb") continue;
    ExpectRoundTrip(entry.path().filename(), ReadFile(entry.path()));
    ++graphs;
  }
  EXPECT_GT(graphs, 20);
}

TEST(GraphRoundTripTest, ConformanceGraphs) {
  const auto cases = LoadCases({"tests/conformance/cases"});
  ASSERT_TRUE(cases.ok()) << cases.status();
  int graphs = 0;
  for (const CaseBytes& bytes : *cases) {
    conformance::Case c;
    ASSERT_TRUE(c.ParseFromString(bytes.wire_form));
    if (!c.graph_error_code().empty()) continue;
    ExpectRoundTrip(c.name(), c.graph());
    ++graphs;
  }
  EXPECT_GT(graphs, 2000);
}

}  // namespace
}  // namespace warpbeam
