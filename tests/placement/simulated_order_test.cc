// Simulated steps beside recorded ones: the simulator runs a step's nodes in the order in which the
// executor began them.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/io/graph_file.h"
#include "gtest/gtest.h"
#include "placement/placer.h"
#include "placement/simulate/simulator.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session.h"
#include "runtime/session/step_compiler.h"
#include "runtime/session/step_part.h"
#include "tools/cli/simulation/planned_step.h"
#include "tools/cli/step/graph_spec.h"

namespace warpbeam {
namespace {

// Nodes by device, in the order in which they began.
using Order = std::map<std::string, std::vector<std::string>>;

class SimulatedOrderTest : public ::testing::Test {
 protected:
  void Read(const std::string& name, int cpus) {
    auto spec = cli::ReadSpec("tools/benchmarks/graphs/" + name + ".json");
    ASSERT_TRUE(spec.ok()) << spec.status();
    spec_ = *std::move(spec);
    options_.cpu_devices = options_.inter_op_threads = options_.intra_op_threads = cpus;
    options_.gpus = 0;
    const Status read = ImportGraphFile(spec_.graph_path, ImportOptions(), graph_.get());
    ASSERT_TRUE(read.ok()) << read;
  }

  Order Recorded() {
    auto session = Session::Create(options_, graph_);
    EXPECT_TRUE(session.ok()) << session.status();
    for (const std::string& target : spec_.init) {
      EXPECT_TRUE((*session)->Run(RunOptions(), {}, {}, {target}, nullptr).ok());
    }
    RunOptions run;
    run.record_schedule = true;
    RunMetadata metadata;
    std::vector<Tensor> out;
    for (int i = 0; i < 2; ++i) {  // the first one makes things ready
      const Status s =
          (*session)->Run(run, spec_.feeds, spec_.fetches, spec_.targets, &out, &metadata);
      EXPECT_TRUE(s.ok()) << s;
    }
    Order order;
    for (const Schedule::Task& task : metadata.schedule.tasks) {
      std::vector<std::string>& lane = order[task.lane];
      lane.insert(lane.end(), task.items.begin(), task.items.end());
    }
    return order;
  }

  Order Simulated() const {
    std::vector<DeviceName> names;
    for (int d = 0; d < options_.cpu_devices; ++d) {
      names.push_back(DeviceName::Local(DeviceType::kCpu, d));
    }
    const StatusOr<Machine> machine = Machine::Usual(names);
    const std::shared_ptr<Graph> copy = graph_->Clone();
    Placer placer(&KernelRegistry::Global(), names, PlacerOptions());
    EXPECT_TRUE(placer.Place(*copy).ok());
    std::vector<OutputRef> feeds;
    for (const auto& [feed, value] : spec_.feeds) {
      feeds.push_back(*ParseOutput(*copy, feed, "feed"));
    }
    const auto part = StepPart::Named(*copy, feeds, spec_.fetches, spec_.targets);
    EXPECT_TRUE(part.ok()) << part.status();
    const auto planned =
        cli::PlannedStep::Make(copy, placer.sites(), *part, *machine, options_.passes);
    EXPECT_TRUE(planned.ok()) << planned.status();
    StepGraphOptions options;
    options.before_passes = &(*planned)->before();
    const auto step = StepGraph::Make((*planned)->graph(), (*planned)->bounds(),
                                      KernelRegistry::Global(), *machine, options);
    EXPECT_TRUE(step.ok()) << step.status();
    Simulator simulator(&*step, &*machine);
    const std::vector<int> devices = step->Devices((*planned)->graph().sites());
    simulator.Run(devices);
    std::vector<int> nodes;
    for (int k : step->serial_order()) {
      if (!step->is_source(k)) nodes.push_back(k);
    }
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](int a, int b) { return simulator.start_s(a) < simulator.start_s(b); });
    Order order;
    for (int k : nodes) {
      order[machine->device(devices[k]).name.ToString()].push_back(step->name(k));
    }
    return order;
  }

  // Of all pairs of nodes of one device, the share that is in the same order in both.
  static double Agreement(const Order& a, const Order& b) {
    int64_t agree = 0, pairs = 0;
    for (const auto& [device, nodes] : a) {
      std::map<std::string, int> place;
      for (const std::string& node : b.at(device)) place.emplace(node, place.size());
      for (size_t i = 0; i < nodes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          const auto first = place.find(nodes[j]), second = place.find(nodes[i]);
          if (first == place.end() || second == place.end()) continue;
          ++pairs;
          agree += first->second < second->second ? 1 : 0;
        }
      }
    }
    return static_cast<double>(agree) / static_cast<double>(std::max<int64_t>(1, pairs));
  }

  cli::GraphSpec spec_;
  SessionOptions options_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

// Not of all pairs: what the compiler makes one task of runs in one go.
TEST_F(SimulatedOrderTest, OneDeviceOfOneThreadRunsNearlyThat) {
  for (const char* name : {"mlp_t1", "lenet_t1", "softmax_adam", "cifar_b128_t1"}) {
    graph_ = std::make_shared<Graph>();
    Read(name, 1);
    EXPECT_GE(Agreement(Simulated(), Recorded()), 0.95) << name;
  }
}

TEST_F(SimulatedOrderTest, TwoDevicesRunNearlyThat) {
  for (const char* name : {"mlp_t2", "lenet_t2"}) {
    graph_ = std::make_shared<Graph>();
    Read(name, 2);
    const Order recorded = Recorded(), simulated = Simulated();
    ASSERT_EQ(recorded.size(), 2u) << name;
    EXPECT_GE(Agreement(simulated, recorded), 0.8) << name;
  }
}

}  // namespace
}  // namespace warpbeam
