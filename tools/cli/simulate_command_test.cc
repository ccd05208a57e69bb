// warpbeam simulate and place --auto, on machines that nobody has, and warpbeam calibrate.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tools/cli/command.h"
#include "tools/cli/simulation/calibration.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kModel[] = "frontend/model/testdata/saver/model.ckpt-3.meta";

struct SimulatedOutput {
  int code;
  std::string out;
  std::string err;
};

SimulatedOutput CallSimulator(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  Console console{out, err, /*is_terminal=*/false};
  const int code = RunProgram(words, console);
  return {code, out.str(), err.str()};
}

SimulatedOutput Simulate(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return CallSimulator(words);
}

// A file of the test's own.
std::string SimulatedFile(const std::string& name, const std::string& text = "") {
  const char* root = std::getenv("TEST_TMPDIR");
  const std::string path = (fs::path(root == nullptr ? "." : root) / name).string();
  if (!text.empty()) std::ofstream(path) << text;
  return path;
}

// A CPU that takes a second for each operation of a product, and for nothing else.
std::string SlowCpu(int number) {
  return absl::StrCat(R"({"name": "/cpu:)", number,
                      R"(", "launch_s": 0, "hand_over_s": 0, "wake_s": 0, "rates": {
      "product": {"flops_per_s": 1, "bytes_per_s": 1e30},
      "elements": {"flops_per_s": 1e30, "bytes_per_s": 1e30}}})");
}
std::string SlowMachine(const std::string& more = "") {
  return R"({"devices": [)" + SlowCpu(0) + "]" + more + "}";
}

google::protobuf::Struct ReadJson(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  google::protobuf::Struct object;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text.str(), &object).ok()) << path;
  return object;
}

TEST(SimulateCommand, TellsTheStepOfADescribedMachine) {
  // x, of which the batch is not known, times a matrix of 2 by 1: 2 · batch · 2 · 1 operations.
  const std::string machine = SimulatedFile("slow.json", SlowMachine());
  const std::string json = SimulatedFile("report.json");
  const SimulatedOutput told = Simulate(
      {kModel, "--fetch=y", "--machine=" + machine, "--unknown_extent=10", "--json=" + json});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("A step takes 40 s; no placement on these devices takes less "
                                  "than 40 s.\n"));
  EXPECT_THAT(told.out, HasSubstr("each unknown extent counts as 10."));
  const google::protobuf::Struct report = ReadJson(json);
  EXPECT_NEAR(report.fields().at("step_time_s").number_value(), 40, 1e-9);
  EXPECT_NEAR(report.fields().at("lower_bound_s").number_value(), 40, 1e-9);
  const auto& device = report.fields().at("devices").list_value().values(0).struct_value().fields();
  EXPECT_EQ(device.at("name").string_value(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_NEAR(device.at("busy_s").number_value(), 40, 1e-9);
  EXPECT_GE(device.at("peak_bytes").number_value(), 10 * 2 * 4);
}

TEST(SimulateCommand, UsualDevicesWithoutAMachine) {
  const SimulatedOutput told = Simulate({kModel, "--fetch=y", "--devices=cpu:1,gpu:1"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("GPU:0"));
  EXPECT_EQ(Simulate({kModel, "--fetch=y", "--devices=cpu:1,gpu:1"}).out, told.out);
}

TEST(SimulateCommand, WhatIsWrongIsSaid) {
  const auto error = [](const std::string& machine) {
    return Simulate({kModel, "--machine=" + machine}).err;
  };
  EXPECT_THAT(error(SimulatedFile("missing.json")), HasSubstr("missing.json cannot be read"));
  EXPECT_THAT(error(SimulatedFile("bad.json", "{")), HasSubstr("bad.json: this is no JSON object"));
  EXPECT_THAT(error(SimulatedFile("key.json", SlowMachine(R"(, "link": [])"))),
              HasSubstr("key.json: the machine has no 'link'"));
  SimulatedOutput told = Simulate({kModel, "--devices=tpu:1"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("there are devices of type cpu and gpu, not 'tpu'"));
  told = Simulate({kModel, "--unknown_extent=0"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(Simulate({kModel, "--fetch=z"}).err, HasSubstr("z"));
  EXPECT_THAT(Simulate({kModel, "--target=z"}).err,
              HasSubstr("the target 'z' is no node of the graph"));
  EXPECT_EQ(Simulate({}).code, 2);
}

// Two products of 400 operations that nothing ties to a device, added up on CPU:0. They are not
// equal, so that passes leave both.
constexpr char kTwoProducts[] = R"(
  node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } dim { size: 10 } } } } }
  node { name: "b" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 10 } dim { size: 10 } } } } }
  node { name: "ab" op: "MatMul" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "also_ab" op: "MatMul" input: "a" input: "b"
         attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "transpose_b" value { b: true } } }
  node { name: "sum" op: "Add" input: "ab" input: "also_ab" device: "/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } })";

// One layer, whose product, bias and activation a plan makes one node of.
constexpr char kLayer[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 8 } dim { size: 16 } } } } }
  node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 1
           tensor_shape { dim { size: 16 } dim { size: 4 } } } } } }
  node { name: "b" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT float_val: 1
           tensor_shape { dim { size: 4 } } } } } }
  node { name: "xw" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "sum" op: "BiasAdd" input: "xw" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "y" op: "Relu" input: "sum" attr { key: "T" value { type: DT_FLOAT } } })";

// The nodes of the first device, as the report has them.
int CountNodes(const std::string& path) {
  const google::protobuf::Struct report = ReadJson(path);
  return static_cast<int>(report.fields()
                              .at("devices")
                              .list_value()
                              .values(0)
                              .struct_value()
                              .fields()
                              .at("nodes")
                              .number_value());
}

TEST(SimulateCommand, FollowsThePassesOfAPlan) {
  const std::string graph = SimulatedFile("layer.pbtxt", kLayer);
  const std::string json = SimulatedFile("layer.json");
  ASSERT_EQ(Simulate({graph, "--fetch=y", "--json=" + json}).code, 0);
  EXPECT_EQ(CountNodes(json), 3) << "the constants and one node of three";
  const SimulatedOutput own = Simulate({graph, "--fetch=y", "--passes=none", "--json=" + json});
  EXPECT_EQ(CountNodes(json), 5) << own.err;
  EXPECT_THAT(own.out, HasSubstr("The graph's own nodes run"));
  EXPECT_THAT(Simulate({graph, "--fetch=y", "--passes=melt"}).err, HasSubstr("melt"));
  // A machine that no session of this process could have.
  const std::string far =
      SimulatedFile("far.json", R"({"devices": [{"name": "/job:worker/task:3/cpu:0"}]})");
  EXPECT_THAT(Simulate({graph, "--fetch=y", "--machine=" + far}).out,
              HasSubstr("The graph's own nodes run"));
}

TEST(SimulateCommand, TakesMeasuredCosts) {
  const std::string graph = SimulatedFile("layer.pbtxt", kLayer);
  const std::string costs = SimulatedFile("layer.costs");
  const std::string x = "--feed=x=[" + [] {
    std::string rows;
    for (int i = 0; i < 8; ++i)
      rows += std::string(i > 0 ? "," : "") + "[1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8]";
    return rows;
  }() + "]";
  SimulatedOutput told = CallSimulator({"profile", graph, x, "--fetch=y", "--steps=5",
                                        "--warm_up=1", "--inter=1", "--save_costs=" + costs});
  ASSERT_EQ(told.code, 0) << told.err;
  // The same file tells a session what its nodes cost.
  told = CallSimulator({"run", graph, x, "--fetch=y", "--cost_profile=" + costs});
  EXPECT_EQ(told.code, 0) << told.err;
  told = Simulate({graph, "--fetch=y", "--costs=" + costs});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("1 node takes as long as was measured."));
  told = Simulate({graph, "--fetch=y", "--passes=none", "--costs=" + costs});
  EXPECT_THAT(told.err, HasSubstr("are of another graph or of other devices"));
  told = Simulate({kModel, "--fetch=y", "--costs=" + costs});
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, HasSubstr("are of another graph or of other devices"));
  EXPECT_THAT(Simulate({graph, "--costs=" + SimulatedFile("none.costs")}).err,
              HasSubstr("cannot be read"));
  EXPECT_THAT(Simulate({graph, "--costs=" + graph}).err, HasSubstr("there is no line"));
  told = CallSimulator({"profile", graph, x, "--fetch=y", "--steps=4", "--save_costs=" + costs});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("at least 5 steps, not --steps=4"));
}

TEST(CalibrateCommand, DescribesAMachineThatStepsAreSimulatedOn) {
  const std::string machine = SimulatedFile("calibrated.json");
  SimulatedOutput told =
      CallSimulator({"calibrate", "--devices=cpu:2", "--steps=1", "--out=" + machine});
  ASSERT_EQ(told.code, 0) << told.err;
  const google::protobuf::Struct described = ReadJson(machine);
  const auto& devices = described.fields().at("devices").list_value().values();
  ASSERT_EQ(devices.size(), 2);
  const auto& rates = devices[1].struct_value().fields().at("op_rates").struct_value().fields();
  for (const char* op : {"MatMul", "Conv2DBackpropFilter", "Tanh", "ApplyAdam"}) {
    ASSERT_EQ(rates.count(op), 1u) << op;
    EXPECT_GT(rates.at(op).struct_value().fields().at("bytes_per_s").number_value(), 1e6) << op;
  }
  told = Simulate({kModel, "--fetch=y", "--machine=" + machine});
  EXPECT_EQ(told.code, 0) << told.err;
  told = CallSimulator({"calibrate", "--steps=0"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("--steps must be at least 1, not 0"));
  EXPECT_THAT(CallSimulator({"calibrate", "--devices=gpu:1"}).err,
              HasSubstr("GPUs are not measured"));
  EXPECT_EQ(CallSimulator({"calibrate", "--devices=tpu:1"}).code, 2);
  EXPECT_EQ(CallSimulator({"calibrate", "now"}).code, 2);
}

TEST(CalibrateCommand, ARateIsALineThroughTwoPoints) {
  const auto elements = [](double bytes, double seconds) {
    return MeasuredWork{{CostClass::kElements, 0, bytes, false}, seconds};
  };
  OpRate rate = RateThrough(elements(10, 3), elements(50, 5));
  EXPECT_DOUBLE_EQ(rate.bytes_per_s, 20);
  EXPECT_DOUBLE_EQ(rate.setup_s, 2.5);
  // A cache makes small operands quick: no call takes less than nothing.
  rate = RateThrough(elements(10, 0.1), elements(50, 5));
  EXPECT_EQ(rate.setup_s, 0);
  // A large one that took no longer than a small one.
  rate = RateThrough(elements(10, 5), elements(50, 5));
  EXPECT_DOUBLE_EQ(rate.bytes_per_s, 10);
  rate = RateThrough({{CostClass::kProduct, 10, 1, false}, 1},
                     {{CostClass::kProduct, 30, 1, false}, 2});
  EXPECT_DOUBLE_EQ(rate.flops_per_s, 20);
}

TEST(PlaceAutomatically, WritesAGraphThatIsPlacedAsFound) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string placed = SimulatedFile("placed.pb"), json = SimulatedFile("placed.json");
  const std::string machine =
      SimulatedFile("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  SimulatedOutput told =
      CallSimulator({"place", graph, "--auto", "--machine=" + machine, "--budget=60s",
                     "--fetch=sum", "--out=" + placed, "--json=" + json});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("The placer's rules give a step of 800 s, the search one of 400 "
                                  "s (50.0 % less).\n"));
  const google::protobuf::Struct report = ReadJson(json);
  EXPECT_EQ(report.fields().at("step_time_s").number_value(), 400);
  EXPECT_EQ(report.fields().at("default_step_time_s").number_value(), 800);
  EXPECT_EQ(report.fields().at("lower_bound_s").number_value(), 400);
  // The file's devices are what the placer then takes, and the step is as long as was said.
  told = CallSimulator({"place", placed, "--devices=cpu:2", "--strict_placement"});
  EXPECT_THAT(told.out, HasSubstr("  CPU:1  1")) << told.err;
  told = Simulate({placed, "--machine=" + machine, "--fetch=sum"});
  EXPECT_THAT(told.out, HasSubstr("A step takes 400 s;")) << told.err;
}

TEST(PlaceAutomatically, TellsWhatOtherPlacesWouldCost) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string json = SimulatedFile("moves.json");
  const std::string machine =
      SimulatedFile("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  const SimulatedOutput told = CallSimulator(
      {"place", graph, "--auto", "--machine=" + machine, "--fetch=sum", "--json=" + json});
  ASSERT_EQ(told.code, 0) << told.err;
  // Either product beside the other one makes the step twice as long.
  EXPECT_THAT(told.out, HasSubstr("The moves that would change the step most:\n"
                                  "      800 s  +100.0 %  "));
  const google::protobuf::Struct report = ReadJson(json);
  EXPECT_EQ(report.fields().at("moves").list_value().values_size(), 2);
  const auto& groups = report.fields().at("groups").list_value();
  ASSERT_EQ(groups.values_size(), 2);
  const auto& group = groups.values(0).struct_value().fields();
  EXPECT_EQ(group.at("rule").string_value(), "searched");
  EXPECT_EQ(group.at("seconds").number_value(), 400);
  EXPECT_EQ(group.at("best_other_step_time_s").number_value(), 800);
  EXPECT_NE(group.at("best_other").string_value(), group.at("device").string_value());
}

TEST(Pin, PutsNodesWhereTheyAreWanted) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string machine =
      SimulatedFile("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  SimulatedOutput told =
      Simulate({graph, "--fetch=sum", "--machine=" + machine, "--pin=also_.*=/cpu:1"});
  EXPECT_THAT(told.out, HasSubstr("A step takes 400 s;")) << told.err;
  told = Simulate({graph, "--fetch=sum", "--machine=" + machine, "--pin=.*ab=/cpu:1"});
  EXPECT_THAT(told.out, HasSubstr("A step takes 800 s;")) << told.err;
  // The search leaves them there.
  told = CallSimulator(
      {"place", graph, "--auto", "--fetch=sum", "--machine=" + machine, "--pin=.*ab=/cpu:1"});
  EXPECT_THAT(told.out, HasSubstr("a step of 800 s, the search one of 800 s")) << told.err;
  told = CallSimulator({"place", graph, "--devices=cpu:2", "--pin=ab=/cpu:1"});
  EXPECT_THAT(told.out, HasSubstr("  CPU:1  1")) << told.err;
}

TEST(Pin, WhatIsWrongIsSaid) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const auto call = [&](const std::string& pin) {
    return Simulate({graph, "--fetch=sum", "--devices=cpu:2", "--pin=" + pin});
  };
  const std::tuple<const char*, int, const char*> cases[] = {
      {"ab", 2, "--pin=ab: it is PATTERN=DEVICE"},
      {"=/cpu:1", 2, "it is PATTERN=DEVICE"},
      {"a(=/cpu:1", 2, "'a(' is no regular expression"},
      {"ab=cpu/1", 2, "--pin=ab=cpu/1: "},
      {"b.*b=/cpu:1", 1, "no node's whole name matches the pattern"},
      {"ab=/cpu:7", 1, "--pin=ab=/cpu:7: 'ab' (MatMul) cannot be there"},
      {"ab=/gpu:0", 1, "--pin=ab=/gpu:0: 'ab' (MatMul) cannot be there"},
  };
  for (const auto& [pin, code, error] : cases) {
    const SimulatedOutput told = call(pin);
    EXPECT_EQ(told.code, code) << pin;
    EXPECT_THAT(told.err, HasSubstr(error)) << pin;
  }
}

TEST(SimulateCommand, TellsWhatWouldChange) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string machine =
      SimulatedFile("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  const auto call = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {graph, "--fetch=sum", "--machine=" + machine,
                                      "--pin=also_.*=/cpu:1"};
    words.insert(words.end(), more.begin(), more.end());
    return Simulate(words);
  };
  SimulatedOutput told = call({"--what_if=memory=10B"});
  EXPECT_THAT(told.out, HasSubstr("What if memory=10B: a step takes 400 s (+0.0 %), but does not "
                                  "fit; /job:localhost/replica:0/task:0/device:CPU:0 would need "))
      << told.err;
  // What is pinned to a device that is not there any more has nowhere to go.
  told = call({"--what_if=cpu:1 gone"});
  EXPECT_THAT(told.out, HasSubstr("What if cpu:1 gone: there is none: --pin="));
  told = Simulate({graph, "--fetch=sum", "--machine=" + machine, "--what_if=/cpu:1 gone"});
  EXPECT_THAT(told.out, HasSubstr("What if /cpu:1 gone: a step takes 800 s (+0.0 %).")) << told.err;
  told = Simulate(
      {graph, "--fetch=sum", "--devices=cpu:1,gpu:1", "--pin=ab=/gpu:0", "--what_if=link=1MB/s"});
  EXPECT_THAT(told.out, HasSubstr("What if link=1MB/s: a step takes ")) << told.err;
  EXPECT_THAT(told.out, HasSubstr(" (+")) << "a slower link makes the step longer";
  const std::string json = SimulatedFile("what_if.json");
  told = call({"--what_if=memory=10B", "--what_if=cpu:1 gone", "--json=" + json});
  ASSERT_EQ(told.code, 0) << told.err;
  const auto report = ReadJson(json);
  const auto& changes = report.fields().at("what_if").list_value();
  ASSERT_EQ(changes.values_size(), 2);
  const auto& less = changes.values(0).struct_value().fields();
  EXPECT_EQ(less.at("change").string_value(), "memory=10B");
  EXPECT_EQ(less.at("step_time_s").number_value(), 400);
  EXPECT_FALSE(less.at("fits").bool_value());
  const auto& gone = changes.values(1).struct_value().fields();
  EXPECT_THAT(gone.at("error").string_value(), HasSubstr("--pin="));
  const std::pair<const char*, const char*> cases[] = {
      {"rain", "--what_if=rain: it is 'gpu:2 gone', 'memory=8GiB' or 'link=10GB/s'"},
      {"gpu:2 gone", "the machine has no such device as '/gpu:2'"},
      {"cpu:* gone", "the machine has no device"},
      {"memory=much", "a memory is as large as 8GiB is"},
      {"link=0B/s", "a link is as fast as 10GB/s is"},
      {"link=1GB/s", "the machine has no links"},
  };
  for (const auto& [change, error] : cases) {
    told = call({std::string("--what_if=") + change});
    EXPECT_EQ(told.code, 2) << change;
    EXPECT_THAT(told.err, HasSubstr(error));
  }
}

TEST(SimulateCommand, ComparesWithAnotherPlacement) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string placed = SimulatedFile("compared.pb");
  const std::string machine =
      SimulatedFile("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  ASSERT_EQ(CallSimulator({"place", graph, "--auto", "--machine=" + machine, "--fetch=sum",
                           "--out=" + placed})
                .code,
            0);
  const SimulatedOutput told =
      Simulate({graph, "--fetch=sum", "--machine=" + machine, "--compare=" + placed});
  EXPECT_THAT(told.out,
              HasSubstr("In " + placed + " a step takes 400 s (-50.0 %). Nodes elsewhere: 1.\n"))
      << told.err;
  EXPECT_THAT(told.out, HasSubstr("  1 from /job:localhost/replica:0/task:0/device:CPU:0 to "
                                  "/job:localhost/replica:0/task:0/device:CPU:1\n"));
  EXPECT_EQ(Simulate({graph, "--compare=nowhere.pb"}).code, 1);
  const std::string json = SimulatedFile("compared.json");
  ASSERT_EQ(Simulate({graph, "--fetch=sum", "--machine=" + machine, "--compare=" + placed,
                      "--json=" + json})
                .code,
            0);
  const auto report = ReadJson(json);
  const auto& compared = report.fields().at("compare").struct_value().fields();
  EXPECT_EQ(compared.at("file").string_value(), placed);
  EXPECT_EQ(compared.at("step_time_s").number_value(), 400);
  EXPECT_EQ(compared.at("nodes_elsewhere").number_value(), 1);
  ASSERT_EQ(compared.at("moves").list_value().values_size(), 1);
  EXPECT_EQ(compared.at("moves")
                .list_value()
                .values(0)
                .struct_value()
                .fields()
                .at("nodes")
                .number_value(),
            1);
  EXPECT_TRUE(compared.at("fits").bool_value());
}

// A feed of ones.
std::string Ones(const std::string& name, int rows, int columns) {
  std::string row = "[1";
  for (int i = 1; i < columns; ++i) row += ",1";
  row += "]";
  std::string all = row;
  for (int i = 1; i < rows; ++i) all += "," + row;
  return "--feed=" + name + "=[" + all + "]";
}

TEST(PlaceAutomatically, RunsAStepWhereItWasFound) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string machine =
      SimulatedFile("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  std::vector<std::string> words = {"run",
                                    graph,
                                    "--fetch=sum",
                                    Ones("a", 2, 10),
                                    Ones("b", 10, 10),
                                    "--devices=cpu:2",
                                    "--log_device_placement"};
  SimulatedOutput told = CallSimulator(words);
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.err, ::testing::Not(HasSubstr("CPU:1")));
  const std::string result = told.out;
  words.push_back("--auto_placement");
  words.push_back("--evaluations=100");
  words.push_back("--machine=" + machine);
  told = CallSimulator(words);
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("(MatMul): /job:localhost/replica:0/task:0/device:CPU:1"));
  EXPECT_EQ(told.out, result);
  words[0] = "bench";
  words[6] = "--budget=0";
  told = CallSimulator(words);
  EXPECT_EQ(told.code, 0) << told.err;
}

TEST(PlaceAutomatically, WhatOnlyASearchTakesIsRefusedWithoutOne) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  SimulatedOutput told = CallSimulator({"run", graph, "--fetch=sum", "--machine=x.json"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("--machine belongs to --auto_placement"));
  told = CallSimulator({"run", graph, "--fetch=sum", "--auto_placement", "--evaluations=0"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("--evaluations must be at least 1, not 0"));
}

TEST(PlaceAutomatically, ExplainsItselfNodeByNodeAndInPictures) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string machine =
      SimulatedFile("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  std::vector<std::string> words = {"place",       graph,          "--auto", "--machine=" + machine,
                                    "--fetch=sum", "--format=json"};
  SimulatedOutput told = CallSimulator(words);
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out,
              HasSubstr("\"rule\": \"searched\", \"reason\": \"found by search: a step takes "
                        "400 s, with the rules' placement 800 s; with this group on "));
  words.back() = "--format=html";
  EXPECT_THAT(CallSimulator(words).out, HasSubstr("<svg"));
  words.back() = "--format=tiff";
  EXPECT_EQ(CallSimulator(words).code, 2);
}

TEST(PlaceAutomatically, TheReportHasTheKeysThatProgramsRead) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string json = SimulatedFile("keys.json");
  const SimulatedOutput told = CallSimulator(
      {"place", graph, "--auto", "--devices=cpu:1,gpu:1", "--fetch=sum", "--json=" + json});
  ASSERT_EQ(told.code, 0) << told.err;
  const google::protobuf::Struct report = ReadJson(json);
  double last = 0;
  for (const char* key : {"lower_bound_s", "step_time_s", "default_step_time_s"}) {
    ASSERT_EQ(report.fields().count(key), 1u) << key;
    const double seconds = report.fields().at(key).number_value();
    EXPECT_GE(seconds, last * (1 - 1e-9)) << key;
    EXPECT_GT(seconds, 0) << key;
    last = seconds;
  }
  const auto& devices = report.fields().at("devices").list_value();
  ASSERT_EQ(devices.values_size(), 2);
  for (const auto& value : devices.values()) {
    const auto& device = value.struct_value().fields();
    EXPECT_THAT(device.at("name").string_value(), HasSubstr("/job:localhost/replica:0/task:0"));
    EXPECT_GE(device.at("peak_bytes").number_value(), 0);
    EXPECT_LE(device.at("busy_s").number_value(), last * (1 + 1e-9));
  }
}

TEST(SimulateCommand, DrawsTheStep) {
  const std::string graph = SimulatedFile("two.pbtxt", kTwoProducts);
  const std::string trace = SimulatedFile("simulated.trace"), svg = SimulatedFile("simulated.svg");
  const SimulatedOutput told =
      Simulate({graph, "--fetch=sum", "--devices=cpu:1,gpu:1", "--pin=ab=/gpu:0",
                "--pin=also_ab=/cpu:0", "--passes=none", "--timeline=" + trace, "--svg=" + svg});
  ASSERT_EQ(told.code, 0) << told.err;
  const auto events = ReadJson(trace).fields().at("traceEvents").list_value();
  std::map<std::string, std::pair<double, double>> spans;
  for (const auto& value : events.values()) {
    const auto& event = value.struct_value().fields();
    if (event.at("ph").string_value() != "X" || event.at("cat").string_value() != "op") continue;
    const double start = event.at("ts").number_value();
    const std::string node = event.at("args").struct_value().fields().at("name").string_value();
    spans[node] = {start, start + event.at("dur").number_value()};
  }
  for (const char* node : {"ab", "also_ab", "sum"}) ASSERT_EQ(spans.count(node), 1u) << node;
  EXPECT_GE(spans["sum"].first, spans["ab"].second);
  EXPECT_GE(spans["sum"].first, spans["also_ab"].second);
  std::ifstream file(svg);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("<svg"));
  EXPECT_THAT(text.str(), HasSubstr("also_ab"));
}

TEST(PlaceWithTimes, PicturesShowThePredictedStep) {
  const std::string page = SimulatedFile("times.html"),
                    machine = SimulatedFile("machine.json", R"({"devices": [
      {"name": "/cpu:0"}, {"name": "/gpu:0"}], "links": [{"bytes_per_s": 1e9}]})");
  for (const char* more : {"--auto", "--times"}) {
    const SimulatedOutput told = CallSimulator({"place", kModel, more, "--machine=" + machine,
                                                "--fetch=y", "--format=html", "--output=" + page});
    ASSERT_EQ(told.code, 0) << told.err;
    std::ifstream file(page);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("a step is predicted to take")) << more;
    EXPECT_THAT(text.str(), HasSubstr("\"timeline\"")) << more;
  }
}

TEST(PlaceAutomatically, WhatIsWrongIsSaid) {
  SimulatedOutput told = CallSimulator({"place", kModel, "--auto", "--budget=soon"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("--budget=soon: it is a time such as 10s"));
  EXPECT_EQ(CallSimulator({"place", kModel, "--auto", "--memory=2"}).code, 2);
  told = CallSimulator({"place", kModel, "--out=" + SimulatedFile("unused.pb")});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("belong to --auto"));
  const std::string small =
      SimulatedFile("small.json", R"({"devices": [{"name": "/cpu:0", "memory_bytes": 10}]})");
  told = CallSimulator({"place", kModel, "--auto", "--fetch=y", "--machine=" + small});
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, HasSubstr("no placement was found that fits"));
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
