// Random small graphs: a placement exists if and only if trying every assignment finds one, and
// every placement keeps the rules.
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "placement/placer.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

constexpr int kCpus = 2, kGpus = 2;

class RandomGraph {
 public:
  // With `free_requests`, nodes that only follow others may ask for devices too.
  RandomGraph(uint32_t seed, bool free_requests) : random_(seed), free_requests_(free_requests) {
    toy.UsualOps();
    toy.Op("GpuVar", "", "ref: Ref(float)", "gpu");
    toy.Op("Both", "a: Ref(float), b: Ref(float)", "", "cpu gpu");
    const int count = 2 + Pick(6);
    for (int i = 0; i < count; ++i) AddNode(absl::StrCat("n", i));
  }

  ToyGraph toy;
  std::vector<std::pair<NodeId, NodeId>> together;
  std::vector<NodeId> bound;  // nodes whose request must be met

  int Pick(int n) { return static_cast<int>(random_() % n); }

 private:
  std::string Request() {
    static const char* const kRequests[] = {"",       "",       "",       "/cpu:0",  "/gpu:0",
                                            "/gpu:1", "/gpu:*", "/cpu:1", "/task:0", "/gpu:5"};
    return kRequests[Pick(10)];
  }
  void AddNode(const std::string& name) {
    std::vector<std::string> inputs, beside;
    std::string op;
    const std::string ref = refs_.empty() ? "" : refs_[Pick(refs_.size())];
    switch (Pick(ref.empty() ? 4 : 8)) {
      case 0:
        op = Pick(3) == 0 ? "GpuVar" : "Var";
        break;
      case 1:
        op = "Source";
        break;
      case 2:
        op = "CpuUnary";
        inputs = {"?"};
        break;
      case 3:
        op = "GpuUnary";
        inputs = {"?"};
        break;
      case 4:
        op = "Both";
        inputs = {ref, refs_[Pick(refs_.size())]};
        break;
      case 5:
        op = "CpuAssign";
        inputs = {ref, "?"};
        break;
      default:
        op = "Assign";
        inputs = {ref, "?"};
    }
    const bool reads = !inputs.empty() && inputs[0] != "?";
    if (!all_.empty() && Pick(3) == 0) beside = {all_[Pick(all_.size())]};
    const bool follows = reads || !beside.empty();
    const std::string device = follows && !free_requests_ ? "" : Request();
    const NodeId id = toy.Node(name, op, inputs, device, beside);
    if (!follows) bound.push_back(id);
    for (const std::string& input : inputs) {
      if (input != "?") together.emplace_back(id, toy.Find(input));
    }
    for (const std::string& other : beside) together.emplace_back(id, toy.Find(other));
    all_.push_back(name);
    if (toy.graph.node(id).num_outputs() == 1 && IsRef(toy.graph.node(id).output_type(0))) {
      refs_.push_back(name);
    }
  }

  std::mt19937 random_;
  const bool free_requests_;
  std::vector<std::string> all_, refs_;
};

bool KeepsRules(const RandomGraph& random, const std::vector<DeviceName>& devices,
                const std::vector<int>& assigned, bool requests_too) {
  const Graph& graph = random.toy.graph;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    const DeviceType type = *devices[assigned[id]].known_type();
    if (!random.toy.catalog.Supports(node.op(), node.attrs(), type)) return false;
  }
  for (auto [a, b] : random.together) {
    if (assigned[a] != assigned[b]) return false;
  }
  if (!requests_too) return true;
  for (NodeId id : random.bound) {
    if (!DeviceName::Parse(graph.node(id).device())->Matches(devices[assigned[id]])) return false;
  }
  return true;
}

bool AnyAssignment(const RandomGraph& random, const std::vector<DeviceName>& devices) {
  const int count = random.toy.graph.num_nodes();
  std::vector<int> assigned(count, 0);
  while (true) {
    if (KeepsRules(random, devices, assigned, true)) return true;
    int i = 0;
    while (i < count && ++assigned[i] == static_cast<int>(devices.size())) assigned[i++] = 0;
    if (i == count) return false;
  }
}

std::vector<int> Assigned(const Placer& placer) { return placer.sites(); }

TEST(PlacerProperty, PlacesExactlyWhatCanBePlaced) {
  const std::vector<DeviceName> devices = ToyDevices(kCpus, kGpus);
  PlacerOptions options;
  options.allow_soft_placement = false;
  int placed = 0;
  constexpr int kRounds = 600;
  for (int round = 0; round < kRounds; ++round) {
    RandomGraph random(round, /*free_requests=*/false);
    Placer placer(&random.toy.catalog, devices, options);
    const Status status = placer.Place(random.toy.graph);
    ASSERT_EQ(status.ok(), AnyAssignment(random, devices)) << "seed " << round << ": " << status;
    if (!status.ok()) continue;
    ++placed;
    EXPECT_TRUE(KeepsRules(random, devices, Assigned(placer), true)) << "seed " << round;
  }
  EXPECT_GT(placed, kRounds / 5);
  EXPECT_LT(placed, kRounds * 4 / 5);
}

TEST(PlacerProperty, KeepsRulesWhateverIsAskedFor) {
  const std::vector<DeviceName> devices = ToyDevices(kCpus, kGpus);
  PlacerOptions options;
  options.allow_soft_placement = false;
  int placed = 0;
  for (int round = 0; round < 3000; ++round) {
    RandomGraph random(round + 100000, /*free_requests=*/true);
    Placer placer(&random.toy.catalog, devices, options);
    if (!placer.Place(random.toy.graph).ok()) continue;
    ++placed;
    EXPECT_TRUE(KeepsRules(random, devices, Assigned(placer), true)) << "seed " << round;
  }
  EXPECT_GT(placed, 300);
}

// What joins nodes by reference must hold even then; the rest may give way.
TEST(PlacerProperty, SoftPlacementFailsOnlyForReferences) {
  const std::vector<DeviceName> devices = ToyDevices(kCpus, kGpus);
  for (int round = 0; round < 3000; ++round) {
    RandomGraph random(round + 200000, /*free_requests=*/true);
    Placer placer(&random.toy.catalog, devices, PlacerOptions());
    const Status status = placer.Place(random.toy.graph);
    const Graph& graph = random.toy.graph;
    if (status.ok()) {
      const std::vector<int> assigned = Assigned(placer);
      for (NodeId id = 0; id < graph.num_nodes(); ++id) {
        for (int i = 0; i < graph.node(id).num_inputs(); ++i) {
          if (!IsRef(graph.node(id).input_type(i))) continue;
          EXPECT_EQ(assigned[id], assigned[graph.node(id).input(i).node]) << "seed " << round;
        }
        const DeviceType type = *devices[assigned[id]].known_type();
        EXPECT_TRUE(random.toy.catalog.Supports(graph.node(id).op(), {}, type));
      }
    } else {
      bool reads = false;
      for (const Node& node : graph.nodes())
        reads = reads || node.op_name() == "Both" || node.op_name() == "CpuAssign" ||
                node.op_name() == "Assign";
      EXPECT_TRUE(reads) << "seed " << round << ": " << status;
    }
  }
}

// Growing a graph by steps never moves a node, and what is placed keeps the rules.
TEST(PlacerProperty, GrowingNeverMoves) {
  const std::vector<DeviceName> devices = ToyDevices(kCpus, kGpus);
  for (int round = 0; round < 1000; ++round) {
    RandomGraph random(round + 300000, /*free_requests=*/true);
    Placer placer(&random.toy.catalog, devices, PlacerOptions());
    if (!placer.Place(random.toy.graph).ok()) continue;
    const std::vector<int> before = Assigned(placer);
    ToyGraph& toy = random.toy;
    for (int i = 0; i < 4; ++i) {
      const std::string beside = absl::StrCat("n", random.Pick(static_cast<int>(before.size())));
      toy.Node(absl::StrCat("late", i), "Unary", {"?"}, i % 2 ? "/gpu:1" : "", {beside});
    }
    ASSERT_TRUE(placer.Place(toy.graph).ok());
    std::vector<int> after = Assigned(placer);
    EXPECT_EQ(after.size(), before.size() + 4);
    after.resize(before.size());
    EXPECT_EQ(after, before);
  }
}

}  // namespace
}  // namespace warpbeam
