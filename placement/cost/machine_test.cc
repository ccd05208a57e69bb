#include "placement/cost/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/cost/machine_json.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& json) {
  const auto machine = MachineFromJson(json);
  return machine.ok() ? "" : std::string(machine.status().message());
}

TEST(MachineTest, RatesLatenciesAndDefaults) {
  const auto machine = MachineFromJson(R"({
    "devices": [
      {"name": "/cpu:0", "memory_bytes": "2KiB", "lanes": 3, "launch_s": 0.5,
       "hand_over_s": 0.25, "wake_s": 0.75, "rates": {"product": {"flops_per_s": 4, "bytes_per_s": 100}, "elements": {"bytes_per_s": 8}}},
      {"name": "/gpu:0", "memory_bytes": 1e9}],
    "links": [{"latency_s": 2, "bytes_per_s": 10}]})");
  ASSERT_TRUE(machine.ok()) << machine.status();
  ASSERT_EQ(machine->num_devices(), 2);
  EXPECT_EQ(machine->device(0).name.ToString(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(machine->device(0).memory_bytes, 2048);
  EXPECT_EQ(machine->device(0).lanes, 3);
  EXPECT_EQ(machine->device(0).hand_over_s, 0.25);
  EXPECT_EQ(machine->device(0).wake_s, 0.75);
  EXPECT_EQ(machine->device(1).memory_bytes, 1'000'000'000);
  // By operations, then by bytes.
  EXPECT_DOUBLE_EQ(machine->Seconds({CostClass::kProduct, 40, 100, false}, "", 0), 0.5 + 10);
  EXPECT_DOUBLE_EQ(machine->Seconds({CostClass::kProduct, 4, 300, false}, "", 0), 0.5 + 3);
  EXPECT_DOUBLE_EQ(machine->Seconds({CostClass::kElements, 0, 16, false}, "", 0), 0.5 + 2);
  EXPECT_EQ(machine->Seconds(NodeCost(), "", 0), 0) << "what is no work is not launched";
  EXPECT_DOUBLE_EQ(machine->route(0, 1).Seconds(30), 2 + 3);
  EXPECT_NE(machine->route(0, 1).channel, machine->route(1, 0).channel);
  // What is not said is as usual for the type.
  const auto usual = Machine::Usual(machine->names());
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(machine->device(1).launch_s, usual->device(1).launch_s);
  EXPECT_GT(usual->device(0).hand_over_s, 0);
  EXPECT_EQ(machine->device(0).rate(CostClass::kElements).flops_per_s,
            usual->device(0).rate(CostClass::kElements).flops_per_s);
}

TEST(MachineTest, CpusOfATaskShareAMemoryAndFirstLinksCount) {
  const auto machine = MachineFromJson(R"({
    "devices": [
      {"name": "/job:a/cpu:0"}, {"name": "/job:a/cpu:1"}, {"name": "/job:a/gpu:0"},
      {"name": "/job:b/cpu:0"}],
    "links": [
      {"from": "/job:a/cpu:1", "to": "/gpu:0", "bytes_per_s": 5, "shares": "bus"},
      {"from": "/gpu:*", "to": "/job:b", "bytes_per_s": 6, "shares": "bus", "one_way": true},
      {"bytes_per_s": 7}]})");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->memory_of(1), 0);
  EXPECT_EQ(machine->memory_of(2), 2);
  EXPECT_EQ(machine->host_of(2), 0);
  EXPECT_EQ(machine->memory_of(3), 3);
  EXPECT_EQ(machine->route(0, 2).bytes_per_s, 5) << "a link of CPU:1 is one of its memory";
  EXPECT_EQ(machine->route(2, 0).bytes_per_s, 5);
  EXPECT_EQ(machine->route(2, 3).bytes_per_s, 6);
  EXPECT_EQ(machine->route(3, 2).bytes_per_s, 7) << "one way only";
  EXPECT_EQ(machine->route(0, 2).channel, machine->route(2, 3).channel);
  EXPECT_EQ(machine->channel_name(machine->route(0, 2).channel), "bus");
  EXPECT_NE(machine->route(3, 2).channel, machine->route(0, 3).channel);
}

TEST(MachineTest, ThousandsOfDevicesHaveWaysBetweenAllOfThem) {
  std::vector<MachineDevice> devices;
  for (int task = 0; task < Machine::kMostDevices / 2; ++task) {
    for (const char* type : {"cpu", "gpu"}) {
      const DeviceName name =
          *DeviceName::Parse(absl::StrCat("/job:w/replica:0/task:", task, "/device:", type, ":0"));
      devices.push_back(MachineDevice::Usual(name, *name.known_type()));
    }
  }
  MachineLink near, far;
  near.from = near.to = devices[0].name;  // of the first task's memories
  near.from.type = near.to.type = std::nullopt;
  near.from.id = near.to.id = std::nullopt;
  near.bytes_per_s = 2;
  near.shares = "bus";
  far.bytes_per_s = 3;
  auto machine = Machine::Create(devices, {near, far});
  ASSERT_TRUE(machine.ok()) << machine.status();
  const int last = machine->num_devices() - 1;
  EXPECT_EQ(machine->route(0, 1).bytes_per_s, 2);
  EXPECT_EQ(machine->channel_name(machine->route(1, 0).channel), "bus");
  EXPECT_EQ(machine->route(1, last).bytes_per_s, 3);
  EXPECT_EQ(machine->channel_name(machine->route(1, last).channel), "");
  EXPECT_NE(machine->route(1, last).channel, machine->route(last, 1).channel);
  EXPECT_NE(machine->route(1, last).channel, machine->route(3, last).channel);
  // Without the second link the first task's memories have no way to others.
  machine = Machine::Create(devices, {near});
  EXPECT_THAT(std::string(machine.status().message()),
              HasSubstr("no link from '/job:w/replica:0/task:0/device:CPU:0' to "
                        "'/job:w/replica:0/task:1/device:CPU:0'"));
  devices.push_back(MachineDevice::Usual(*DeviceName::Parse("/job:w/replica:0/task:0/device:CPU:1"),
                                         DeviceType::kCpu));
  EXPECT_THAT(std::string(Machine::Create(devices, {far}).status().message()),
              HasSubstr("more than 8192 devices"));
}

TEST(MachineTest, RatesOfOpsCountInThePlaceOfTheirClass) {
  const auto machine = MachineFromJson(R"({
      "devices": [{"name": "/cpu:0", "model": "abacus", "launch_s": 0.5,
                   "rates": {"elements": {"flops_per_s": 1e30, "bytes_per_s": 10}},
                   "op_rates": {"Tanh": {"flops_per_s": 1e30, "bytes_per_s": 2, "setup_s": 3}}}]})");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->device(0).model, "abacus");
  const NodeCost cost = {CostClass::kElements, 1, 20, false};
  EXPECT_DOUBLE_EQ(machine->Seconds(cost, "Relu", 0), 0.5 + 2);
  EXPECT_DOUBLE_EQ(machine->Seconds(cost, "Tanh", 0), 0.5 + 3 + 10);
}

TEST(MachineTest, WhatIsWrittenIsReadAgain) {
  MachineDevice cpu =
      MachineDevice::Usual(DeviceName::Local(DeviceType::kCpu, 0), DeviceType::kCpu);
  cpu.model = "a \"quick\" one";
  cpu.memory_bytes = 1 << 30;
  cpu.lanes = 3;
  cpu.op_rates["Tanh"].flops_per_s = 7;
  cpu.op_rates["Tanh"].bytes_per_s = 8;
  cpu.op_rates["Tanh"].setup_s = 0.25;
  MachineDevice gpu =
      MachineDevice::Usual(DeviceName::Local(DeviceType::kGpu, 0), DeviceType::kGpu);
  MachineLink link;
  link.from = gpu.name;
  link.latency_s = 0.5;
  link.bytes_per_s = 40;
  link.shares = "bus";
  const auto machine = MachineFromJson(MachineJson({cpu, gpu}, {link}));
  ASSERT_TRUE(machine.ok()) << machine.status();
  ASSERT_EQ(machine->num_devices(), 2);
  const MachineDevice& read = machine->device(0);
  EXPECT_EQ(read.model, cpu.model);
  EXPECT_EQ(read.memory_bytes, cpu.memory_bytes);
  EXPECT_EQ(read.lanes, 3);
  EXPECT_DOUBLE_EQ(read.launch_s, cpu.launch_s);
  EXPECT_DOUBLE_EQ(read.hand_over_s, cpu.hand_over_s);
  EXPECT_DOUBLE_EQ(read.wake_s, cpu.wake_s);
  EXPECT_DOUBLE_EQ(read.rate(CostClass::kProduct).flops_per_s,
                   cpu.rate(CostClass::kProduct).flops_per_s);
  ASSERT_EQ(read.op_rates.count("Tanh"), 1u);
  EXPECT_EQ(read.op_rates.at("Tanh").bytes_per_s, 8);
  EXPECT_EQ(read.op_rates.at("Tanh").setup_s, 0.25);
  EXPECT_DOUBLE_EQ(machine->route(0, 1).Seconds(80), 0.5 + 2);
  EXPECT_EQ(machine->channel_name(machine->route(1, 0).channel), "bus");
}

TEST(MachineTest, MachinesThatMakeNoSense) {
  const std::string cpu = R"({"name": "/cpu:0"})";
  const auto device = [&](const std::string& keys) {
    return R"({"devices": [{"name": "/cpu:0", )" + keys + "}]}";
  };
  const auto links = [&](const std::string& link) {
    return R"({"devices": [)" + cpu + R"(, {"name": "/gpu:0"}], "links": [)" + link + "]}";
  };
  const std::pair<std::string, std::string> cases[] = {
      {"[", "this is no JSON object"},
      {"{}", "the machine has no device"},
      {R"({"device": []})", "the machine has no 'device'; what it may have is devices, links"},
      {R"({"devices": {}})", "'devices' is a list, not an object"},
      {R"({"devices": [1]})", "device 0 is an object, not a number"},
      {R"({"devices": [{"memory_bytes": 1}]})", "device 0 needs a 'name'"},
      {R"({"devices": [{"name": "/device:TPU:0"}]})", "device 0 needs a 'name'"},
      {R"({"devices": [{"name": "/cpu:x"}]})", "device 0: 'name': "},
      {"{\"devices\": [" + cpu + "," + cpu + "]}", "CPU:0' twice"},
      {R"({"devices": [{"name": "/gpu:0"}]})", "GPU:0' has no CPU beside it"},
      {device(R"("speed": 1)"), "device 0 has no 'speed'"},
      {device(R"("rates": {"product": {"flops_per_s": -1}})"),
       "CPU:0': the rates of 'product' must be positive, they are -1"},
      {device(R"("rates": {"elements": {"bytes_per_s": 0}})"), "the rates of 'elements'"},
      {device(R"("rates": {"pool": {}})"), "device 0: 'rates' has no 'pool'"},
      {device(R"("op_rates": {"Tanh": {"flops_per_s": 1}})"),
       "CPU:0': the rates of 'Tanh' must be positive, they are 1 operations and 0 bytes"},
      {device(R"("op_rates": {"Tanh": {"speed": 1}})"), "the rates of 'Tanh' has no 'speed'"},
      {device(R"("op_rates": {"Tanh": {"flops_per_s": 1, "bytes_per_s": 1, "setup_s": -1}})"),
       "'Tanh' takes no time to set up or some, not -1"},
      {device(R"("op_rates": [])"), "'op_rates' is an object, not a list"},
      {device(R"("launch_s": -1)"), "a launch takes no time or some, not -1"},
      {device(R"("wake_s": -1)"), "waking takes no time or some, not -1"},
      {device(R"("hand_over_s": -1)"), "a hand-over takes no time or some, not -1"},
      {device(R"("lanes": 0)"), "at least one lane, not 0"},
      {device(R"("lanes": 1.5)"), "'lanes' is a whole number, not 1.5"},
      {device(R"("lanes": "two")"), "'lanes' is a number, not a text"},
      {device(R"("memory_bytes": -5)"), "cannot be negative: -5"},
      {device(R"("memory_bytes": "lots")"), "'lots' is no number of bytes"},
      {device(R"("memory_bytes": [])"), "'memory_bytes' is a number of bytes"},
      {links(""),
       "no link from '/job:localhost/replica:0/task:0/device:CPU:0' to "
       "'/job:localhost/replica:0/task:0/device:GPU:0'"},
      {links(R"({"from": "/cpu:0", "bytes_per_s": 1, "one_way": true})"), "no link from"},
      {links(R"({"bytes_per_s": -2})"), "its bandwidth must be positive, it is -2"},
      {links(R"({"latency_s": 1})"), "its bandwidth must be positive, it is 0"},
      {links(R"({"latency_s": -1, "bytes_per_s": 1})"), "its latency cannot be -1"},
      {links(R"({"from": "/gpu:7", "bytes_per_s": 1})"),
       "link 0 ('/device:GPU:7' to any device): the machine has no such device"},
  };
  for (const auto& [json, error] : cases) EXPECT_THAT(ErrorOf(json), HasSubstr(error)) << json;
}

TEST(MachineTest, NumbersOfBytes) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0", 0}, {"4096", 4096}, {"1.5KiB", 1536}, {" 2 MiB ", 2 << 20}, {"800MB", 800'000'000},
      {"7B", 7}};
  for (const auto& [text, bytes] : cases) {
    const auto parsed = ParseBytes(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, bytes) << text;
  }
  for (const char* text : {"", "GiB", "-1", "1 Gib", "1e400", "1.2.3MB", "99999999TiB"}) {
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
  }
}

}  // namespace
}  // namespace warpbeam
