// Values and functions that lie in each other as deep as a program makes them: datasets, lists,
// maps, optionals, calls. What cannot be carried is refused, and everything goes away again.
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Code = StatusCode;

constexpr int kDeep = 100'000;

std::string Attr(const std::string& key, const std::string& value) {
  return absl::StrCat("attr { key: '", key, "' value { ", value, " } } ");
}
std::string Func(const std::string& key, const std::string& name) {
  return Attr(key, absl::StrCat("func { name: '", name, "' }"));
}
// A node of text format; inputs are separated by spaces.
std::string Node(const std::string& name, const std::string& op, const std::string& inputs = "",
                 const std::string& attrs = "", const std::string& field = "node") {
  std::string text = absl::StrCat(field, " { name: '", name, "' op: '", op, "' ");
  for (const absl::string_view in : absl::StrSplit(inputs, ' ', absl::SkipEmpty())) {
    absl::StrAppend(&text, "input: '", in, "' ");
  }
  return absl::StrCat(text, attrs, "}\n");
}
std::string Const(const std::string& name, int64_t value, const std::string& field = "node",
                  const std::string& type = "INT64") {
  const std::string values = absl::StrCat(type == "INT64"   ? "int64_val: "
                                          : type == "INT32" ? "int_val: "
                                                            : "float_val: ",
                                          value);
  return Node(name, "Const", "",
              Attr("dtype", "type: DT_" + type) +
                  Attr("value", absl::StrCat("tensor { dtype: DT_", type, " tensor_shape {} ",
                                             values, " }")),
              field);
}
// `args` and `results` as "name:DT_TYPE", results as "name:DT_TYPE=node:out:0", by spaces.
std::string Function(const std::string& name, const std::string& args, const std::string& results,
                     const std::string& nodes) {
  std::string text = absl::StrCat("function { signature { name: '", name, "' ");
  for (const absl::string_view arg : absl::StrSplit(args, ' ', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(arg, ':');
    absl::StrAppend(&text, "input_arg { name: '", parts[0], "' type: ", parts[1], " } ");
  }
  std::string returns;
  for (const absl::string_view result : absl::StrSplit(results, ' ', absl::SkipEmpty())) {
    const std::vector<std::string> sides = absl::StrSplit(result, '=');
    const std::vector<std::string> parts = absl::StrSplit(sides[0], ':');
    absl::StrAppend(&text, "output_arg { name: '", parts[0], "' type: ", parts[1], " } ");
    absl::StrAppend(&returns, "ret { key: '", parts[0], "' value: '", sides[1], "' } ");
  }
  return absl::StrCat(text, "}\n", nodes, returns, "}\n");
}

const std::string kElement =
    Attr("output_types", "list { type: DT_INT64 }") + Attr("output_shapes", "list { shape {} }");

// A loop of `count` rounds whose variable "x" becomes what `nodes` (of a function's body) make of
// it: `result`. "loop:1" is the last.
std::string Loop(int64_t count, const std::string& nodes, const std::string& result,
                 const std::string& functions = "") {
  const std::string args = "i:DT_INT64 x:DT_VARIANT";
  const std::string kInt = Attr("T", "type: DT_INT64");
  return absl::StrCat(
      "library {", functions,
      Function("goes_on", args, "more:DT_BOOL=less:z:0",
               Const("count", count, "node_def") +
                   Node("less", "Less", "i count:output:0", kInt, "node_def")),
      Function("round", args, "next:DT_INT64=sum:z:0 made:DT_VARIANT=" + result,
               Const("one", 1, "node_def") +
                   Node("sum", "AddV2", "i one:output:0", kInt, "node_def") + nodes),
      "}\n", Const("zero", 0),
      Node("loop", "While", "zero first",
           Attr("T", "list { type: DT_INT64 type: DT_VARIANT }") + Func("cond", "goes_on") +
               Func("body", "round") + Attr("output_shapes", "list { }") +
               Attr("parallel_iterations", "i: 1")));
}

const std::string kRange = Const("begin", 0) + Const("end", 3) + Const("step", 1) +
                           Node("first", "RangeDataset", "begin end step", kElement);

// "next" gives the elements of `dataset`, once "init" has run.
std::string Iterator(const std::string& dataset) {
  return Node("iterator", "IteratorV2", "",
              Attr("shared_name", "s: 'it'") + Attr("container", "s: ''") + kElement) +
         Node("init", "MakeIterator", dataset + " iterator") +
         Node("next", "IteratorGetNext", "iterator", kElement);
}

// What each of the steps ends with that fetch or run these, in a thread of the default size.
std::vector<Status> StatusesOf(const std::string& text, const std::vector<std::string>& steps,
                               const std::string& passes = "default") {
  const std::string file =
      absl::StrCat(::testing::TempDir(), "/",
                   ::testing::UnitTest::GetInstance()->current_test_info()->name(), ".pbtxt");
  std::ofstream(file) << text;
  std::vector<Status> statuses(steps.size());
  std::thread([&] {
    auto graph = std::make_shared<Graph>();
    const Status imported = ImportGraphFile(file, ImportOptions(), graph.get());
    ASSERT_TRUE(imported.ok()) << imported;
    SessionOptions options;
    options.passes = passes;
    auto session = Session::Create(options, std::move(graph));
    ASSERT_TRUE(session.ok()) << session.status();
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool fetches = steps[i].find(':') != std::string::npos;
      std::vector<std::string> fetched, targets;
      (fetches ? fetched : targets).push_back(steps[i]);
      RunOptions run;
      run.timeout_ms = 120'000;
      std::vector<Tensor> out;
      statuses[i] = (*session)->Run(run, {}, fetched, targets, &out, nullptr);
    }
  }).join();
  return statuses;
}

// The first error.
Status RunSteps(const std::string& text, const std::vector<std::string>& steps) {
  for (const Status& status : StatusesOf(text, steps)) {
    if (!status.ok()) return status;
  }
  return OkStatus();
}

std::string Chain(int length) {
  std::string text = kRange;
  std::string last = "first";
  for (int i = 0; i < length; ++i) {
    const std::string name = absl::StrCat("d", i);
    text += Node(name, "TakeDataset", last + " step", kElement);
    last = name;
  }
  return text + Iterator(last);
}

TEST(DeepValuesTest, ChainsOfDatasetsHaveALimit) {
  const Status enough = RunSteps(Chain(999), {"init", "next:0"});
  EXPECT_TRUE(enough.ok()) << enough;
  const Status s = RunSteps(Chain(kDeep), {"init"});
  EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("'d999' would make a deeper one"));
}

TEST(DeepValuesTest, DatasetsTwiceInEachOtherCostNoMore) {
  std::string text = kRange;
  std::string last = "first";
  for (int i = 0; i < 500; ++i) {
    const std::string name = absl::StrCat("d", i);
    text += Node(name, "ConcatenateDataset", absl::StrCat(last, " ", last), kElement);
    last = name;
  }
  const Status s = RunSteps(text + Iterator(last), {"init", "next:0", "next:0"});
  EXPECT_TRUE(s.ok()) << s;
}

TEST(DeepValuesTest, LoopsThatMakeDatasets) {
  const std::string take = Node("take", "TakeDataset", "x one:output:0", kElement, "node_def");
  const std::string captures =
      Const("two", 2, "node_def") +
      Node("range", "RangeDataset", "one:output:0 two:output:0 one:output:0", kElement,
           "node_def") +
      Node("take", "FlatMapDataset", "range:handle:0 x",
           kElement + Func("f", "second") + Attr("Targuments", "list { type: DT_VARIANT }"),
           "node_def");
  const std::string second =
      Function("second", "a:DT_INT64 b:DT_VARIANT", "c:DT_VARIANT=same:output:0",
               Node("same", "Identity", "b", Attr("T", "type: DT_VARIANT"), "node_def"));
  for (const std::string& nodes : {take, captures}) {
    const Status deep = RunSteps(kRange + Loop(kDeep, nodes, "take:handle:0", second), {"loop:1"});
    EXPECT_EQ(deep.code(), Code::kResourceExhausted) << deep;
    const std::string less =
        kRange + Loop(900, nodes, "take:handle:0", second) + Iterator("loop:1");
    const Status s = RunSteps(less, {"init", "next:0"});
    EXPECT_TRUE(s.ok()) << s;
  }
}

// Functions that make datasets of themselves.
TEST(DeepValuesTest, FunctionsOfDatasetsThatCallThemselves) {
  const std::string range = Const("zero", 0, "node_def") + Const("one", 1, "node_def") +
                            Node("range", "RangeDataset", "zero:output:0 one:output:0 one:output:0",
                                 kElement, "node_def");
  const std::string calls = kElement + Func("f", "again") + Attr("Targuments", "list { }");
  const std::string flat = Node("made", "FlatMapDataset", "range:handle:0", calls, "node_def");
  const std::string interleaved =
      Node("made", "ParallelInterleaveDatasetV2",
           "range:handle:0 one:output:0 one:output:0 one:output:0", calls, "node_def");
  for (const std::string& made : {flat, interleaved}) {
    const std::string again =
        "library {" + Function("again", "x:DT_INT64", "y:DT_VARIANT=made:handle:0", range + made) +
        "}\n";
    const std::string text =
        kRange + Node("all", "FlatMapDataset", "first", calls) + Iterator("all") + again;
    const Status s = RunSteps(text, {"init", "next:0"});
    EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
  }
}

TEST(DeepValuesTest, FunctionsThatReadDatasetsThatCallThem) {
  const std::string calls = kElement + Func("f", "again") + Attr("Targuments", "list { }") +
                            Attr("Tstate", "list { type: DT_INT64 }");
  for (const char* source : {"RangeDataset", "PrefetchDataset"}) {
    std::string body = Const("zero", 0, "node_def") + Const("one", 1, "node_def") +
                       Node("range", "RangeDataset", "zero:output:0 one:output:0 one:output:0",
                            kElement, "node_def");
    std::string read = "range:handle:0";
    if (std::string(source) == "PrefetchDataset") {
      body += Node("ahead", "PrefetchDataset", read + " one:output:0", kElement, "node_def");
      read = "ahead:handle:0";
    }
    body += Node("sum", "ReduceDataset", read + " x", calls, "node_def");
    const std::string again =
        "library {" +
        Function("again", "x:DT_INT64 y:DT_INT64", "z:DT_INT64=sum:components:0", body) + "}\n";
    const Status s =
        RunSteps(kRange + Node("all", "ReduceDataset", "first begin", calls) + again, {"all:0"});
    EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
  }
}

// Lists in lists and the like are values like others; only what they are written as is limited.
TEST(DeepValuesTest, VariantsInVariants) {
  const std::string element = Attr("element_dtype", "type: DT_VARIANT");
  const std::string list =
      Const("shape", -1, "node_def", "INT32") +
      Node("empty", "EmptyTensorList", "shape:output:0 shape:output:0",
           element + Attr("shape_type", "type: DT_INT32"), "node_def") +
      Node("made", "TensorListPushBack", "empty:handle:0 x", element, "node_def");
  const std::string optional = Node("made", "OptionalFromValue", "x",
                                    Attr("Toutput_types", "list { type: DT_VARIANT }"), "node_def");
  const std::string map =
      Node("empty", "EmptyTensorMap", "", "", "node_def") +
      Node("made", "TensorMapInsert", "empty:handle:0 one:output:0 x",
           Attr("key_dtype", "type: DT_INT64") + Attr("value_dtype", "type: DT_VARIANT"),
           "node_def");
  const std::pair<std::string, std::string> kinds[] = {
      {list, "made:output_handle:0"}, {optional, "made:optional:0"}, {map, "made:output_handle:0"}};
  for (const auto& [nodes, result] : kinds) {
    const std::string text = kRange + Loop(kDeep, nodes, result);
    const Status s = RunSteps(text, {"loop:1"});
    EXPECT_TRUE(s.ok()) << result << ": " << s;
    const std::string zeros =
        text + Node("zeros", "ZerosLike", "loop:1", Attr("T", "type: DT_VARIANT")) +
        Node("sum", "AddN", "loop:1 loop:1", Attr("T", "type: DT_VARIANT") + Attr("N", "i: 2"));
    for (const char* step : {"zeros:0", "sum:0"}) {
      EXPECT_EQ(RunSteps(zeros, {step}).code(), Code::kInvalidArgument) << result << " " << step;
    }
  }
}

// "f0" calls "f1", and so on.
std::string ChainOfFunctions(int length) {
  std::string library = "library {";
  for (int i = 0; i < length; ++i) {
    const std::string types = Attr("Tin", "list { type: DT_FLOAT }") +
                              Attr("Tout", "list { type: DT_FLOAT }") +
                              Func("f", absl::StrCat("f", i + 1));
    library += Function(absl::StrCat("f", i), "x:DT_FLOAT", "y:DT_FLOAT=call:output:0",
                        Node("call", "PartitionedCall", "x", types, "node_def"));
  }
  library += Function(absl::StrCat("f", length), "x:DT_FLOAT", "y:DT_FLOAT=same:y:0",
                      Node("same", "Neg", "x", Attr("T", "type: DT_FLOAT"), "node_def"));
  return library + "}\n";
}

TEST(DeepValuesTest, FunctionsThatCallFunctions) {
  const std::string types = Attr("Tin", "list { type: DT_FLOAT }") +
                            Attr("Tout", "list { type: DT_FLOAT }") + Func("f", "f0");
  const std::string both = Attr("Tin", "list { type: DT_FLOAT type: DT_FLOAT }") +
                           Attr("Tout", "list { type: DT_FLOAT }") + Func("f", "f0");
  const std::string float_element =
      Attr("output_types", "list { type: DT_FLOAT }") + Attr("output_shapes", "list { shape {} }");
  const std::string text =
      ChainOfFunctions(kDeep) + Const("x", 1, "node", "FLOAT") +
      Node("call", "PartitionedCall", "x", types) + Node("by_name", "f0", "x") +
      Node("gradient", "SymbolicGradient", "x x", both) +
      Node("source", "TensorDataset", "x",
           Attr("Toutput_types", "list { type: DT_FLOAT }") +
               Attr("output_shapes", "list { shape {} }")) +
      Node("map", "MapDataset", "source",
           float_element + Func("f", "f0") + Attr("Targuments", "list { }")) +
      Node("iterator", "IteratorV2", "",
           Attr("shared_name", "s: 'it'") + Attr("container", "s: ''") + float_element) +
      Node("init", "MakeIterator", "map iterator");
  // Whether a function has side effects is asked for before any of them runs.
  const std::vector<Status> ended =
      StatusesOf(text, {"call:0", "by_name:0", "gradient:0", "init"}, "none");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ended[i].code(), Code::kResourceExhausted) << i << ": " << ended[i];
  }
  EXPECT_TRUE(ended[3].ok()) << ended[3];
}

}  // namespace
}  // namespace warpbeam
