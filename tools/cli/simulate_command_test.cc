// warpbeam simulate and place --auto, on machines that nobody has.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kModel[] = "frontend/model/testdata/saver/model.ckpt-3.meta";

struct Printed {
  int code;
  std::string out;
  std::string err;
};

Printed Call(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  Console console{out, err, /*is_terminal=*/false};
  const int code = RunProgram(words, console);
  return {code, out.str(), err.str()};
}

Printed Simulate(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return Call(words);
}

// A file of the test's own.
std::string File(const std::string& name, const std::string& text = "") {
  const char* root = std::getenv("TEST_TMPDIR");
  const std::string path = (fs::path(root == nullptr ? "." : root) / name).string();
  if (!text.empty()) std::ofstream(path) << text;
  return path;
}

// A CPU that takes a second for each operation of a product, and for nothing else.
std::string SlowCpu(int number) {
  return absl::StrCat(R"({"name": "/cpu:)", number, R"(", "launch_s": 0, "rates": {
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
  const std::string machine = File("slow.json", SlowMachine());
  const std::string json = File("report.json");
  const Printed told = Simulate(
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
  const Printed told = Simulate({kModel, "--fetch=y", "--devices=cpu:1,gpu:1"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("GPU:0"));
  EXPECT_EQ(Simulate({kModel, "--fetch=y", "--devices=cpu:1,gpu:1"}).out, told.out);
}

TEST(SimulateCommand, WhatIsWrongIsSaid) {
  const auto error = [](const std::string& machine) {
    return Simulate({kModel, "--machine=" + machine}).err;
  };
  EXPECT_THAT(error(File("missing.json")), HasSubstr("missing.json cannot be read"));
  EXPECT_THAT(error(File("bad.json", "{")), HasSubstr("bad.json: this is no JSON object"));
  EXPECT_THAT(error(File("key.json", SlowMachine(R"(, "link": [])"))),
              HasSubstr("key.json: the machine has no 'link'"));
  Printed told = Simulate({kModel, "--devices=tpu:1"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("there are devices of type cpu and gpu, not 'tpu'"));
  told = Simulate({kModel, "--unknown_extent=0"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(Simulate({kModel, "--fetch=z"}).err, HasSubstr("z"));
  EXPECT_THAT(Simulate({kModel, "--target=z"}).err,
              HasSubstr("the target 'z' is no node of the graph"));
  EXPECT_EQ(Simulate({}).code, 2);
}

// Two products of 400 operations that nothing ties to a device, added up on CPU:0.
constexpr char kTwoProducts[] = R"(
  node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 2 } dim { size: 10 } } } } }
  node { name: "b" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape { dim { size: 10 } dim { size: 10 } } } } }
  node { name: "ab" op: "MatMul" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "also_ab" op: "MatMul" input: "a" input: "b"
         attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "sum" op: "Add" input: "ab" input: "also_ab" device: "/cpu:0"
         attr { key: "T" value { type: DT_FLOAT } } })";

TEST(PlaceAutomatically, WritesAGraphThatIsPlacedAsFound) {
  const std::string graph = File("two.pbtxt", kTwoProducts);
  const std::string placed = File("placed.pb"), json = File("placed.json");
  const std::string machine =
      File("two.json", R"({"devices": [)" + SlowCpu(0) + "," + SlowCpu(1) + "]}");
  Printed told = Call({"place", graph, "--auto", "--machine=" + machine, "--budget=60s",
                       "--fetch=sum", "--out=" + placed, "--json=" + json});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("The placer's rules give a step of 800 s, the search one of 400 "
                                  "s (50.0 % less).\n"));
  const google::protobuf::Struct report = ReadJson(json);
  EXPECT_EQ(report.fields().at("step_time_s").number_value(), 400);
  EXPECT_EQ(report.fields().at("default_step_time_s").number_value(), 800);
  EXPECT_EQ(report.fields().at("lower_bound_s").number_value(), 400);
  // The file's devices are what the placer then takes, and the step is as long as was said.
  told = Call({"place", placed, "--devices=cpu:2", "--strict"});
  EXPECT_THAT(told.out, HasSubstr("  CPU:1  1")) << told.err;
  told = Simulate({placed, "--machine=" + machine, "--fetch=sum"});
  EXPECT_THAT(told.out, HasSubstr("A step takes 400 s;")) << told.err;
}

TEST(PlaceAutomatically, WhatIsWrongIsSaid) {
  Printed told = Call({"place", kModel, "--auto", "--budget=soon"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("--budget=soon: it is a time such as 10s"));
  EXPECT_EQ(Call({"place", kModel, "--auto", "--memory=2"}).code, 2);
  told = Call({"place", kModel, "--out=" + File("unused.pb")});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("belong to --auto"));
  const std::string small =
      File("small.json", R"({"devices": [{"name": "/cpu:0", "memory_bytes": 10}]})");
  told = Call({"place", kModel, "--auto", "--fetch=y", "--machine=" + small});
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, HasSubstr("no placement was found that fits"));
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
