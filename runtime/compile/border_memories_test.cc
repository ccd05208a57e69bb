#include "runtime/compile/border_memories.h"

#include <memory>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "placement/average.h"
#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

using ::testing::IsEmpty;

constexpr Memory kHost = Memory::Host();
const Memory kGpu0 = Memory::Of(1), kGpu1 = Memory::Of(2);

// A graph on a CPU and two GPUs, with feeds and fetches that may lie anywhere.
class BorderMemoriesTest : public ::testing::Test {
 protected:
  BorderMemoriesTest() { Begin(); }
  void Begin() {
    toy_ = std::make_unique<ToyGraph>();
    toy_->UsualOps();
    order_.clear();
    sites_.clear();
    feeds_.clear();
    fetches_.clear();
    feed_memories_.clear();
    fetch_memories_.clear();
  }

  void Node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
            Site site) {
    order_.push_back(toy_->Node(name, op, inputs));
    sites_.push_back(site);
  }
  // Feeds and fetches of these memories.
  void Place(const std::vector<std::pair<std::string, Memory>>& feeds,
             const std::vector<std::pair<std::string, Memory>>& fetches) {
    for (const auto& [name, memory] : feeds) {
      feeds_.push_back(toy_->Output(name));
      feed_memories_.push_back(memory);
    }
    for (const auto& [name, memory] : fetches) {
      fetches_.push_back(toy_->Output(name));
      fetch_memories_.push_back(memory);
    }
    auto made = PartitionGraph(toy_->graph, {order_, feeds_, fetches_, {}}, sites_, devices_,
                               toy_->catalog);
    ASSERT_TRUE(made.ok()) << made.status();
    p_ = *std::move(made);
    PlaceBorders(toy_->graph, order_, feeds_, feed_memories_, fetches_, fetch_memories_, &p_);
  }
  Memory Lies(OutputRef output) const {
    for (size_t i = 0; i < feeds_.size(); ++i) {
      if (feeds_[i] == output) return feed_memories_[i];
    }
    return p_.output_memory(output.node, output.index);
  }
  // One copy at most leads from where a value lies to where it is wanted, and none is unread.
  void ExpectRight() const {
    std::vector<size_t> uses(p_.copies.size(), 0);
    const auto look = [&](OutputRef output, Memory wanted, int32_t copy) {
      const Memory lies = Lies(output);
      EXPECT_EQ(copy < 0, lies == wanted) << toy_->graph.node(output.node).name();
      if (copy < 0) return;
      EXPECT_EQ(p_.copies[copy].source, output);
      EXPECT_TRUE(p_.copies[copy].from == lies);
      EXPECT_TRUE(p_.copies[copy].to == wanted);
      EXPECT_EQ(p_.copies[copy].kind, lies.is_host()     ? CopyKind::kHostToDevice
                                      : wanted.is_host() ? CopyKind::kDeviceToHost
                                                         : CopyKind::kPeer);
      ++uses[copy];
    };
    for (size_t k = 0; k < order_.size(); ++k) {
      const auto at = static_cast<int>(k);
      for (int i = 0; i < p_.num_inputs(at); ++i) {
        look(toy_->graph.node(order_[k]).input(i), p_.input_memory(at, i), p_.input_copy(at, i));
      }
    }
    for (size_t f = 0; f < fetches_.size(); ++f) {
      look(fetches_[f], fetch_memories_[f], p_.fetch_copies[f]);
    }
    for (size_t c = 0; c < p_.copies.size(); ++c) {
      EXPECT_EQ(uses[c], p_.copies[c].uses.size());
      EXPECT_GT(uses[c], 0u);
    }
  }

  std::unique_ptr<ToyGraph> toy_;
  std::vector<NodeId> order_;
  std::vector<Site> sites_;
  const std::vector<DeviceName> devices_ = ToyDevices(1, 2);
  std::vector<OutputRef> feeds_, fetches_;
  std::vector<Memory> feed_memories_, fetch_memories_;
  Partition p_;
};

TEST_F(BorderMemoriesTest, WhatStaysOnItsDeviceIsNotCopied) {
  Node("x", "Source", {}, 0);
  Node("y", "Unary", {"x"}, 1);
  Place({{"x:0", kGpu0}}, {{"y:0", kGpu0}});
  EXPECT_THAT(p_.copies, IsEmpty());
  ExpectRight();
}

TEST_F(BorderMemoriesTest, AFeedOfAnotherDeviceGoesStraightThere) {
  Node("x", "Source", {}, 0);
  Node("y", "Unary", {"x"}, 1);
  Node("z", "Unary", {"x"}, 0);
  Place({{"x:0", kGpu1}}, {{"y:0", kHost}, {"x:0", kGpu0}, {"x:0", kGpu1}});
  ExpectRight();
  EXPECT_EQ(p_.input_copy(1, 0), p_.fetch_copies[1]) << "one copy for both";
  EXPECT_EQ(p_.fetch_copies[2], -1);
}

TEST_F(BorderMemoriesTest, AnyBordersOfAnyGraph) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto pick = [&](size_t count) { return random() % count; };
    const Memory memories[] = {kHost, kGpu0, kGpu1};
    Begin();
    std::vector<std::pair<std::string, Memory>> feeds, fetches;
    for (int i = 0; i < 25; ++i) {
      const std::string name = absl::StrCat("n", i);
      const auto any = [&] { return absl::StrCat("n", pick(static_cast<size_t>(i))); };
      const auto site = static_cast<Site>(pick(3));
      if (i == 0) {
        Node(name, "Source", {}, site);
      } else {
        Node(name, "Binary", {any(), any()}, site);
      }
      if (pick(5) == 0) feeds.emplace_back(name + ":0", memories[pick(3)]);
      if (pick(3) == 0) fetches.emplace_back(name + ":0", memories[pick(3)]);
    }
    ASSERT_NO_FATAL_FAILURE(Place(feeds, fetches));
    ExpectRight();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpbeam
