#include "placement/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "placement/average.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = StatusCode;

// Devices of a process: two CPUs, then two GPUs.
constexpr Site kCpu0 = 0, kCpu1 = 1, kGpu0 = 2, kGpu1 = 3;

class PartitionTest : public ::testing::Test {
 protected:
  PartitionTest() { Begin(); }
  void Begin() {
    toy_ = std::make_unique<ToyGraph>();
    toy_->UsualOps();
    toy_->Op("Text", "", "y: string", "cpu gpu");
    toy_->Op("Length", "x: string", "y: float", "cpu gpu");
    toy_->Op("AtIndex", "x: float, at: int32", "y: float", "cpu gpu", {"at"});
    sites_.clear();
  }
  NodeId Node(const std::string& name, const std::string& op,
              const std::vector<std::string>& inputs, Site site) {
    const NodeId id = toy_->Node(name, op, inputs);
    sites_.push_back(site);
    return id;
  }
  StatusOr<Partition> Run(const std::vector<std::string>& fetches = {},
                          const std::vector<std::string>& feeds = {}) {
    kept_.clear();
    for (NodeId id = 0; id < toy_->graph.num_nodes(); ++id) kept_.push_back(id);
    return RunKept(fetches, feeds);
  }
  StatusOr<Partition> RunKept(const std::vector<std::string>& fetches,
                              const std::vector<std::string>& feeds) {
    fetches_.clear();
    feeds_.clear();
    for (const std::string& fetch : fetches) fetches_.push_back(toy_->Output(fetch));
    for (const std::string& feed : feeds) feeds_.push_back(toy_->Output(feed));
    return PartitionGraph(toy_->graph, {kept_, feeds_, fetches_, {}}, sites_, devices_,
                          toy_->catalog);
  }
  // "x:0 host to device, for y 0".
  std::vector<std::string> Copies(const Partition& p) const {
    std::vector<std::string> lines;
    for (const Copy& copy : p.copies) {
      std::string line = absl::StrCat(toy_->graph.node(copy.source.node).name(), ":",
                                      copy.source.index, " ", CopyKindName(copy.kind), ", for");
      for (const ConsumerUse& use : copy.uses) {
        absl::StrAppend(&line, " ",
                        use.node == kNoNode ? "fetch" : toy_->graph.node(use.node).name(), " ",
                        use.input);
      }
      lines.push_back(line);
    }
    return lines;
  }

  std::unique_ptr<ToyGraph> toy_;
  std::vector<Site> sites_;
  const std::vector<DeviceName> devices_ = ToyDevices(2, 2);
  std::vector<NodeId> kept_;
  std::vector<OutputRef> fetches_, feeds_;
};

TEST_F(PartitionTest, CpusShareTheirMemory) {
  Node("x", "Source", {}, kCpu0);
  Node("y", "Unary", {"x"}, kCpu1);
  const auto p = Run({"y:0"});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(p->copies, IsEmpty());
  EXPECT_THAT(p->fetch_copies, ElementsAre(-1));
  EXPECT_THAT(p->device, ElementsAre(kCpu0, kCpu1));
}

TEST_F(PartitionTest, ATensorIsCopiedOnceForEachMemory) {
  Node("x", "Source", {}, kCpu0);
  Node("a", "Unary", {"x"}, kGpu0);
  Node("b", "Binary", {"x", "a"}, kGpu0);
  Node("c", "Binary", {"x", "b"}, kGpu1);
  Node("d", "Binary", {"c", "c"}, kCpu1);
  const auto p = Run({"b:0", "d:0", "b:0"});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(Copies(*p),
              ElementsAre("x:0 host to device, for a 0 b 0", "x:0 host to device, for c 0",
                          "b:0 device to device, for c 1", "c:0 device to host, for d 0 d 1",
                          "b:0 device to host, for fetch 0 fetch 2"));
  EXPECT_THAT(p->fetch_copies, ElementsAre(4, -1, 4));
  EXPECT_EQ(p->input_copy(2, 0), 0);
  EXPECT_EQ(p->input_copy(2, 1), -1);
  EXPECT_EQ(p->input_copy(3, 1), 2);
}

TEST_F(PartitionTest, FeedsComeFromTheHost) {
  Node("x", "Source", {}, kGpu0);
  Node("y", "Unary", {"x"}, kGpu0);
  Node("z", "Unary", {"x"}, kCpu0);
  const auto p = Run({"x:0"}, {"x:0"});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(Copies(*p), ElementsAre("x:0 host to device, for y 0"));
  EXPECT_THAT(p->fetch_copies, ElementsAre(-1));
}

TEST_F(PartitionTest, SomeArgumentsLieOnTheHost) {
  Node("x", "Source", {}, kGpu0);
  Node("shape", "Shape", {"x"}, kGpu0);
  Node("at", "AtIndex", {"x", "shape"}, kGpu0);
  Node("other", "AtIndex", {"x", "shape"}, kGpu1);
  Node("text", "Text", {}, kGpu0);
  Node("length", "Length", {"text"}, kGpu1);
  const auto p = Run({"shape:0", "text:0"});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(Copies(*p), ElementsAre("x:0 device to device, for other 0"));
  EXPECT_TRUE(p->output_memory(1, 0).is_host());
  EXPECT_TRUE(p->input_memory(2, 1).is_host());
  EXPECT_EQ(p->input_memory(2, 0), Memory::Of(kGpu0));
  EXPECT_TRUE(p->output_memory(4, 0).is_host());
  EXPECT_THAT(p->fetch_copies, ElementsAre(-1, -1));
}

TEST_F(PartitionTest, AReferenceStaysWhereItsVariableIs) {
  Node("v", "Var", {}, kGpu0);
  Node("x", "Source", {}, kCpu0);
  Node("assign", "Assign", {"v", "x"}, kGpu0);
  Node("read", "Unary", {"assign"}, kGpu1);
  auto p = Run({"assign:0"});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(Copies(*p), ElementsAre("x:0 host to device, for assign 1",
                                      "assign:0 device to device, for read 0",
                                      "assign:0 device to host, for fetch 0"));
  sites_[2] = kGpu1;
  p = Run();
  EXPECT_EQ(p.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(p.status().message()),
              AllOf(HasSubstr("'assign' (Assign)"), HasSubstr("'v'"), HasSubstr("GPU:0"),
                    HasSubstr("GPU:1"), HasSubstr("put both on one device")));
  // Two CPUs have one memory.
  sites_[0] = kCpu0;
  sites_[2] = kCpu1;
  EXPECT_TRUE(Run().ok());
}

TEST_F(PartitionTest, TellsWhatIsNotPlacedOrNotKept) {
  Node("x", "Source", {}, kCpu0);
  Node("y", "Unary", {"x"}, kGpu0);
  kept_ = {1};
  auto p = RunKept({}, {});
  EXPECT_EQ(p.status().code(), Code::kInternal);
  EXPECT_THAT(std::string(p.status().message()), HasSubstr("y reads 'x', which is not kept"));
  p = RunKept({"x:0"}, {"x:0"});
  EXPECT_TRUE(p.ok()) << p.status();
  kept_ = {0};
  p = RunKept({"y:0"}, {});
  EXPECT_THAT(std::string(p.status().message()), HasSubstr("a fetch reads 'y'"));
  p = RunKept({"x:3"}, {});
  EXPECT_THAT(std::string(p.status().message()), HasSubstr("output 3 of 'x', which has 1"));
  for (const Site site : {kNoSite, Site{7}}) {
    sites_[1] = site;
    p = Run();
    EXPECT_EQ(p.status().code(), Code::kInternal);
    EXPECT_THAT(std::string(p.status().message()), HasSubstr("'y' is not placed"));
  }
  sites_.pop_back();
  EXPECT_EQ(Run().status().code(), Code::kInternal);
}

// Whatever the graph, each reader finds its input in the memory where it wants it, by one copy at
// most, and no copy is made that nobody reads.
TEST_F(PartitionTest, EveryInputIsWhereItIsWanted) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto pick = [&](size_t count) { return random() % count; };
    Begin();
    Node("n0", "Source", {}, kCpu0);
    std::vector<std::string> floats = {"n0"}, ints, fetches, feeds;
    for (int i = 1; i < 40; ++i) {
      const std::string name = absl::StrCat("n", i);
      const auto site = static_cast<Site>(pick(4));
      const std::string x = floats[pick(floats.size())], y = floats[pick(floats.size())];
      if (pick(5) == 0) {
        Node(name, "Shape", {x}, site);
        ints.push_back(name);
        continue;
      }
      if (!ints.empty() && pick(3) == 0) {
        Node(name, "AtIndex", {x, ints[pick(ints.size())]}, site);
      } else {
        Node(name, "Binary", {x, y}, site);
      }
      floats.push_back(name);
      if (pick(4) == 0) fetches.push_back(name + ":0");
      if (pick(8) == 0) feeds.push_back(name + ":0");
    }
    const auto p = Run(fetches, feeds);
    ASSERT_TRUE(p.ok()) << p.status();
    const std::set<std::string> fed(feeds.begin(), feeds.end());
    const auto lies = [&](OutputRef output) {
      if (fed.count(toy_->graph.node(output.node).name() + ":0") != 0) return Memory::Host();
      return p->output_memory(output.node, output.index);
    };
    std::set<std::pair<int, int>> destinations;
    std::vector<size_t> uses(p->copies.size(), 0);
    for (size_t k = 0; k < kept_.size(); ++k) {
      const auto& node = toy_->graph.node(kept_[k]);
      ASSERT_EQ(p->num_inputs(static_cast<int>(k)), node.num_inputs());
      for (int i = 0; i < node.num_inputs(); ++i) {
        const Memory wanted = p->input_memory(static_cast<int>(k), i), from = lies(node.input(i));
        const int32_t copy = p->input_copy(static_cast<int>(k), i);
        EXPECT_EQ(copy < 0, wanted == from);
        if (copy < 0) continue;
        EXPECT_EQ(p->copies[copy].source, node.input(i));
        EXPECT_EQ(p->copies[copy].from, from);
        EXPECT_EQ(p->copies[copy].to, wanted);
        ++uses[copy];
      }
    }
    for (size_t f = 0; f < fetches_.size(); ++f) {
      const int32_t copy = p->fetch_copies[f];
      EXPECT_EQ(copy < 0, lies(fetches_[f]).is_host());
      if (copy >= 0) ++uses[copy];
    }
    for (size_t c = 0; c < p->copies.size(); ++c) {
      const Copy& copy = p->copies[c];
      EXPECT_EQ(uses[c], copy.uses.size());
      EXPECT_FALSE(copy.uses.empty());
      EXPECT_TRUE(
          destinations.insert({copy.source.node, copy.to.is_host() ? -1 : copy.to.device()}).second)
          << "copied twice";
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpbeam
