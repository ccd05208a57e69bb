// Plans of all members of a group, as they stand and carried out together: the keys and sizes are
// those that TensorFlow's tasks use.
#include "runtime/dist/collective/member_plan.h"

#include <map>
#include <numeric>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

using Action = MemberPlan::Action;

// So many CPUs on each task.
MemberOrder OrderOf(const std::vector<int>& task_sizes) {
  MemberOrder order;
  order.task_sizes = task_sizes;
  for (size_t task = 0; task < task_sizes.size(); ++task) {
    const std::string name = absl::StrCat("/job:worker/replica:0/task:", task);
    for (int i = 0; i < task_sizes[task]; ++i) {
      order.members.push_back({absl::StrCat(name, "/device:CPU:", i), 7, false, name});
    }
  }
  return order;
}

// "merge 1:0:0:0 [0,16)" …
std::vector<std::string> Told(const MemberPlan::Chain& chain) {
  std::vector<std::string> all;
  for (const MemberPlan::Act& act : chain) {
    std::string text;
    switch (act.action) {
      case Action::kReceive:
        text = "receive";
        break;
      case Action::kMerge:
        text = "merge";
        break;
      case Action::kFinish:
        text = "finish";
        break;
      case Action::kGive:
        text = "give";
        break;
    }
    for (size_t i = 0; i < act.keys.size(); ++i) {
      absl::StrAppend(&text, " ", act.keys[i], " of ", act.ranks[i]);
    }
    all.push_back(absl::StrCat(text, " [", act.offset, ",", act.offset + act.count, ")"));
  }
  return all;
}

// Carries the plans of all members out, in an order that depends on `seed`; false where they wait
// for each other for ever, or a key is given twice.
bool CarryOut(const std::vector<MemberPlan>& plans, std::vector<std::vector<int64_t>>* tensors,
              int seed) {
  struct At {
    size_t member, chain, act = 0;
  };
  std::vector<At> open;
  for (size_t m = 0; m < plans.size(); ++m) {
    for (size_t c = 0; c < plans[m].chains.size(); ++c) open.push_back({m, c});
  }
  std::map<std::string, std::vector<int64_t>> given;
  std::set<std::string> keys;
  for (size_t idle = 0; !open.empty() && idle <= open.size();) {
    const size_t next = static_cast<size_t>(seed++) % open.size();
    At& at = open[next];
    const MemberPlan::Chain& chain = plans[at.member].chains[at.chain];
    if (at.act == chain.size()) {
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(next));
      idle = 0;
      continue;
    }
    const MemberPlan::Act& act = chain[at.act];
    int64_t* const piece = (*tensors)[at.member].data() + act.offset;
    if (act.action == Action::kGive) {
      for (const std::string& key : act.keys) {
        if (!keys.insert(key).second) return false;
        given[key].assign(piece, piece + act.count);
      }
    } else if (act.action != Action::kFinish) {
      const auto found = given.find(act.keys[0]);
      if (found == given.end()) {
        ++idle;
        continue;
      }
      if (static_cast<int64_t>(found->second.size()) != act.count) return false;
      for (int64_t i = 0; i < act.count; ++i) {
        const int64_t x = found->second[static_cast<size_t>(i)];
        piece[i] = act.action == Action::kMerge ? piece[i] + x : x;
      }
      given.erase(found);
    } else {
      for (int64_t i = 0; i < act.count; ++i) piece[i] *= 10;
    }
    ++at.act;
    idle = 0;
  }
  return open.empty() && given.empty();
}

TEST(MemberPlanTest, TheRingOfTwo) {
  const MemberOrder order = OrderOf({1, 1});
  RingPieces pieces;
  pieces.elements = 20;
  pieces.element_bytes = 4;
  // Chunks of 16 elements, which are the 64 bytes where chunks begin.
  const auto first = PlanReduce(order, 0, pieces, "3:5:0:0");
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->chains.size(), 2);
  EXPECT_THAT(Told(first->chains[0]),
              ElementsAre("give 3:5:0:0:0:0:0 of 1 [0,16)", "receive 3:5:0:0:1:0:1 of 1 [0,16)"));
  EXPECT_THAT(Told(first->chains[1]),
              ElementsAre("merge 3:5:0:0:0:1:1 of 1 [16,20)", "finish [16,20)",
                          "give 3:5:0:0:1:1:0 of 1 [16,20)"));
  const auto second = PlanReduce(order, 1, pieces, "3:5:0:0");
  ASSERT_TRUE(second.ok());
  EXPECT_THAT(Told(second->chains[0]),
              ElementsAre("merge 3:5:0:0:0:0:0 of 0 [0,16)", "finish [0,16)",
                          "give 3:5:0:0:1:0:1 of 0 [0,16)"));
  EXPECT_THAT(Told(second->chains[1]),
              ElementsAre("give 3:5:0:0:0:1:1 of 0 [16,20)", "receive 3:5:0:0:1:1:0 of 0 [16,20)"));
}

TEST(MemberPlanTest, ChunksAreTensorFlows) {
  const MemberOrder order = OrderOf({1, 1});
  const auto ends = [&](int64_t elements, int64_t bytes) {
    RingPieces pieces;
    pieces.elements = elements;
    pieces.element_bytes = bytes;
    std::vector<int64_t> all;
    const auto plan = PlanReduce(order, 0, pieces, "1:1:0:0");
    for (const auto& chain : plan->chains) all.push_back(chain[0].offset + chain[0].count);
    return all;
  };
  EXPECT_THAT(ends(1, 4), ElementsAre(1));
  EXPECT_THAT(ends(0, 4), ElementsAre());
  EXPECT_THAT(ends(17, 4), ElementsAre(16, 17));
  // A chunk of just 64 bytes, or of a multiple, gets 64 more.
  EXPECT_THAT(ends(32, 4), ElementsAre(32));
  EXPECT_THAT(ends(128, 4), ElementsAre(80, 128));
  EXPECT_THAT(ends(1000003, 8), ElementsAre(500008, 1000003));
}

TEST(MemberPlanTest, LargeTensorsAreSubdividedWhereThatIsAskedFor) {
  const MemberOrder order = OrderOf({2, 2});
  RingPieces pieces;
  pieces.elements = 8 << 20;
  pieces.element_bytes = 4;
  EXPECT_EQ(PlanReduce(order, 0, pieces, "1:1:0:0")->chains.size(), 4);
  // 32 MiB of four members: two subdivisions are of 4 MiB.
  pieces.most_for_device = 0;
  EXPECT_EQ(PlanReduce(order, 0, pieces, "1:1:0:0")->chains.size(), 8);
  pieces.elements *= 4;
  pieces.most_for_device = 1;
  EXPECT_EQ(PlanReduce(order, 0, pieces, "1:1:0:0")->chains.size(), 8);
  pieces.most_for_device = 3;
  EXPECT_EQ(PlanReduce(order, 0, pieces, "1:1:0:0")->chains.size(), 24);
  pieces.elements = 0;
  EXPECT_EQ(PlanReduce(order, 0, pieces, "1:1:0:0").status().code(), StatusCode::kInternal);
}

TEST(MemberPlanTest, AllMembersGetTheSum) {
  for (const std::vector<int>& tasks :
       {std::vector<int>{1, 1}, {1, 1, 1}, {2, 1}, {1, 3, 2}, {4}, {1}}) {
    const MemberOrder order = OrderOf(tasks);
    for (const std::vector<int64_t>& offsets : {std::vector<int64_t>{0}, {0, -1}, {0, 1, -2}}) {
      for (const int64_t elements : {1, 7, 100, 1003}) {
        RingPieces pieces;
        pieces.elements = elements;
        pieces.element_bytes = 8;
        pieces.offsets = offsets;
        std::vector<MemberPlan> plans;
        std::vector<std::vector<int64_t>> tensors;
        for (int rank = 0; rank < order.size(); ++rank) {
          plans.push_back(*PlanReduce(order, rank, pieces, "1:1:0:0"));
          tensors.emplace_back(static_cast<size_t>(elements));
          std::iota(tensors.back().begin(), tensors.back().end(), rank);
        }
        ASSERT_TRUE(CarryOut(plans, &tensors, static_cast<int>(elements)));
        const int64_t n = order.size();
        for (const std::vector<int64_t>& tensor : tensors) {
          for (int64_t i = 0; i < elements; ++i) {
            // Finished once, unless there is nobody to merge with.
            const int64_t sum = (n * i + n * (n - 1) / 2) * (n == 1 ? 1 : 10);
            ASSERT_EQ(tensor[static_cast<size_t>(i)], sum) << n << " members, " << elements;
          }
        }
      }
    }
  }
}

TEST(MemberPlanTest, AllMembersGetAllPieces) {
  for (const std::vector<int>& tasks : {std::vector<int>{1, 1}, {2, 1}, {1, 3, 2}, {1}}) {
    const MemberOrder order = OrderOf(tasks);
    constexpr int64_t kPiece = 5;
    std::vector<MemberPlan> plans;
    std::vector<std::vector<int64_t>> tensors;
    for (int rank = 0; rank < order.size(); ++rank) {
      plans.push_back(PlanGather(order, rank, kPiece, "1:1:0:0"));
      tensors.emplace_back(static_cast<size_t>(order.size() * kPiece), -1);
      for (int64_t i = 0; i < kPiece; ++i) {
        tensors.back()[static_cast<size_t>(rank * kPiece + i)] = rank * kPiece + i;
      }
    }
    ASSERT_TRUE(CarryOut(plans, &tensors, 3));
    for (const std::vector<int64_t>& tensor : tensors) {
      for (size_t i = 0; i < tensor.size(); ++i) EXPECT_EQ(tensor[i], static_cast<int64_t>(i));
    }
  }
  EXPECT_TRUE(PlanGather(OrderOf({1, 1}), 0, 0, "1:1:0:0").chains.empty());
}

TEST(MemberPlanTest, ABroadcastOfTwoTasks) {
  const MemberOrder order = OrderOf({1, 1});
  EXPECT_THAT(Told(PlanBroadcast(order, 1, 1, 3, "1:2:0:0").chains[0]),
              ElementsAre("give 1:2:0:0:0:1:0 of 0 [0,3)"));
  EXPECT_THAT(Told(PlanBroadcast(order, 0, 1, 3, "1:2:0:0").chains[0]),
              ElementsAre("receive 1:2:0:0:0:1:0 of 1 [0,3)"));
}

TEST(MemberPlanTest, ABroadcastGoesToATaskThenToItsDevices) {
  const MemberOrder order = OrderOf({2, 3});
  // The source is the second device of the second task.
  EXPECT_THAT(Told(PlanBroadcast(order, 3, 3, 4, "1:2:0:0").chains[0]),
              ElementsAre("give 1:2:0:0:0:1:0 of 0 [0,4)", "give 1:2:0:0:2:1:0 of 2 [0,4)"));
  EXPECT_THAT(Told(PlanBroadcast(order, 2, 3, 4, "1:2:0:0").chains[0]),
              ElementsAre("receive 1:2:0:0:2:1:0 of 3 [0,4)", "give 1:2:0:0:2:0:2 of 4 [0,4)"));
  EXPECT_THAT(Told(PlanBroadcast(order, 0, 3, 4, "1:2:0:0").chains[0]),
              ElementsAre("receive 1:2:0:0:0:1:0 of 3 [0,4)", "give 1:2:0:0:1:0:1 of 1 [0,4)"));
  EXPECT_THAT(Told(PlanBroadcast(order, 1, 3, 4, "1:2:0:0").chains[0]),
              ElementsAre("receive 1:2:0:0:1:0:1 of 0 [0,4)"));
}

TEST(MemberPlanTest, AllMembersGetWhatTheSourceHas) {
  for (const std::vector<int>& tasks :
       {std::vector<int>{1, 1}, {1, 1, 1, 1, 1, 1, 1}, {2, 1}, {1, 3, 2}, {7}, {1}}) {
    const MemberOrder order = OrderOf(tasks);
    for (int source = 0; source < order.size(); ++source) {
      std::vector<MemberPlan> plans;
      std::vector<std::vector<int64_t>> tensors;
      for (int rank = 0; rank < order.size(); ++rank) {
        plans.push_back(PlanBroadcast(order, rank, source, 2, "1:1:0:0"));
        tensors.push_back({rank, rank + 100});
      }
      ASSERT_TRUE(CarryOut(plans, &tensors, source)) << order.size() << ", source " << source;
      for (const auto& tensor : tensors) EXPECT_THAT(tensor, ElementsAre(source, source + 100));
    }
  }
}

}  // namespace
}  // namespace warpbeam
