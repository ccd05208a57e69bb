#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "graph/types/tensor.h"
#include "gtest/gtest.h"
#include "proto/config.pb.h"
#include "proto/step_stats.pb.h"
#include "runtime/trace/chrome_trace.h"
#include "runtime/trace/run_metadata_proto.h"
#include "runtime/trace/step_stats.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

// a and slow on the CPU, a copied to the GPU, b there waits for the copy.
StepStats Example() {
  StepStats stats;
  stats.start_ns = 1'000'000;
  stats.end_ns = 1'100'000;
  stats.wall_offset_ns = 5'000'000;
  stats.thread_names[77] = "cpu:0/0";
  const auto add = [&](const char* node, const char* op, const char* device, int64_t start,
                       int64_t end, const std::vector<int32_t>& predecessors) {
    NodeStats n;
    n.node = node;
    n.op = op;
    n.device = device;
    n.thread = 77;
    n.scheduled_ns = stats.start_ns + start;
    n.start_ns = stats.start_ns + start;
    n.end_ns = stats.start_ns + end;
    n.predecessors.assign(predecessors.begin(), predecessors.end());
    n.output_bytes = 8;
    OutputStats output;
    output.dtype = DType::kFloat;
    output.shape = Shape({2});
    output.bytes = 8;
    output.allocated_bytes = 64;
    n.outputs.push_back(output);
    stats.nodes.push_back(std::move(n));
  };
  add("a", "Relu", kCpu, 0, 10'000, {});
  add("slow \"x\"", "Tanh", kCpu, 10'000, 40'000, {0});
  stats.nodes[1].workspace_bytes = 640;
  add("a", "_Copy", kGpu, 10'000, 60'000, {0});
  stats.nodes[2].is_copy = true;
  stats.nodes[2].copy_to = kGpu;
  add("b", "Relu", kGpu, 60'000, 90'000, {2});
  return stats;
}

TEST(StepStatsTest, TheCriticalPathIsTheLongestChain) {
  EXPECT_THAT(CriticalPath(Example()), ElementsAre(0, 2, 3));
  // A short node that a busy thread came to last is not what the step waited for.
  StepStats busy = Example();
  busy.nodes.push_back(busy.nodes[0]);
  busy.nodes.back().node = "late";
  busy.nodes.back().start_ns = busy.end_ns - 2'000;
  busy.nodes.back().end_ns = busy.end_ns - 1'000;
  EXPECT_THAT(CriticalPath(busy), ElementsAre(0, 2, 3));
  EXPECT_TRUE(CriticalPath(StepStats()).empty());
  StepStats cycle = Example();
  cycle.nodes[0].predecessors = {3};  // cannot be, and must not hang
  EXPECT_THAT(CriticalPath(cycle), ElementsAre(0, 2, 3));
}

TEST(ChromeTraceTest, RowsArrowsAndTheCriticalPath) {
  const std::string trace = ChromeTrace(Example());
  EXPECT_THAT(trace, HasSubstr(R"("args": {"name": "critical path"})"));
  EXPECT_THAT(trace, HasSubstr(R"("args": {"name": "cpu:0/0 77"})"));
  EXPECT_THAT(trace, HasSubstr(R"("args": {"name": "compute stream"})"));
  EXPECT_THAT(trace, HasSubstr(R"("args": {"name": "copies to the GPU"})"));
  EXPECT_THAT(trace, HasSubstr(R"("name": "slow \"x\"")"));
  EXPECT_THAT(trace, HasSubstr(R"("to": "/job:localhost/replica:0/task:0/device:GPU:0")"));
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (size_t at = 0; (at = trace.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count(R"("critical": true)"), 3);
  EXPECT_EQ(count(R"("ph": "X")"), 7);  // four nodes, three of them on the path
  EXPECT_EQ(count(R"("ph": "s")"), 2);  // a to its copy, the copy to b
  EXPECT_EQ(count(R"("ph": "f")"), 2);
}

TEST(RunMetadataProtoTest, TellsNodesByDevice) {
  tensorflow::StepStats proto;
  ASSERT_TRUE(proto.ParseFromString(SerializeStepStats(Example())));
  ASSERT_EQ(proto.dev_stats_size(), 3);
  EXPECT_EQ(proto.dev_stats(0).device(), kCpu);
  EXPECT_EQ(proto.dev_stats(1).device(), std::string(kGpu) + "/memcpy");
  const tensorflow::NodeExecStats& slow = proto.dev_stats(0).node_stats(1);
  EXPECT_EQ(slow.all_start_micros(), 6010);
  EXPECT_EQ(slow.all_end_rel_micros(), 30);
  EXPECT_EQ(slow.op_end_rel_nanos(), 30'000);
  EXPECT_EQ(slow.timeline_label(), "slow \"x\" = Tanh(a)");
  EXPECT_EQ(slow.memory(0).total_bytes(), 64 + 640);
  EXPECT_EQ(slow.memory(0).live_bytes(), 64);
  EXPECT_EQ(slow.memory_stats().temp_memory_size(), 640);
  EXPECT_FALSE(proto.dev_stats(0).node_stats(0).has_memory_stats());
  EXPECT_EQ(slow.memory(0).allocation_records_size(), 1);
  EXPECT_EQ(slow.output(0).tensor_description().shape().dim(0).size(), 2);
  EXPECT_EQ(proto.dev_stats(0).thread_names().at(77), "cpu:0/0");
}

// What another task tells stands beside what this one has, with threads of its own.
TEST(RunMetadataProtoTest, WhatATaskTellsIsReadBack) {
  StepStats stats = Example();
  {
    tensorflow::StepStats told;
    StepStatsToProto(Example(), &told);
    for (auto& device : *told.mutable_dev_stats()) {
      device.set_device("/job:ps" + device.device().substr(strlen("/job:localhost")));
    }
    stats.wall_offset_ns += 1'000'000;  // the tasks' clocks differ
    AppendStepStats(told, &stats);
  }
  ASSERT_EQ(stats.nodes.size(), 8);
  const auto find = [&](absl::string_view name, bool is_copy) -> const NodeStats& {
    for (const NodeStats& node : stats.nodes) {
      if (node.node == name && node.is_copy == is_copy && node.thread != 77) return node;
    }
    ADD_FAILURE() << "no " << name;
    return stats.nodes[0];
  };
  const NodeStats& slow = find("slow \"x\"", false);
  EXPECT_EQ(slow.op, "Tanh");
  EXPECT_EQ(slow.device, "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(slow.start_ns, 10'000);
  EXPECT_EQ(slow.end_ns, 40'000);
  EXPECT_EQ(slow.outputs[0].shape, Shape({2}));
  EXPECT_EQ(slow.outputs[0].allocated_bytes, 64);
  EXPECT_EQ(slow.workspace_bytes, 640);
  EXPECT_NE(slow.thread, 77);
  EXPECT_EQ(stats.thread_names.at(slow.thread), "cpu:0/0");
  ASSERT_EQ(slow.predecessors.size(), 1);
  EXPECT_EQ(&stats.nodes[slow.predecessors[0]], &find("a", false));
  const NodeStats& copy = find("a", true);
  EXPECT_EQ(copy.op, "_Copy");
  EXPECT_EQ(copy.device, "/job:ps/replica:0/task:0/device:GPU:0");
  ASSERT_EQ(find("b", false).predecessors.size(), 1);
  EXPECT_EQ(&stats.nodes[find("b", false).predecessors[0]], &copy);
  EXPECT_EQ(stats.start_ns, 0);
  EXPECT_EQ(stats.end_ns, 1'100'000);
  for (size_t i = 1; i < 8; ++i) EXPECT_LE(stats.nodes[i - 1].end_ns, stats.nodes[i].end_ns);
  const NodeStats& last = stats.nodes[7];
  EXPECT_EQ(last.thread, 77);
  EXPECT_EQ(last.node, "b");
  EXPECT_TRUE(stats.nodes[last.predecessors[0]].is_copy);
  EXPECT_EQ(stats.nodes[last.predecessors[0]].thread, 77);
}

TEST(RunMetadataProtoTest, LabelsOfAnyFormAreRead) {
  tensorflow::StepStats told;
  for (const char* label :
       {"", " = ", "x = ", "x = Op", "(", "x = Op(", "x = Op(a:0, b", "[Rend]"}) {
    auto* const node = told.add_dev_stats()->add_node_stats();
    node->set_node_name("x");
    node->set_timeline_label(label);
    node->add_output()->mutable_tensor_description()->set_dtype(
        static_cast<tensorflow::DataType>(4711));
  }
  StepStats stats;
  AppendStepStats(told, &stats);
  EXPECT_EQ(stats.nodes.size(), 8);
}

TEST(RunMetadataProtoTest, APartIsReadBack) {
  DeviceGraph part;
  part.nodes.resize(1);
  part.nodes[0].name = "b";
  part.nodes[0].op = "Relu";
  part.nodes[0].device = kCpu;
  part.nodes[0].inputs = {"a:1", "^c"};
  part.nodes[0].attrs.Set("T", DType::kFloat);
  tensorflow::GraphDef proto;
  ASSERT_TRUE(DeviceGraphToProto(part, &proto).ok());
  const auto read = DeviceGraphFromProto(proto);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->device, kCpu);
  ASSERT_EQ(read->nodes.size(), 1);
  EXPECT_THAT(read->nodes[0].inputs, ElementsAre("a:1", "^c"));
}

TEST(RunMetadataProtoTest, HoldsCostAndPartitionGraphs) {
  CostGraph cost;
  cost.nodes.resize(2);
  cost.nodes[1].name = "b";
  cost.nodes[1].id = 1;
  cost.nodes[1].cost_us = 30;
  cost.nodes[1].inputs.push_back({0, 0});
  cost.totals = {{"peak bytes of /cpu:0", 1 << 20}};
  DeviceGraph part;
  part.nodes.resize(1);
  part.nodes[0].name = "b";
  part.nodes[0].op = "Relu";
  part.nodes[0].inputs = {"a:1", "^c"};
  part.nodes[0].attrs.Set("T", DType::kFloat);
  const auto wire = SerializeRunMetadata(Example(), cost, {part});
  ASSERT_TRUE(wire.ok()) << wire.status();
  tensorflow::RunMetadata proto;
  ASSERT_TRUE(proto.ParseFromString(*wire));
  EXPECT_EQ(proto.step_stats().dev_stats_size(), 3);
  EXPECT_EQ(proto.cost_graph().node(1).compute_cost(), 30);
  EXPECT_EQ(proto.cost_graph().node(1).input_info(0).preceding_node(), 0);
  ASSERT_EQ(proto.cost_graph().cost_size(), 1);
  EXPECT_EQ(proto.cost_graph().cost(0).dimension(), "peak bytes of /cpu:0");
  EXPECT_EQ(proto.cost_graph().cost(0).cost(), 1 << 20);
  ASSERT_EQ(proto.partition_graphs_size(), 1);
  EXPECT_EQ(proto.partition_graphs(0).node(0).input(1), "^c");
  EXPECT_EQ(proto.partition_graphs(0).node(0).attr().at("T").type(), tensorflow::DT_FLOAT);
}

}  // namespace
}  // namespace warpbeam
