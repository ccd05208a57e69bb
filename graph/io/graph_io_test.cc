// Import and export of whole graphs.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "graph/io/graph_export.h"
#include "graph/io/graph_file.h"
#include "graph/io/graph_import.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

using tensorflow::GraphDef;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const OpRegistry& Ops() {
  static const OpRegistry* ops = [] {
    auto* made = new OpRegistry;
    const OpSchemaBuilder builders[] = {
        OpSchemaBuilder("Const")
            .Role(OpRole::kConstant)
            .Output("output: dtype")
            .Attr("value: tensor")
            .Attr("dtype: type"),
        OpSchemaBuilder("Neg").Input("x: T").Output("y: T").Attr("T: {float, int32}"),
        OpSchemaBuilder("AddN")
            .Input("inputs: N * T")
            .Output("sum: T")
            .Attr("N: int >= 1")
            .Attr("T: {float, int32}"),
        OpSchemaBuilder("Pad").Input("x: T").Output("y: T").Attr("T: type").Attr(
            "mode: string = 'A'"),
        OpSchemaBuilder("Call").Input("x: T").Output("y: T").Attr("T: type").Attr("f: func"),
        OpSchemaBuilder("NoOp").Role(OpRole::kNothing),
        OpSchemaBuilder("Placeholder")
            .Role(OpRole::kPlaceholder)
            .Output("y: dtype")
            .Attr("dtype: type")
            .Attr("shape: shape = { unknown_rank: true }")
            .Shape([](ShapeContext& c) {
              c.set_output(0, c.attrs().GetOr<PartialShape>("shape", PartialShape()));
              return OkStatus();
            }),
        OpSchemaBuilder("Fan").Output("y: N * float").Attr("N: int >= 1"),
    };
    for (const OpSchemaBuilder& builder : builders) {
      EXPECT_TRUE(made->Register(builder).ok());
    }
    return made;
  }();
  return *ops;
}

GraphDef FromText(const std::string& text) {
  GraphDef proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

constexpr char kConst[] = R"(
  node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
         attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } })";

std::string NegText(const std::string& name, const std::string& inputs) {
  return absl::StrCat("node { name: '", name, "' op: 'Neg' ", inputs,
                      " attr { key: 'T' value { type: DT_FLOAT } } }");
}

// Both ways of importing the same graph; they must agree.
Status Import(const GraphDef& proto, Graph* graph, const ImportOptions& options = {}) {
  const Status status = ImportGraphDef(proto, options, graph);
  Graph other(Ops());
  const Status same = ImportGraphDef(proto.SerializeAsString(), options, &other);
  EXPECT_EQ(status, same);
  if (status.ok()) {
    EXPECT_EQ(*ExportGraphDef(*graph), *ExportGraphDef(other));
  }
  return status;
}

std::string ImportError(const std::string& text, const ImportOptions& options = {}) {
  Graph graph(Ops());
  return std::string(Import(FromText(text), &graph, options).message());
}

TEST(GraphImportTest, NodesInAnyOrder) {
  Graph graph(Ops());
  const GraphDef proto =
      FromText(NegText("n", "input: 'c:0' input: '^k' device: '/gpu:1'") + kConst +
               "node { name: 'k' op: 'NoOp' } versions { producer: 9 }");
  ASSERT_TRUE(Import(proto, &graph).ok());
  const Node* n = graph.Find("n");
  ASSERT_NE(n, nullptr);
  EXPECT_EQ(graph.node(n->input(0).node).name(), "c");
  EXPECT_EQ(graph.node(n->control_inputs()[0]).name(), "k");
  EXPECT_EQ(n->device(), "/gpu:1");
  EXPECT_EQ(n->output_type(0), DType::kFloat);
  EXPECT_EQ(graph.versions().producer, 9);
}

TEST(GraphImportTest, PrefixReachesNamesInputsAndColocation) {
  Graph graph(Ops());
  ImportOptions options;
  options.prefix = "p";
  options.default_device = "/cpu:1";
  const GraphDef proto =
      FromText(std::string(kConst) + NegText("n", "input: 'c' device: '/gpu:0'") +
               NegText("m", R"(input: 'n' input: '^c'
                      attr { key: '_class' value { list { s: 'loc:@n' s: 'other' } } })"));
  ASSERT_TRUE(Import(proto, &graph, options).ok());
  const Node* m = graph.Find("p/m");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(graph.node(m->input(0).node).name(), "p/n");
  EXPECT_EQ(graph.node(m->control_inputs()[0]).name(), "p/c");
  EXPECT_THAT(m->attrs().Get<std::vector<std::string>>("_class").value(),
              ElementsAre("loc:@p/n", "other"));
  EXPECT_EQ(m->device(), "/cpu:1");
  EXPECT_EQ(graph.Find("p/n")->device(), "/gpu:0");
  // The same graph fits in once more under another name.
  options.prefix = "q";
  EXPECT_TRUE(ImportGraphDef(proto, options, &graph).ok());
  EXPECT_EQ(graph.num_nodes(), 6);
}

TEST(GraphImportTest, DevicesMayBeForgotten) {
  const GraphDef proto =
      FromText(std::string(kConst) + NegText("n", "input: 'c' device: '/job:ps/task:7'") +
               R"(library { function {
           signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
           node_def { name: 'm' op: 'Neg' input: 'x' device: '/job:worker'
                      attr { key: 'T' value { type: DT_FLOAT } } }
           ret { key: 'y' value: 'm:y:0' } } })");
  for (const char* other : {"", "/cpu:1"}) {
    Graph graph(Ops());
    ImportOptions options;
    options.clear_devices = true;
    options.default_device = other;
    ASSERT_TRUE(Import(proto, &graph, options).ok());
    EXPECT_EQ(graph.Find("n")->device(), other);
    EXPECT_EQ(graph.functions().Find("f")->nodes[0].device, "");
    EXPECT_THAT(*ExportGraphDef(graph), Not(HasSubstr("job:")));
  }
}

// Newer versions of TensorFlow give ops attributes that are not known here, some of kinds and types
// that are not either.
constexpr char kForeignAttrs[] = R"(
    attr { key: 'fast' value { b: true } }
    attr { key: 'kind' value { type: 999 } }
    attr { key: 'mixed' value { list { i: 1 f: 2 } } }
    attr { key: 'wrong' value { tensor { dtype: DT_FLOAT tensor_content: 'x' } } }
    attr { key: '_free' value { type: 999 } }
    attr { key: '' value { i: 1 } })";

std::string ForeignNegText(const std::string& name, const std::string& inputs) {
  return absl::StrCat("node { name: '", name, "' op: 'Neg' ", inputs, kForeignAttrs,
                      " attr { key: 'T' value { type: DT_FLOAT } } }");
}

TEST(GraphImportTest, AttributesThatAnOpDoesNotHaveAreKeptAndIgnored) {
  const GraphDef proto = FromText(std::string(kConst) + ForeignNegText("n", "input: 'c'") +
                                  ForeignNegText("m", "input: 'n'"));
  Graph graph(Ops());
  testing::internal::CaptureStderr();
  ASSERT_TRUE(ImportGraphDef(proto, ImportOptions(), &graph).ok());
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(
      log, AllOf(HasSubstr("'fast' of Neg"), HasSubstr("'kind' of Neg"), HasSubstr("12 in all")));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_EQ(graph.Find("n")->attrs().size(), 1u);
  GraphDef out;
  ASSERT_TRUE(out.ParseFromString(*ExportGraphDef(graph)));
  ASSERT_EQ(out.node_size(), 3);
  EXPECT_EQ(out.node(1).SerializeAsString().size(), proto.node(1).SerializeAsString().size());
  EXPECT_EQ(out.node(2).attr().at("kind").type(), 999);
  EXPECT_TRUE(out.node(2).attr().at("fast").b());
  // The same on the wire, where nodes alike are read once.
  Graph other(Ops());
  ASSERT_TRUE(ImportGraphDef(proto.SerializeAsString(), ImportOptions(), &other).ok());
  EXPECT_EQ(*ExportGraphDef(other), *ExportGraphDef(graph));
}

TEST(GraphImportTest, AttributesThatAnOpOfAFunctionDoesNotHave) {
  std::string body = ForeignNegText("n", "input: 'x'");
  body.replace(body.find("node"), 4, "node_def");
  const GraphDef proto = FromText(absl::StrCat(
      kConst,
      "node { name: 'f' op: 'negate' input: 'c' attr { key: 'how' value { s: 'fast' } } }"
      "library { function { signature { name: 'negate' input_arg { name: 'x' type: DT_FLOAT }"
      " output_arg { name: 'y' type: DT_FLOAT } } ",
      body, " ret { key: 'y' value: 'n:y:0' } } }"));
  Graph graph(Ops());
  testing::internal::CaptureStderr();
  EXPECT_TRUE(ImportGraphDef(proto, ImportOptions(), &graph).ok());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("'fast' of Neg"));
  const auto function = graph.functions().Find("negate");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->nodes[0].attrs.size(), 1u);
}

TEST(GraphImportTest, WrittenShapesAreHints) {
  const std::string shapes = R"( attr { key: '_output_shapes' value { list {
      shape { dim { size: 3 } } } } })";
  std::string node =
      "node { name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: "
      "DT_FLOAT } } attr { key: 'shape' value { shape { dim { size: 2 } } } }" +
      shapes + "}";
  Graph graph(Ops());
  testing::internal::CaptureStderr();
  EXPECT_TRUE(ImportGraphDef(FromText(node), ImportOptions(), &graph).ok());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("'_output_shapes'"), HasSubstr("'p'")));
  EXPECT_EQ(graph.Find("p")->output_shape(0).ToString(), "[2]");
}

TEST(GraphImportTest, EmptyShapesOfOldPlaceholdersAreUnknown) {
  const auto shape = [](const std::string& versions) {
    Graph graph(Ops());
    const std::string node =
        "node { name: 'p' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }"
        " attr { key: 'shape' value { shape {} } } }";
    EXPECT_TRUE(Import(FromText(node + versions), &graph).ok());
    return graph.Find("p")->output_shape(0).ToString();
  };
  const std::string unknown = PartialShape().ToString();
  EXPECT_EQ(shape(""), unknown);
  EXPECT_EQ(shape("versions { min_consumer: 12 }"), unknown);
  EXPECT_EQ(shape("versions { producer: 21 }"), unknown);
  EXPECT_EQ(shape("versions { producer: 22 }"), "[]");
  EXPECT_EQ(shape("versions { producer: 2474 }"), "[]");
}

TEST(GraphImportTest, AllProblemsInOneStatus) {
  const std::string error = ImportError(
      NegText("a", "input: 'gone'") + NegText("a", "input: 'gone:1'") +
      "node { name: 'u' op: 'Unheard' } node { name: 'w' op: 'Unheard' }"
      "node { name: 'bad' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: "
      "'value' value { tensor { dtype: DT_FLOAT tensor_shape {} tensor_content: 'x' } } } }"
      "library { function { signature { name: 'f' output_arg { name: 'o' type: DT_FLOAT } } } }");
  EXPECT_THAT(error, AllOf(HasSubstr("node 'bad' (Const): attribute 'value': tensor_content holds"),
                           HasSubstr("'gone'"), HasSubstr("Unheard"),
                           HasSubstr("function 'f': nothing is returned for the output 'o'")));
}

TEST(GraphImportTest, CodesOfTheFirstProblem) {
  const auto code = [](const std::string& text) {
    Graph graph(Ops());
    return Import(FromText(text), &graph).code();
  };
  EXPECT_EQ(code("node { name: 'u' op: 'Unheard' }"), StatusCode::kNotFound);
  EXPECT_EQ(code(NegText("a", "input: 'gone'")), StatusCode::kInvalidArgument);
  EXPECT_EQ(code("node { name: 'u' }"), StatusCode::kInvalidArgument);
  EXPECT_EQ(code("library { function { signature { name: 'f' } node_def { name: 'u' } } }"),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("versions { min_consumer: 1000000 }"), StatusCode::kInvalidArgument);
  EXPECT_EQ(code("versions { bad_consumers: 2474 }"), StatusCode::kInvalidArgument);
}

TEST(GraphImportTest, Limits) {
  ImportOptions options;
  options.limits.max_nodes = 1;
  EXPECT_THAT(ImportError(std::string(kConst) + NegText("n", "input: 'c'"), options),
              HasSubstr("more than the 1 nodes"));
  options = ImportOptions();
  options.limits.max_expansion = 3;
  // One value stands for all of a constant.
  const auto filled = [](const char* name, int64_t size, int value = 2) {
    return absl::StrCat("node { name: '", name, R"(' op: 'Const'
        attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor {
        dtype: DT_FLOAT tensor_shape { dim { size: )",
                        size, " } } float_val: ", value, " } } } }");
  };
  EXPECT_TRUE(Import(FromText(filled("a", 1)), std::make_unique<Graph>(Ops()).get(), options).ok());
  EXPECT_THAT(ImportError(filled("a", 1000), options),
              AllOf(HasSubstr("node 'a' (Const): attribute 'value'"), HasSubstr("4000 bytes"),
                    HasSubstr("max_expansion")));
  options.limits.max_expansion = 5000;
  EXPECT_THAT(ImportError(filled("a", 1000) + filled("b", 1000, 3), options),
              AllOf(HasSubstr("node 'b' (Const): attribute 'value'"), Not(HasSubstr("'a'"))));
}

// By default 1 GB beyond the size of the message, whatever asks for it.
TEST(GraphImportTest, WhatFewBytesMayAskFor) {
  const auto tensor = [](const std::string& attr, const std::string& values) {
    return absl::StrCat("attr { key: '", attr, "' value { tensor { ", values, " } } }");
  };
  const std::string huge = "dtype: DT_FLOAT tensor_shape { dim { size: 750000000 } } float_val: 1";
  const std::string text = "dtype: DT_STRING tensor_shape { dim { size: 1000000 } } string_val: '" +
                           std::string(2000, 's') + "'";
  const std::string half = "dtype: DT_INT8 tensor_shape { dim { size: 600000 } }";
  ImportOptions small;
  small.limits.max_expansion = 1'000'000;
  const auto is_refused = [](const std::string& graph, const std::string& where,
                             const ImportOptions& options = {}) {
    const std::string error = ImportError(graph, options);
    EXPECT_THAT(error, AllOf(HasSubstr(where), HasSubstr("--max_expansion"))) << graph;
  };
  const std::string neg =
      "node { name: 'n' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } ";
  is_refused(neg + tensor("value", huge) + "}", "node 'n' (Const): attribute 'value'");
  is_refused(neg + tensor("_unused", huge) + "}", "node 'n' (Const): attribute '_unused'");
  is_refused(neg + tensor("_unused", text) + "}", "node 'n' (Const): attribute '_unused'");
  is_refused(neg + tensor("_a", half) + tensor("_b", half) + "}", "attribute '_b'", small);
  is_refused(neg + "attr { key: '_l' value { list { tensor { " + half + " } tensor { " + half +
                 " } } } } }",
             "node 'n' (Const): attribute '_l': list element 1", small);
  is_refused(neg + "attr { key: '_f' value { func { name: 'f' " + tensor("a", huge) + " } } } }",
             "node 'n' (Const): attribute '_f': function 'f', attribute 'a'");
  is_refused("library { function { signature { name: 'f' } node_def { name: 'm' op: 'NoOp' " +
                 tensor("_a", huge) + " } } }",
             "function 'f': node 'm' (NoOp): attribute '_a'");
  is_refused("library { function { signature { name: 'f' } " + tensor("_a", huge) + " } }",
             "function 'f': attribute '_a'");
  is_refused(
      "library { function { signature { name: 'f' attr { name: 'a' type: 'tensor' "
      "default_value { tensor { " +
          huge + " } } } } } }",
      "function 'f': attribute 'a'");
  std::string lists = "node { name: 'n' op: 'NoOp' }";
  for (int i = 0; i < 10; ++i) {
    absl::StrAppend(&lists, "node { name: 'l", i,
                    "' op: 'Fan' attr { key: 'N' value { i: 20000 } } }");
  }
  is_refused(lists, "(Fan): its 20000 outputs", small);
  is_refused("node { name: 'l' op: 'Fan' attr { key: 'N' value { i: 50000000 } } }",
             "node 'l' (Fan): its 50000000 outputs");
}

TEST(GraphImportTest, BytesThatAreNoGraph) {
  const std::string whole =
      FromText(std::string(kConst) + NegText("n", "input: 'c'") + "versions { producer: 3 }")
          .SerializeAsString();
  for (size_t size = 0; size < whole.size(); ++size) {
    Graph graph(Ops());
    const Status status = ImportGraphDef(whole.substr(0, size), {}, &graph);
    // Cut between two fields it is another graph; anywhere else it is none.
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      Graph graph(Ops());
      ImportGraphDef(flipped, {}, &graph).IgnoreError();  // any status will do, a crash will not
    }
  }
  Graph graph(Ops());
  EXPECT_THAT(std::string(ImportGraphDef("\x0a\x7f", {}, &graph).message()),
              HasSubstr("broken or cut off at byte 0"));
}

TEST(GraphImportTest, DeepNestingIsRefused) {
  tensorflow::AttrValue deep;
  deep.set_i(1);
  for (int i = 0; i < 200; ++i) {
    tensorflow::AttrValue outer;
    outer.mutable_func()->set_name("f");
    (*outer.mutable_func()->mutable_attr())["a"] = deep;
    deep.Swap(&outer);
  }
  GraphDef proto = FromText(kConst);
  (*proto.mutable_node(0)->mutable_attr())["_deep"] = deep;
  Graph graph(Ops());
  EXPECT_EQ(ImportGraphDef(proto.SerializeAsString(), {}, &graph).code(),
            StatusCode::kInvalidArgument);
}

TEST(GraphExportTest, KeepsWhatItDoesNotKnow) {
  GraphDef proto = FromText(std::string(kConst) + R"(
      node { name: 'p' op: 'Pad' input: 'c' attr { key: 'T' value { type: DT_FLOAT } }
             attr { key: 'mode' value { s: 'A' } }
             attr { key: '_shape' value { shape { dim { size: 2 name: 'batch' } } } }
             attr { key: '_none' value {} }
             experimental_debug_info { original_node_names: 'q' }
             experimental_type { type_id: TFT_TENSOR } }
      library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT }
                                       output_arg { name: 'y' type: DT_FLOAT } }
                           arg_attr { key: 0 value { attr { key: 'k' value { i: 1 } } } }
                           ret { key: 'y' value: 'x' } }
                gradient { function_name: 'f' gradient_func: 'g' }
                registered_gradients { gradient_func: 'g' registered_op_type: 'Neg' } }
      versions { producer: 7 min_consumer: 3 bad_consumers: 5 }
      debug_info { files: 'a.py' })");
  proto.GetReflection()->MutableUnknownFields(&proto)->AddVarint(1000, 1);
  auto* node = proto.mutable_node(1);
  node->GetReflection()->MutableUnknownFields(node)->AddLengthDelimited(1001, "later");
  auto* attr = &(*node->mutable_attr())["_later"];
  attr->GetReflection()->MutableUnknownFields(attr)->AddFixed32(1002, 5);
  auto* function = proto.mutable_library()->mutable_function(0);
  function->GetReflection()->MutableUnknownFields(function)->AddVarint(1003, 7);

  Graph graph(Ops());
  ASSERT_TRUE(Import(proto, &graph).ok());
  GraphDef back;
  ASSERT_TRUE(ExportGraphDef(graph, &back).ok());
  EXPECT_EQ(back.DebugString(), proto.DebugString());

  // A copy has all of it; a changed attribute is written as it is now.
  const auto copy = graph.Clone();
  ASSERT_TRUE(copy->SetAttr(copy->Find("p")->id(), "_shape", PartialShape({3})).ok());
  ASSERT_TRUE(ExportGraphDef(*copy, &back).ok());
  proto.mutable_node(1)->mutable_attr()->at("_shape").mutable_shape()->mutable_dim(0)->Clear();
  proto.mutable_node(1)->mutable_attr()->at("_shape").mutable_shape()->mutable_dim(0)->set_size(3);
  EXPECT_EQ(back.DebugString(), proto.DebugString());
}

TEST(GraphExportTest, InputsAsTensorFlowWritesThem) {
  Graph graph(Ops());
  ASSERT_TRUE(
      Import(FromText(std::string(kConst) + NegText("n", "input: 'c:0' input: '^c'")), &graph)
          .ok());
  GraphDef back;
  ASSERT_TRUE(ExportGraphDef(graph, &back).ok());
  EXPECT_THAT(back.node(1).input(), ElementsAre("c", "^c"));
}

TEST(GraphExportTest, FunctionsBuiltInMemory) {
  Graph graph(Ops());
  auto function = std::make_shared<Function>();
  function->signature.name = "f";
  function->signature.inputs.resize(1);
  function->signature.inputs[0].name = "x";
  function->signature.inputs[0].type = DType::kFloat;
  function->signature.outputs = function->signature.inputs;
  function->signature.outputs[0].name = "y";
  NodeSpec body;
  body.name = "n";
  body.op = "Neg";
  body.inputs = {"x"};
  body.attrs.Set("T", DType::kFloat);
  function->nodes.push_back(body);
  function->returns = {{"y", "n:y:0"}};
  ASSERT_TRUE(graph.functions().Add(function).ok());
  GraphDef proto;
  ASSERT_TRUE(ExportGraphDef(graph, &proto).ok());
  Graph again(Ops());
  ASSERT_TRUE(Import(proto, &again).ok());
  const auto read = again.functions().Find("f");
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->signature.inputs[0].type, DType::kFloat);
  ASSERT_EQ(read->nodes.size(), 1u);
  EXPECT_EQ(read->nodes[0].attrs, body.attrs);
  EXPECT_THAT(read->returns, ElementsAre(std::make_pair("y", "n:y:0")));
}

TEST(GraphFileTest, BinaryAndText) {
  Graph graph(Ops());
  ASSERT_TRUE(Import(FromText(kConst), &graph).ok());
  for (const char* name : {"graph.pb", "graph.pbtxt"}) {
    const std::string path = ::testing::TempDir() + "/" + name;
    ASSERT_TRUE(WriteGraphFile(graph, path).ok());
    Graph back(Ops());
    const Status read = ImportGraphFile(path, {}, &back);
    ASSERT_TRUE(read.ok()) << read;
    EXPECT_EQ(*ExportGraphDef(back), *ExportGraphDef(graph));
  }
}

TEST(GraphFileTest, TextMayHoldNoNamesThatBytesMayNot) {
  for (const char* device : {"/worke\xd2", "/worke\\322"}) {
    Graph graph(Ops());
    const std::string text = absl::StrCat("node { name: 'x' op: 'NoOp' device: '", device, "' }");
    EXPECT_EQ(ImportGraphText(text, {}, &graph).code(), StatusCode::kInvalidArgument);
  }
  Graph graph(Ops());
  const Status read =
      ImportGraphText("node { name: 'x' op: 'NoOp' device: '/\u00e9\\101' }", {}, &graph);
  ASSERT_TRUE(read.ok()) << read;
  EXPECT_EQ(graph.node(0).device(), "/\u00e9A");
}

TEST(GraphFileTest, ErrorsNameFileAndLine) {
  Graph graph(Ops());
  const std::string folder = ::testing::TempDir();
  EXPECT_EQ(ImportGraphFile(folder + "/gone.pb", {}, &graph).code(), StatusCode::kNotFound);
  EXPECT_EQ(ImportGraphFile(folder, {}, &graph).code(), StatusCode::kFailedPrecondition);
  std::ofstream(folder + "/bad.pbtxt") << "node {\n  nam: 'x'\n}\n";
  EXPECT_THAT(std::string(ImportGraphFile(folder + "/bad.pbtxt", {}, &graph).message()),
              AllOf(HasSubstr("bad.pbtxt: "), HasSubstr("line 2:"), HasSubstr("\"nam\"")));
  std::ofstream(folder + "/text.pb") << "node { name: 'x' op: 'NoOp' }\n";
  EXPECT_THAT(std::string(ImportGraphFile(folder + "/text.pb", {}, &graph).message()),
              HasSubstr("looks like text"));
  EXPECT_EQ(WriteGraphFile(graph, "/nowhere/x.pb").code(), StatusCode::kNotFound);
}

TEST(GraphFileTest, FilesAreReadWholeOrNotAtAll) {
  const std::string path = ::testing::TempDir() + "/bytes";
  for (const size_t size : {size_t{0}, size_t{1}, size_t{200'000}}) {
    std::ofstream(path) << std::string(size, 'b');
    EXPECT_EQ(*ReadFileBytes(path), std::string(size, 'b'));
  }
  // A file whose size the system does not tell.
  EXPECT_GT(ReadFileBytes("/proc/self/status")->size(), 100u);
  // More than any message may have takes no memory at all.
  std::filesystem::resize_file(path, uintmax_t{1} << 40);
  EXPECT_EQ(ReadFileBytes(path).status().code(), StatusCode::kResourceExhausted);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace warpbeam
