#include "placement/simulate/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "placement/cost/machine_json.h"
#include "placement/cost/op_costs.h"
#include "placement/simulate/simulation_report.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Nodes take a second for each element of their output, and transfers, of 4 bytes an element, a
// second for each element and one of latency.
class SimulatorTest : public ::testing::Test {
 protected:
  SimulatorTest() {
    toy_.UsualOps();
    const auto add = [&](OpSchemaBuilder builder) {
      ASSERT_TRUE(toy_.registry.Register(builder).ok());
    };
    add(OpSchemaBuilder("Constant").Role(OpRole::kConstant).Output("x: float"));
    add(OpSchemaBuilder("State").Role(OpRole::kVariable).Output("ref: Ref(float)"));
    add(OpSchemaBuilder("HandOn").PassesOn(PassOn::kValue).Input("x: float").Output("y: float"));
    add(OpSchemaBuilder("Join").Input("x: N * float").Output("y: float").Attr("N: int >= 1"));
    for (const char* op : {"Constant", "State", "HandOn", "Join"}) toy_.catalog.Add(op, "cpu gpu");
    toy_.Op("OnCpu", "x: float", "y: float", "cpu");
    toy_.Op("HostResult", "x: float", "y: float", "cpu gpu", {"y"});
  }

  void Add(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
           int64_t elements, int device) {
    AttrMap attrs;
    if (op == "Join") attrs.Set("N", static_cast<int64_t>(inputs.size()));
    const NodeId id = toy_.Node(name, op, inputs, "", {}, std::move(attrs));
    if (toy_.graph.node(id).num_outputs() > 0) {
      ASSERT_TRUE(toy_.graph.MergeOutputShape(id, 0, {elements}).ok());
    }
    devices_.push_back(device);
  }

  std::string Device(const std::string& name, int lanes = 1) const {
    return absl::StrCat(R"({"name": ")", name, R"(", "launch_s": 0, "hand_over_s": )", hand_over_s_,
                        R"(, "wake_s": )", wake_s_, R"(, "lanes": )", lanes,
                        R"(, "rates": {"elements": {"flops_per_s": 1, "bytes_per_s": 1e30}}})");
  }
  // CPU:0 and these, linked at 4 bytes and a latency of one second.
  void UseMachine(const std::vector<std::string>& others, const std::string& shares = "",
                  int cpu_lanes = 1) {
    std::string json = R"({"devices": [)" + Device("/cpu:0", cpu_lanes);
    for (const std::string& name : others) json += "," + Device(name);
    json += R"(], "links": [{"latency_s": 1, "bytes_per_s": 4, "shares": ")" + shares + "\"}]}";
    auto machine = MachineFromJson(json);
    ASSERT_TRUE(machine.ok()) << machine.status();
    machine_ = std::make_unique<Machine>(*std::move(machine));
  }

  double Run(const std::vector<std::string>& feeds = {},
             const std::vector<std::string>& fetches = {}) {
    std::vector<NodeId> kept;
    for (NodeId id = 0; id < toy_.graph.num_nodes(); ++id) kept.push_back(id);
    std::vector<OutputRef> fed, fetched;
    for (const std::string& feed : feeds) fed.push_back(toy_.Output(feed));
    for (const std::string& fetch : fetches) fetched.push_back(toy_.Output(fetch));
    StepGraphOptions options;
    options.costs = costs_.size() > 0 ? &costs_ : nullptr;
    options.host_block = host_block_;
    auto step =
        StepGraph::Make(toy_.graph, {kept, fed, fetched, {}}, toy_.catalog, *machine_, options);
    EXPECT_TRUE(step.ok()) << step.status();
    if (!step.ok()) return -1;
    step_ = std::make_unique<StepGraph>(*std::move(step));
    simulator_ = std::make_unique<Simulator>(step_.get(), machine_.get());
    return simulator_->Run(devices_);
  }
  double Start(const std::string& node) const { return simulator_->start_s(toy_.Find(node)); }
  double Peak(int memory) const { return simulator_->memories()[memory].peak_bytes; }
  std::string Report() const {
    return SimulationReport::Of(*step_, *machine_, *simulator_, devices_).ToText();
  }
  std::vector<std::string> Path() const {
    std::vector<std::string> path;
    for (const auto& item :
         SimulationReport::Of(*step_, *machine_, *simulator_, devices_).critical_path) {
      path.push_back(item.name);
    }
    return path;
  }

  // A measurement of this very node.
  void Measure(const std::string& node, double seconds, const std::vector<int>& reuses = {},
               double workspace_bytes = 0) {
    const NodeId id = toy_.Find(node);
    costs_.Add({"CPU", "abacus"}, OpCostKey(toy_.graph, toy_.graph.node(id), 32),
               CostOf(toy_.graph, toy_.graph.node(id), 32), seconds, reuses, workspace_bytes);
  }

  ToyGraph toy_;
  OpCosts costs_;
  BlockBytes host_block_ = nullptr;
  double hand_over_s_ = 0, wake_s_ = 0;
  std::vector<int> devices_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<StepGraph> step_;
  std::unique_ptr<Simulator> simulator_;
};

TEST_F(SimulatorTest, AnIdleCpuIsHandedWhatAnotherDeviceHasMadeReady) {
  hand_over_s_ = 0.5;
  wake_s_ = 100;
  UseMachine({"/cpu:1"});
  Add("a", "Source", {}, 4, 0);
  Add("mine", "Unary", {"a"}, 10, 0);
  Add("other", "Unary", {"a"}, 4, 1);
  Add("next", "Unary", {"other"}, 2, 1);
  Add("back", "Unary", {"next"}, 1, 0);
  // The thread that has become idle takes what waits for it at once.
  EXPECT_DOUBLE_EQ(Run(), 0.5 + 4 + 10 + 2);
  EXPECT_DOUBLE_EQ(Start("a"), 0.5);
  EXPECT_DOUBLE_EQ(Start("mine"), 4.5);
  EXPECT_DOUBLE_EQ(Start("other"), 5);
  EXPECT_DOUBLE_EQ(Start("next"), 9);
  EXPECT_DOUBLE_EQ(Start("back"), 14.5);
  wake_s_ = 3;  // the other CPU sleeps before it has something to do
  UseMachine({"/cpu:1"});
  Run();
  EXPECT_DOUBLE_EQ(Start("a"), 0.5);
  EXPECT_DOUBLE_EQ(Start("other"), 7.5);
  EXPECT_DOUBLE_EQ(Start("next"), 11.5);
  EXPECT_DOUBLE_EQ(Start("back"), 15.5 + 0.5);
  // One CPU's step is run by the thread that asks for it.
  devices_.assign(5, 0);
  EXPECT_DOUBLE_EQ(Run(), 4 + 10 + 4 + 4 + 2);
}

TEST_F(SimulatorTest, OneDeviceDoesOneAfterTheOther) {
  UseMachine({});
  Add("a", "Source", {}, 2, 0);
  Add("b", "Unary", {"a"}, 3, 0);
  Add("c", "Unary", {"a"}, 4, 0);
  // A node counts the largest of what it reads and writes.
  EXPECT_EQ(Run(), 2 + 3 + 4);
  EXPECT_EQ(simulator_->devices()[0].busy_s, 9);
  EXPECT_EQ(Start("b"), 2);
  EXPECT_EQ(Start("c"), 5);
  EXPECT_EQ(step_->LowerBoundSeconds(*machine_), 9);
  EXPECT_THAT(Path(), ElementsAre("a", "b", "c"));
}

TEST_F(SimulatorTest, TwoLanesDoTwoAtOnce) {
  UseMachine({}, "", /*cpu_lanes=*/2);
  Add("a", "Source", {}, 2, 0);
  Add("b", "Unary", {"a"}, 3, 0);
  Add("c", "Unary", {"a"}, 4, 0);
  EXPECT_EQ(Run(), 2 + 4);
  EXPECT_EQ(step_->LowerBoundSeconds(*machine_), 6);
  const auto report = SimulationReport::Of(*step_, *machine_, *simulator_, devices_);
  EXPECT_DOUBLE_EQ(report.devices[0].busy_share, 9.0 / (2 * 6));
}

TEST_F(SimulatorTest, ATensorCrossesOnceForAllReadersOfAMemory) {
  UseMachine({"/gpu:0"});
  Add("a", "Source", {}, 2, 0);
  Add("b", "Unary", {"a"}, 3, 1);
  Add("c", "Unary", {"a"}, 4, 1);
  Add("d", "Binary", {"b", "a"}, 5, 0);
  // a 0 to 2; its copy 2 to 5; b 5 to 8, c 8 to 12; b's copy 8 to 12; d 12 to 17.
  EXPECT_EQ(Run(), 17);
  ASSERT_EQ(simulator_->transfers().size(), 2u);
  EXPECT_EQ(simulator_->transfers()[0].start_s, 2);
  EXPECT_EQ(simulator_->transfers()[0].end_s, 5);
  EXPECT_EQ(simulator_->transfers()[0].bytes, 8);
  EXPECT_EQ(Start("c"), 8);
  EXPECT_THAT(Path(), ElementsAre("a", "a:0", "b", "b:0", "d"));
  EXPECT_EQ(step_->LowerBoundSeconds(*machine_), 2 + 3 + 5);
  const std::string text = Report();
  EXPECT_THAT(text, HasSubstr("A step takes 17 s; no placement on these devices takes less than "
                              "10 s."));
  EXPECT_THAT(text, HasSubstr("CPU:0 to GPU:0          1         8 B        3 s    18 %\n"));
}

TEST_F(SimulatorTest, TheReportIsData) {
  UseMachine({"/gpu:0"}, R"(a \"wide\" bus)");
  Add("a", "Source", {}, 2, 0);
  Add("b", "Unary", {"a"}, 3, 1);
  EXPECT_EQ(Run(), 8);
  SimulationReport report = SimulationReport::Of(*step_, *machine_, *simulator_, devices_);
  report.default_step_s = 9;
  EXPECT_EQ(
      report.ToJson(),
      R"({"step_time_s": 8, "lower_bound_s": 5, "default_step_time_s": 9, )"
      R"("devices": [
  {"name": "/job:localhost/replica:0/task:0/device:CPU:0", "busy_s": 2, "busy_share": 0.25, )"
      R"("nodes": 1, "peak_bytes": 8, "resident_bytes": 0, "gradient_bytes": 0, "workspace_bytes": 0, "activation_bytes": 8},
  {"name": "/job:localhost/replica:0/task:0/device:GPU:0", "busy_s": 3, "busy_share": 0.375, )"
      R"("nodes": 1, "peak_bytes": 20, "resident_bytes": 0, "gradient_bytes": 0, "workspace_bytes": 0, "activation_bytes": 20}], "links": [
  {"name": "CPU:0 to GPU:0", "transfers": 1, "bytes": 8, "busy_s": 3, "busy_share": 0.375, )"
      R"("shares": "a \"wide\" bus"}], "critical_path": [
  {"name": "a", "kind": "node", "where": "CPU:0", "start_s": 0, "seconds": 2},
  {"name": "a:0", "kind": "transfer", "where": "CPU:0 to GPU:0", "start_s": 2, "seconds": 3},
  {"name": "b", "kind": "node", "where": "GPU:0", "start_s": 5, "seconds": 3}], )"
      R"("assumptions": []}
)");
}

TEST_F(SimulatorTest, OneTransferAtATimeIsOnAWay) {
  const auto add = [&] {
    Add("a", "Source", {}, 1, 0);
    Add("b", "Source", {}, 1, 0);
    Add("x", "Unary", {"a"}, 6, 1);
    Add("y", "Unary", {"b"}, 6, 2);
    Add("w", "Unary", {"b"}, 1, 1);
  };
  // Copies of a and b to GPU:0 share a way: a's 1 to 3, b's 3 to 5. That to GPU:1 has its own: 2 to
  // 4, so that y ends at 10.
  UseMachine({"/gpu:0", "/gpu:1"});
  add();
  EXPECT_EQ(Run(), 10);
  EXPECT_EQ(Start("x"), 3);
  EXPECT_EQ(Start("y"), 4);
  EXPECT_EQ(Start("w"), 9) << "after x on its device, though its input came at 5";
  // On one bus: a to GPU:0 1 to 3, then what became ready first, b to GPU:1 or GPU:0, 3 to 5 and 5
  // to 7.
  UseMachine({"/gpu:0", "/gpu:1"}, "bus");
  const double step_s = Run();
  EXPECT_EQ(Start("x"), 3);
  double busy = 0;
  for (double seconds : simulator_->ChannelBusySeconds()) busy += seconds;
  EXPECT_EQ(busy, 6);
  EXPECT_EQ(simulator_->ChannelBusySeconds().size(), 1u);
  EXPECT_EQ(simulator_->transfers().back().end_s, 7);
  EXPECT_EQ(step_s, Start("y") + 6);
  EXPECT_THAT(Report(), HasSubstr("on bus"));
}

TEST_F(SimulatorTest, CpusShareTheirMemory) {
  UseMachine({"/cpu:1"});
  Add("a", "Source", {}, 2, 0);
  Add("b", "Unary", {"a"}, 3, 1);
  EXPECT_EQ(Run(), 5);
  EXPECT_TRUE(simulator_->transfers().empty());
  EXPECT_EQ(Peak(0), 4 * (2 + 3));
  EXPECT_THAT(Report(), HasSubstr("in the memory of CPU:0"));
}

// As a worker's thread does, and a stream does not (runtime/step/task_step.h).
TEST_F(SimulatorTest, ACpuGoesOnWithItsOwnReaderAndAStreamInTurn) {
  UseMachine({"/gpu:0"});
  Add("a", "Source", {}, 1, 0);
  Add("b", "Source", {}, 1, 0);
  Add("after_a", "Unary", {"a"}, 1, 0);
  Add("after_b", "Unary", {"b"}, 1, 0);
  Add("elsewhere", "Source", {}, 1, 1);
  Run();
  EXPECT_EQ(Start("after_a"), 1) << "b waits, but this thread has a at hand";
  EXPECT_EQ(Start("b"), 2);
  devices_.assign(5, 1);
  Run();
  EXPECT_EQ(Start("b"), 1);
  EXPECT_EQ(Start("after_a"), 3);
}

TEST_F(SimulatorTest, OneLaneAloneRunsInTheOrderOfThePlan) {
  UseMachine({});
  Add("a", "Source", {}, 1, 0);
  Add("b", "Unary", {"a"}, 10, 0);
  Add("c", "Unary", {"a"}, 20, 0);
  Add("after_c", "Unary", {"c"}, 1, 0);
  Add("after_b", "Unary", {"b"}, 1, 0);
  Run();
  EXPECT_EQ(Start("c"), 1 + 10) << "whatever could go on with b";
  EXPECT_EQ(Start("after_c"), 1 + 10 + 20);
  EXPECT_EQ(Start("after_b"), 1 + 10 + 20 + 20);
  EXPECT_EQ(Peak(0), 4 * (10 + 20 + 1)) << "b is kept for after_b";
}

TEST_F(SimulatorTest, MemoryFromTheProducersStartToTheLastReadersEnd) {
  UseMachine({});
  Add("a", "Source", {}, 10, 0);
  Add("b", "Unary", {"a"}, 20, 0);
  Add("c", "Unary", {"b"}, 30, 0);
  Add("d", "Unary", {"c"}, 1, 0);
  Run();
  EXPECT_EQ(Peak(0), 4 * (20 + 30)) << "b and c; a has been read";
  EXPECT_EQ(simulator_->memories()[0].resident_bytes, 0);
  Run({}, {"a"});
  EXPECT_EQ(Peak(0), 4 * (10 + 20 + 30)) << "what is fetched stays";
}

TEST_F(SimulatorTest, TellsWhatLiesInAMemoryAtItsPeak) {
  UseMachine({"/gpu:0"});
  Add("v", "State", {}, 100, 0);
  Add("a", "Source", {}, 10, 0);
  Add("b", "Unary", {"a"}, 20, 0);
  Add("c", "Unary", {"b"}, 30, 0);
  Add("d", "Unary", {"c"}, 1, 0);
  Add("far", "Source", {}, 50, 1);
  Run();
  const auto held = [&](int memory) {
    std::vector<std::pair<std::string, double>> names;
    for (const HeldTensor& tensor : simulator_->HeldAtPeak(devices_, memory)) {
      names.emplace_back(step_->name(tensor.node), tensor.bytes);
    }
    return names;
  };
  using Pair = std::pair<std::string, double>;
  EXPECT_THAT(held(0), ElementsAre(Pair("v", 400), Pair("c", 120), Pair("b", 80)));
  EXPECT_THAT(held(1), ElementsAre(Pair("far", 200)));
  Run({"a"});
  ASSERT_EQ(simulator_->HeldAtPeak(devices_, 0).size(), 4u) << "what is fed stays to the end";
}

TEST_F(SimulatorTest, HostMemoryIsHandedOutInBlocks) {
  UseMachine({"/gpu:0"});
  host_block_ = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  Add("a", "Source", {}, 10, 0);
  Add("v", "State", {}, 1, 0);
  Add("far", "Source", {}, 10, 1);
  Run();
  EXPECT_EQ(Peak(0), 64 + 64);
  EXPECT_EQ(Peak(1), 40);
}

TEST_F(SimulatorTest, WhatIsHandedOnSharesItsBufferAndStateIsAlwaysThere) {
  UseMachine({"/gpu:0"});
  Add("v", "State", {}, 100, 1);
  Add("k", "Constant", {}, 7, 0);
  Add("read", "HandOn", {"v"}, 100, 1);
  Add("again", "HandOn", {"read"}, 100, 1);
  Add("x", "Binary", {"again", "k"}, 3, 1);
  EXPECT_EQ(Run(), 100) << "only x is work, and reads 100";
  EXPECT_TRUE(simulator_->transfers().empty()) << "constants lie wherever they are read";
  EXPECT_EQ(simulator_->memories()[1].resident_bytes, 4 * (100 + 7));
  EXPECT_EQ(Peak(1), 4 * (100 + 7 + 3));
  EXPECT_EQ(Peak(0), 4 * 7);
}

TEST_F(SimulatorTest, CopiesTakeMemoryOnBothSides) {
  UseMachine({"/gpu:0"});
  Add("a", "Source", {}, 10, 0);
  Add("b", "Unary", {"a"}, 1, 1);
  Add("c", "OnCpu", {"b"}, 1, 0);
  EXPECT_EQ(Run(), 10 + 11 + 10 + 2 + 1);
  EXPECT_EQ(Peak(0), 4 * 10);
  EXPECT_EQ(Peak(1), 4 * (10 + 1));
}

TEST_F(SimulatorTest, FeedsComeFromTheHostAndFetchesGoThere) {
  UseMachine({"/gpu:0"});
  Add("a", "Source", {}, 3, 1);
  Add("b", "Unary", {"a"}, 5, 1);
  // The feed's copy takes 4, b 5, the fetch's copy 6; a, whose output is fed, runs meanwhile.
  EXPECT_EQ(Run({"a"}, {"b"}), 4 + 5 + 6);
  ASSERT_EQ(simulator_->transfers().size(), 2u);
  EXPECT_EQ(simulator_->transfers()[1].to, 0);
}

TEST_F(SimulatorTest, WhatAKernelHasOnTheHostStaysThere) {
  UseMachine({"/gpu:0"});
  Add("a", "Source", {}, 2, 1);
  Add("n", "HostResult", {"a"}, 2, 1);
  Add("b", "OnCpu", {"n"}, 2, 0);
  EXPECT_EQ(Run(), 6) << "nothing is copied";
}

TEST_F(SimulatorTest, ADeviceWithoutAKernelTakesForEver) {
  UseMachine({"/gpu:0"});
  Add("a", "Source", {}, 2, 0);
  Add("b", "OnCpu", {"a"}, 2, 1);
  EXPECT_TRUE(std::isinf(Run()));
  EXPECT_THAT(step_->CheckKernels(*machine_, devices_).message(),
              HasSubstr("'b' has no kernel on '/job:localhost/replica:0/task:0/device:GPU:0'"));
  devices_[1] = 0;
  EXPECT_EQ(Run(), 4);
  EXPECT_TRUE(step_->CheckKernels(*machine_, devices_).ok());
  EXPECT_TRUE(std::isinf(simulator_->Run(std::vector<int>{0})));
  EXPECT_TRUE(std::isinf(simulator_->Run(std::vector<int>{0, 9})));
}

TEST_F(SimulatorTest, ControlEdgesWait) {
  UseMachine({"/gpu:0"});
  Add("a", "Source", {}, 2, 0);
  Add("b", "Source", {"^a"}, 3, 1);
  EXPECT_EQ(Run(), 5);
}

// A random graph on random devices: the same as a straight look at each instant would have it.
class RandomSteps : public SimulatorTest {
 protected:
  void Fill(int nodes, unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int n) { return static_cast<int>(random() % n); };
    for (int k = 0; k < nodes; ++k) {
      std::vector<std::string> inputs;
      for (int i = 0; k > 0 && i < 1 + pick(3); ++i) {
        inputs.push_back(absl::StrCat("n", std::max(0, k - 1 - pick(12))));
      }
      Add(absl::StrCat("n", k), inputs.empty() ? "Source" : "Join", inputs, 1 + pick(9), pick(4));
    }
  }
};

TEST_F(RandomSteps, HoldTheRulesWhateverThePlacement) {
  UseMachine({"/cpu:1", "/gpu:0", "/gpu:1"}, "", /*cpu_lanes=*/2);
  Fill(150, 7);
  Run();
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const double step_s = simulator_->Run(devices_);
    EXPECT_GE(step_s, step_->LowerBoundSeconds(*machine_));
    double busy = 0;
    for (int d = 0; d < machine_->num_devices(); ++d) {
      busy += simulator_->devices()[d].busy_s;
      EXPECT_LE(simulator_->devices()[d].busy_s, step_s * machine_->device(d).lanes + 1e-9);
    }
    double work = 0;
    for (int k = 0; k < step_->num_nodes(); ++k) {
      work += step_->Seconds(k, 0);
      for (int i = step_->first_input(k); i < step_->end_input(k); ++i) {
        const int producer = step_->output(step_->input(i).output).producer;
        EXPECT_LE(simulator_->end_s(producer), simulator_->start_s(k));
      }
    }
    EXPECT_EQ(busy, work);
    // The path leads from the beginning to the end without a gap.
    const std::vector<SimulatedItem> path = simulator_->CriticalPath();
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.front().start_s, 0);
    EXPECT_EQ(path.back().end_s, step_s);
    for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].start_s, path[i - 1].end_s);
    EXPECT_EQ(simulator_->Run(devices_), step_s) << "the same again";
    devices_[random() % devices_.size()] = static_cast<int>(random() % 4);
  }
  // Nothing is left of earlier runs.
  Simulator fresh(step_.get(), machine_.get());
  EXPECT_EQ(fresh.Run(devices_), simulator_->Run(devices_));
  EXPECT_EQ(fresh.memories()[0].peak_bytes, simulator_->memories()[0].peak_bytes);
}

TEST_F(SimulatorTest, WhatWasMeasuredCountsAndScalesTheRest) {
  UseMachine({});
  Add("a", "Source", {}, 2, 0);
  Add("b", "Unary", {"a"}, 3, 0);
  Add("c", "Unary", {"a"}, 6, 0);
  Measure("b", 30);
  // Of a source nothing is known but that others of its class took ten times as long.
  EXPECT_DOUBLE_EQ(Run(), 20 + 30 + 60);
  EXPECT_EQ(step_->num_measured(), 1);
  EXPECT_EQ(step_->num_scaled(), 2);
  EXPECT_THAT(Report(), HasSubstr("1 node takes as long as was measured.\n"));
  EXPECT_THAT(Report(), HasSubstr("2 nodes are not among the measured ones"));
}

TEST_F(SimulatorTest, AnOutputTakesOverWhatNobodyElseNeeds) {
  UseMachine({});
  Add("a", "Source", {}, 10, 0);
  Add("b", "Unary", {"a"}, 10, 0);
  Add("c", "Unary", {"b"}, 10, 0);
  Run();
  EXPECT_EQ(Peak(0), 2 * 40);
  Measure("b", 1, {0});  // and c, which does the same
  Run();
  EXPECT_EQ(Peak(0), 40);
  Add("d", "Unary", {"a"}, 10, 0);
  Run();
  EXPECT_EQ(Peak(0), 2 * 40) << "a is needed again";
}

TEST_F(SimulatorTest, WorkspacesAreThereWhileTheirKernelsRun) {
  UseMachine({});
  Add("a", "Source", {}, 10, 0);
  Add("b", "Unary", {"a"}, 5, 0);
  Add("c", "Unary", {"b"}, 4, 0);
  Measure("b", 1, {}, 100);
  Run();
  EXPECT_EQ(Peak(0), 40 + 20 + 100);
  EXPECT_EQ(simulator_->memories()[0].workspace_bytes, 100);
  std::vector<std::string> held;
  for (const HeldTensor& tensor : simulator_->HeldAtPeak(devices_, 0)) {
    held.push_back(step_->name(tensor.node) + (tensor.is_workspace ? " while it runs" : ""));
  }
  EXPECT_THAT(held, ElementsAre("b while it runs", "a", "b"));
  EXPECT_THAT(Report(), HasSubstr("0 B, 0 B, 100 B\n"));
  Measure("c", 1, {}, 200);
  Run();
  EXPECT_EQ(Peak(0), 20 + 16 + 200) << "b's is gone";
  host_block_ = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  Run();
  EXPECT_EQ(Peak(0), 64 + 64 + 256);
}

TEST_F(SimulatorTest, GradientsArePartOfThePeak) {
  UseMachine({});
  Add("a", "Source", {}, 10, 0);
  Add("gradients/a", "Unary", {"a"}, 5, 0);
  Add("gradients/b", "Unary", {"gradients/a"}, 4, 0);
  Add("c", "Join", {"a", "gradients/b"}, 1, 0);
  Run();
  EXPECT_EQ(Peak(0), 40 + 20 + 16);
  EXPECT_EQ(simulator_->memories()[0].gradient_bytes, 20 + 16);
  const auto report = SimulationReport::Of(*step_, *machine_, *simulator_, devices_);
  EXPECT_THAT(
      report.ToJson(),
      HasSubstr("\"gradient_bytes\": 36, \"workspace_bytes\": 0, \"activation_bytes\": 40"));
  EXPECT_THAT(report.ToJson("\"more\": 1"), HasSubstr(", \"more\": 1}"));
}

}  // namespace
}  // namespace warpbeam
