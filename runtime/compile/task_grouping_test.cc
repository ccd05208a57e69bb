#include "runtime/compile/task_grouping.h"

#include <random>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/compile/testing/plan_sketch.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;

const ItemCost kDearTask = ItemCost::Measured(1'000'000'000);

TEST(TaskGroupingTest, CheapItemsOfOneLaneAreOneTask) {
  PlanSketch sketch(4);
  const int32_t a = sketch.Add({}), b = sketch.Add({}), c = sketch.Add({a, b});
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  EXPECT_THAT(sketch.Tasks(), ElementsAre(ElementsAre(a, b, c)));
  EXPECT_TRUE(sketch.plan().program.is_serial);
}

TEST(TaskGroupingTest, DearItemsAreOneTaskWhereThereIsOneThread) {
  PlanSketch sketch(1);
  const int32_t a = sketch.Add({}, kDearTask), b = sketch.Add({}, kDearTask);
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  EXPECT_THAT(sketch.Tasks(), ElementsAre(ElementsAre(a, b)));
}

TEST(TaskGroupingTest, DearItemsStartTasksAndCheapOnesJoinThem) {
  PlanSketch sketch(4);
  const int32_t a = sketch.Add({}, kDearTask), b = sketch.Add({}, kDearTask);
  const int32_t of_a = sketch.Add({a}), of_b = sketch.Add({b});
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  EXPECT_THAT(sketch.Tasks(), ElementsAre(ElementsAre(a, of_a), ElementsAre(b, of_b)));
  EXPECT_THAT(sketch.plan().program.initial_tasks, ElementsAre(0, 1));
  // The items of a task lie side by side now, and the edges follow them.
  EXPECT_THAT(sketch.plan().facts.edges.of(1), ElementsAre(0));
  EXPECT_THAT(sketch.plan().facts.edges.of(3), ElementsAre(2));
}

TEST(TaskGroupingTest, WhatWaitsForTwoTasksThatDoNotWaitForEachOtherIsATask) {
  PlanSketch sketch(4);
  const int32_t a = sketch.Add({}, kDearTask), b = sketch.Add({}, kDearTask);
  const int32_t sum = sketch.Add({a, b});
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  EXPECT_THAT(sketch.Tasks(), ElementsAre(ElementsAre(a), ElementsAre(b), ElementsAre(sum)));
  EXPECT_EQ(sketch.plan().program.tasks[2].num_predecessors, 2);
}

TEST(TaskGroupingTest, AnAsynchronousItemIsAloneInItsTask) {
  PlanSketch sketch(4);
  const int32_t a = sketch.Add({}), waits = sketch.Add({a}, ItemCost::Cheap(), 0, true);
  const int32_t after = sketch.Add({waits});
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  EXPECT_THAT(sketch.Tasks(), ElementsAre(ElementsAre(a), ElementsAre(waits), ElementsAre(after)));
  EXPECT_FALSE(sketch.plan().program.is_serial);
}

TEST(TaskGroupingTest, ItemsOfAnotherLaneAreAnotherTask) {
  PlanSketch sketch(4);
  const int32_t a = sketch.Add({}), b = sketch.Add({a}, ItemCost::Cheap(), 1);
  const int32_t c = sketch.Add({b});
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  EXPECT_THAT(sketch.Tasks(), ElementsAre(ElementsAre(a), ElementsAre(b), ElementsAre(c)));
  EXPECT_EQ(sketch.plan().program.tasks[1].lane, 1);
}

// Runs the tasks in any order that they allow; an item must find done whatever it waits for.
class RandomPlan {
 public:
  explicit RandomPlan(uint64_t seed) : random_(seed), sketch_(4) {
    const int32_t count = 2 + Pick(60);
    for (int32_t i = 0; i < count; ++i) {
      std::set<int32_t> before;
      for (int k = Pick(4); k > 0 && i > 0; --k) before.insert(Pick(i));
      const ItemCost cost = Pick(3) == 0   ? kDearTask
                            : Pick(4) == 0 ? ItemCost::Copy()
                                           : ItemCost::Cheap();
      sketch_.Add({before.begin(), before.end()}, cost, Pick(5) == 0 ? 1 : 0, Pick(10) == 0);
      waits_for_.push_back(before);
    }
    GroupIntoTasks(sketch_.costs(), &sketch_.plan());
  }

  void Check() {
    const Program& program = sketch_.plan().program;
    std::vector<int32_t> missing;
    for (const PlanTask& task : program.tasks) missing.push_back(task.num_predecessors);
    std::vector<int32_t> ready = program.initial_tasks;
    std::set<int32_t> done;
    while (!ready.empty()) {
      std::swap(ready[static_cast<size_t>(Pick(static_cast<int32_t>(ready.size())))], ready.back());
      const PlanTask& task = program.tasks[ready.back()];
      ready.pop_back();
      for (int32_t i = task.items.begin; i < task.items.end; ++i) {
        CheckItem(i, task.lane, done);
        done.insert(program.items[i].info.output_start);
      }
      for (int32_t s = task.successors.begin; s < task.successors.end; ++s) {
        if (--missing[program.task_lists[s]] == 0) ready.push_back(program.task_lists[s]);
      }
    }
    EXPECT_EQ(done.size(), waits_for_.size()) << "some tasks never start";
  }

 private:
  int32_t Pick(int32_t count) {
    return static_cast<int32_t>(random_() % static_cast<uint64_t>(count));
  }
  void CheckItem(int32_t i, int32_t lane, const std::set<int32_t>& done) {
    const Program& program = sketch_.plan().program;
    const PlanItem& item = program.items[i];
    EXPECT_EQ(item.lane, lane);
    std::set<int32_t> before;
    for (const int32_t b : sketch_.plan().facts.edges.of(i)) {
      before.insert(program.items[b].info.output_start);
    }
    EXPECT_EQ(before, waits_for_[item.info.output_start]);
    for (const int32_t b : before) EXPECT_EQ(done.count(b), 1u);
  }

  std::mt19937_64 random_;
  PlanSketch sketch_;
  std::vector<std::set<int32_t>> waits_for_;  // by slot
};

TEST(TaskGroupingTest, EveryItemFindsDoneWhatItWaitsFor) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomPlan(seed).Check();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpbeam
