// Deterministic sessions: what they refuse, and in which order effects come.
#include <fstream>
#include <set>
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

using ::testing::AllOf;
using ::testing::HasSubstr;
using Code = StatusCode;

std::string Attr(const std::string& key, const std::string& value) {
  return absl::StrCat("attr { key: '", key, "' value { ", value, " } } ");
}
// A node of text format; inputs are separated by spaces.
std::string Node(const std::string& name, const std::string& op, const std::string& inputs = "",
                 const std::string& attrs = "") {
  std::string text = absl::StrCat("node { name: '", name, "' op: '", op, "' ");
  for (const absl::string_view in : absl::StrSplit(inputs, ' ', absl::SkipEmpty())) {
    absl::StrAppend(&text, "input: '", in, "' ");
  }
  return absl::StrCat(text, attrs, "}\n");
}
std::string Const(const std::string& name, const std::string& type, const std::string& value) {
  return Node(name, "Const", "",
              Attr("dtype", "type: " + type) +
                  Attr("value", "tensor { dtype: " + type + " tensor_shape {} " + value + " }"));
}
std::string Float(const std::string& name, const std::string& value) {
  return Const(name, "DT_FLOAT", "float_val: " + value);
}
const std::string kT = Attr("T", "type: DT_FLOAT");
const std::string kOneFloat = "list { type: DT_FLOAT }";

std::string Queue(const std::string& op) {
  return Node("queue", op, "",
              Attr("component_types", kOneFloat) + Attr("shapes", "list { shape {} }") +
                  Attr("capacity", "i: 2"));
}
std::string Enqueue(const std::string& name, const std::string& value) {
  return Node(name, "QueueEnqueueV2", "queue " + value, Attr("Tcomponents", kOneFloat));
}
std::string Dequeue(const std::string& name) {
  return Node(name, "QueueDequeueV2", "queue", Attr("component_types", kOneFloat));
}
std::string Variable(const std::string& name) {
  return Node(name, "VariableV2", "", Attr("dtype", "type: DT_FLOAT") + Attr("shape", "shape {}"));
}

std::unique_ptr<Session> Open(const std::string& text, const SessionOptions& options) {
  const std::string file =
      absl::StrCat(::testing::TempDir(), "/",
                   ::testing::UnitTest::GetInstance()->current_test_info()->line(), ".pbtxt");
  std::ofstream(file) << text;
  auto graph = std::make_shared<Graph>();
  const Status imported = ImportGraphFile(file, ImportOptions(), graph.get());
  EXPECT_TRUE(imported.ok()) << imported;
  auto session = Session::Create(options, std::move(graph));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}
SessionOptions Deterministic() {
  SessionOptions options;
  options.deterministic = true;
  return options;
}
Status RunOne(Session& session, const std::string& target, int64_t timeout_ms = 5000) {
  RunOptions options;
  options.timeout_ms = timeout_ms;
  return session.Run(options, {}, {}, {target}, nullptr);
}

// Refused for a reason that says these words; an ordinary session takes it at least as far as
// running it.
void ExpectRefused(const std::string& graph, const std::string& target,
                   const std::vector<std::string>& words) {
  const Status refused = RunOne(*Open(graph, Deterministic()), target);
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("deterministic session"));
  for (const std::string& word : words) {
    EXPECT_THAT(std::string(refused.message()), HasSubstr(word));
  }
  const Status taken = RunOne(*Open(graph, SessionOptions()), target, /*timeout_ms=*/50);
  EXPECT_TRUE(taken.ok() || IsDeadlineExceeded(taken)) << taken;
}

const std::string kShape = Node(
    "shape", "Const", "",
    Attr("dtype", "type: DT_INT32") +
        Attr("value", "tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 3 }"));
std::string Random(const std::string& name, int seed) {
  return Node(name, "RandomUniform", "shape",
              Attr("T", "type: DT_INT32") + Attr("dtype", "type: DT_FLOAT") +
                  Attr("seed2", absl::StrCat("i: ", seed)));
}

TEST(Refused, RandomOpsWithoutSeeds) {
  ExpectRefused(kShape + Random("noise", 0), "noise", {"'noise'", "RandomUniform", "seed"});
  EXPECT_TRUE(RunOne(*Open(kShape + Random("noise", 7), Deterministic()), "noise").ok());
}

TEST(Refused, QueuesWhoseOrderIsChance) {
  const std::string ops = Float("x", "1") + Enqueue("put", "x") + Dequeue("take");
  ExpectRefused(Queue("RandomShuffleQueueV2") + ops, "put",
                {"'queue'", "RandomShuffleQueueV2", "how full", "ShuffleDataset"});
  ExpectRefused(Node("queue", "PriorityQueueV2", "",
                     Attr("component_types", kOneFloat) + Attr("shapes", "list { shape {} }")) +
                    Const("key", "DT_INT64", "int64_val: 1") + Float("x", "1") +
                    Node("put", "QueueEnqueueV2", "queue key x",
                         Attr("Tcomponents", "list { type: DT_INT64 type: DT_FLOAT }")),
                "put", {"'queue'", "PriorityQueueV2"});
  EXPECT_TRUE(RunOne(*Open(Queue("FIFOQueueV2") + ops, Deterministic()), "put").ok());
}

TEST(Refused, QueuesThatSeveralStepsFill) {
  const std::string graph = Queue("FIFOQueueV2") + Float("x", "1") + Enqueue("first", "x") +
                            Enqueue("second", "x") + Node("both", "NoOp", "^first ^second");
  ExpectRefused(graph, "first", {"'first'", "QueueEnqueueV2", "'second'", "'queue'"});
  EXPECT_TRUE(RunOne(*Open(graph, Deterministic()), "both").ok());
}

TEST(Refused, AccumulatorsThatSeveralStepsFill) {
  const std::string apply = "accumulator step x";
  const std::string graph =
      Node("accumulator", "ConditionalAccumulator", "",
           Attr("dtype", "type: DT_FLOAT") + Attr("shape", "shape {}")) +
      Const("step", "DT_INT64", "int64_val: 0") + Float("x", "1") +
      Node("one", "AccumulatorApplyGradient", apply, Attr("dtype", "type: DT_FLOAT")) +
      Node("two", "AccumulatorApplyGradient", apply, Attr("dtype", "type: DT_FLOAT")) +
      Node("both", "NoOp", "^one ^two") + Node("count", "AccumulatorNumAccumulated", "accumulator");
  ExpectRefused(graph, "one", {"'one'", "AccumulatorApplyGradient", "'two'"});
  ExpectRefused(graph, "count", {"'count'", "how far other steps"});
  EXPECT_TRUE(RunOne(*Open(graph, Deterministic()), "both").ok());
}

TEST(Refused, StagesAndSizes) {
  ExpectRefused(Float("x", "1") + Node("stage", "Stage", "x", Attr("dtypes", kOneFloat)), "stage",
                {"'stage'", "(Stage", "PrefetchDataset"});
  ExpectRefused(Queue("FIFOQueueV2") + Node("size", "QueueSizeV2", "queue"), "size",
                {"'size'", "QueueSizeV2"});
}

const std::string kTypes = Attr("output_types", kOneFloat) +
                           Attr("output_shapes", "list { shape { unknown_rank: true } }");
const std::string kData = Float("x", "1") + Node("data", "TensorDataset", "x",
                                                 Attr("Toutput_types", kOneFloat) +
                                                     Attr("output_shapes", "list { shape {} }"));
std::string Seed(const std::string& name, int value) {
  return Const(name, "DT_INT64", absl::StrCat("int64_val: ", value));
}

TEST(Refused, UnseededDatasets) {
  const auto shuffle = [&](int seed) {
    return kData + Seed("buffer", 3) + Seed("seed", seed) + Seed("seed2", 0) +
           Node("shuffle", "ShuffleDataset", "data buffer seed seed2", kTypes);
  };
  ExpectRefused(shuffle(0), "shuffle", {"'shuffle'", "ShuffleDataset", "no seed"});
  EXPECT_TRUE(RunOne(*Open(shuffle(1), Deterministic()), "shuffle").ok());
  const auto generator = [&](int seed) {
    return Seed("seed", seed) + Seed("seed2", 0) + Const("reshuffle", "DT_BOOL", "bool_val: true") +
           Node("generator", "AnonymousSeedGenerator", "seed seed2 reshuffle");
  };
  ExpectRefused(generator(0), "generator", {"'generator'", "AnonymousSeedGenerator", "no seed"});
  EXPECT_TRUE(RunOne(*Open(generator(1), Deterministic()), "generator").ok());
}

std::string Library(const std::string& name, const std::string& nodes, const std::string& result) {
  return absl::StrCat("library { function { signature { name: '", name,
                      "' is_stateful: true input_arg { name: 'x' type: DT_FLOAT } "
                      "output_arg { name: 'y' type: DT_FLOAT } } ",
                      nodes, " ret { key: 'y' value: '", result, "' } } }\n");
}
std::string InFunction(std::string node) { return "node_def" + node.substr(4); }
std::string Map(const std::string& attrs) {
  return Node("map", "ParallelMapDatasetV2", "data calls",
              Attr("f", "func { name: 'fn' }") + Attr("Targuments", "list {}") + kTypes + attrs);
}

TEST(Refused, DatasetsInAnyOrder) {
  const std::string graph =
      kData + Seed("calls", 2) +
      Library("fn", InFunction(Node("same", "Identity", "x", kT)), "same:output:0");
  ExpectRefused(graph + Map(Attr("deterministic", "s: 'false'")), "map",
                {"'map'", "ParallelMapDatasetV2", "deterministic"});
  EXPECT_TRUE(RunOne(*Open(graph + Map(""), Deterministic()), "map").ok());
}

TEST(Refused, FunctionsThatDraw) {
  const auto body = [](int seed) {
    return Library("fn",
                   InFunction(kShape) + InFunction(Random("noise", seed)) +
                       InFunction(Node("sum", "AddV2", "x noise:output:0", kT)),
                   "sum:z:0");
  };
  std::string shape_ref = body(0), seeded = body(5);
  for (std::string* text : {&shape_ref, &seeded}) {
    const size_t at = text->find("input: 'shape'");
    text->replace(at, 14, "input: 'shape:output:0'");
  }
  const std::string call = Float("x", "1") + Node("call", "StatefulPartitionedCall", "x",
                                                  Attr("Tin", kOneFloat) + Attr("Tout", kOneFloat) +
                                                      Attr("f", "func { name: 'fn' }"));
  ExpectRefused(call + shape_ref, "call", {"'call'", "'noise' (RandomUniform)", "seed"});
  EXPECT_TRUE(RunOne(*Open(call + seeded, Deterministic()), "call").ok());
  ExpectRefused(kData + Seed("calls", 2) + Map("") + seeded, "map",
                {"'map'", "'noise' (RandomUniform)", "several threads"});
}

TEST(Refused, DevicesThatCutByThreads) {
  SessionOptions options = Deterministic();
  options.devices = *CreateDevices(SessionOptions());
  const auto session = Session::Create(options, std::make_shared<Graph>());
  EXPECT_EQ(session.status().code(), Code::kInvalidArgument);
}

// What the fetches give under perturbed schedules, as one text for each schedule.
std::set<std::string> Outcomes(const std::string& graph, const std::vector<std::string>& inits,
                               const std::vector<std::string>& fetches,
                               const std::vector<std::string>& targets, bool deterministic) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SessionOptions options;
    options.deterministic = deterministic;
    options.stress_seed = seed;
    options.passes = "none";
    const auto session = Open(graph, options);
    for (const std::string& init : inits) EXPECT_TRUE(RunOne(*session, init).ok());
    std::vector<Tensor> out;
    RunOptions run;
    run.timeout_ms = 60'000;  // on the session's threads, of which there are several
    const Status status = session->Run(run, {}, fetches, targets, &out);
    EXPECT_TRUE(status.ok()) << status;
    std::string text;
    for (const Tensor& t : out) absl::StrAppend(&text, t.scalar<float>(), " ");
    outcomes.insert(text);
  }
  return outcomes;
}

// Without the mode the order is free, which shows; with it there is one.
void ExpectOneOrder(const std::string& graph, const std::vector<std::string>& inits,
                    const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets, const std::string& want) {
  EXPECT_GT(Outcomes(graph, inits, fetches, targets, false).size(), 1u);
  EXPECT_EQ(Outcomes(graph, inits, fetches, targets, true), std::set<std::string>{want});
}

TEST(Ordered, UpdatesOfOneVariable) {
  const std::string graph = Variable("v") + Float("zero", "0") + Float("ten", "10") +
                            Float("one", "1") + Node("init", "Assign", "v zero", kT) +
                            Node("set", "Assign", "v ten", kT) +
                            Node("add", "AssignAdd", "v one", kT);
  ExpectOneOrder(graph, {"init"}, {"v"}, {"set", "add"}, "11 ");
}

TEST(Ordered, ReadsBeforeUpdates) {
  const std::string graph = Variable("v") + Float("zero", "0") + Float("one", "1") +
                            Node("init", "Assign", "v zero", kT) +
                            Node("add", "AssignAdd", "v one", kT) +
                            Node("read", "Identity", "v", kT);
  ExpectOneOrder(graph, {"init"}, {"read"}, {"add"}, "0 ");
}

TEST(Ordered, ResourceVariables) {
  const std::string graph =
      Node("v", "VarHandleOp", "", Attr("dtype", "type: DT_FLOAT") + Attr("shape", "shape {}")) +
      Float("two", "2") + Float("one", "1") +
      Node("init", "AssignVariableOp", "v two", Attr("dtype", "type: DT_FLOAT")) +
      Node("set", "AssignVariableOp", "v one", Attr("dtype", "type: DT_FLOAT")) +
      Node("read", "ReadVariableOp", "v", Attr("dtype", "type: DT_FLOAT"));
  ExpectOneOrder(graph, {"init"}, {"read"}, {"set"}, "2 ");
}

TEST(Ordered, DequeuesOfTowers) {
  const std::string graph = Queue("FIFOQueueV2") + Float("x", "1") + Variable("v") +
                            Node("init", "Assign", "v x", kT) +
                            Node("next", "AssignAdd", "v x", kT) + Enqueue("put", "next") +
                            Dequeue("tower_0") + Dequeue("tower_1");
  ExpectOneOrder(graph, {"init", "put", "put"}, {"tower_0", "tower_1"}, {}, "2 3 ");
}

// The branch that is not taken has a dead node: what comes after it runs all the same.
TEST(Ordered, BranchesThatAreNotTaken) {
  const std::string graph =
      Variable("v") + Float("zero", "0") + Float("ten", "10") + Float("one", "1") +
      Const("yes", "DT_BOOL", "bool_val: true") + Node("init", "Assign", "v zero", kT) +
      Node("switch", "Switch", "ten yes", kT) + Node("never", "Assign", "v switch", kT) +
      Node("taken", "Assign", "v switch:1", kT) + Node("after", "AssignAdd", "v one", kT);
  ExpectOneOrder(graph, {"init"}, {"v"}, {"never", "taken", "after"}, "11 ");
}

TEST(AtOnce, TwoStepsMayNotFillOneQueue) {
  const auto session =
      Open(Queue("FIFOQueueV2") + Float("x", "1") + Enqueue("put", "x") + Dequeue("take"),
           Deterministic());
  ASSERT_TRUE(RunOne(*session, "put").ok());
  ASSERT_TRUE(RunOne(*session, "put").ok());  // full
  Status waited;
  std::thread other([&] {
    do {
      waited = RunOne(*session, "put", 60'000);
    } while (IsFailedPrecondition(waited));
  });
  Status refused;
  do {
    refused = RunOne(*session, "put", 1);
  } while (IsDeadlineExceeded(refused));
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("'put'"), HasSubstr("'queue'"), HasSubstr("from one thread")));
  // Emptying it meanwhile is what queues are for.
  EXPECT_TRUE(RunOne(*session, "take").ok());
  other.join();
  EXPECT_TRUE(waited.ok()) << waited;
}

}  // namespace
}  // namespace warpbeam
