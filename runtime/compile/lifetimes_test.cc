#include "runtime/compile/lifetimes.h"

#include <random>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/compile/task_grouping.h"
#include "runtime/compile/testing/plan_sketch.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const ItemCost kDear = ItemCost::Measured(1'000'000'000);

std::vector<int32_t> SlotsIn(const Program& program, Range range) {
  return {program.slot_lists.begin() + range.begin, program.slot_lists.begin() + range.end};
}

TEST(LifetimesTest, TheLastReaderInATaskClears) {
  PlanSketch sketch(1);
  const int32_t a = sketch.Add({}), b = sketch.Add({a}), c = sketch.Add({a, b});
  Program& program = sketch.plan().program;
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  AddLifetimes({c}, &program);
  EXPECT_THAT(SlotsIn(program, program.items[1].clear), IsEmpty());
  EXPECT_EQ(program.items[1].info.forwardable_inputs, 0u);
  EXPECT_THAT(SlotsIn(program, program.items[2].clear), ElementsAre(a, b));
  EXPECT_EQ(program.items[2].info.forwardable_inputs, 3u);
  EXPECT_THAT(program.counted, IsEmpty());
}

TEST(LifetimesTest, WhatNobodyReadsItsWriterClears) {
  PlanSketch sketch(1);
  const int32_t a = sketch.Add({});
  Program& program = sketch.plan().program;
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  AddLifetimes({}, &program);
  EXPECT_THAT(SlotsIn(program, program.items[0].clear), ElementsAre(a));
}

TEST(LifetimesTest, ReadersInSeveralTasksAreCounted) {
  PlanSketch sketch(4);
  const int32_t a = sketch.Add({}, kDear);
  const int32_t b = sketch.Add({a}, kDear), c = sketch.Add({a}, kDear);
  Program& program = sketch.plan().program;
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  AddLifetimes({b, c}, &program);
  EXPECT_THAT(program.counted, ElementsAre(Pair(a, 2)));
  EXPECT_THAT(SlotsIn(program, program.items[1].release), ElementsAre(a));
  EXPECT_THAT(SlotsIn(program, program.items[2].release), ElementsAre(a));
  EXPECT_EQ(program.items[1].info.forwardable_inputs, 0u);
}

TEST(LifetimesTest, FeedsAndFetchesAreLeftAlone) {
  PlanSketch sketch(1);
  const int32_t fetched = sketch.Add({}), reader = sketch.Add({fetched});
  Program& program = sketch.plan().program;
  GroupIntoTasks(sketch.costs(), &sketch.plan());
  AddLifetimes({fetched}, &program);
  EXPECT_THAT(SlotsIn(program, program.items[1].clear), ElementsAre(reader));
  EXPECT_EQ(program.items[1].info.forwardable_inputs, 0u);
}

// A step that runs task by task clears every slot once, and never one that somebody still reads.
TEST(LifetimesTest, EverySlotIsClearedOnceBehindItsReaders) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto pick = [&](size_t count) { return static_cast<int32_t>(random() % count); };
    PlanSketch sketch(4);
    const int32_t count = 2 + pick(60);
    for (int32_t i = 0; i < count; ++i) {
      std::set<int32_t> before;
      for (int k = pick(4); k > 0 && i > 0; --k) before.insert(pick(static_cast<size_t>(i)));
      sketch.Add({before.begin(), before.end()}, pick(3) == 0 ? kDear : ItemCost::Cheap());
    }
    const Program& program = sketch.plan().program;
    GroupIntoTasks(sketch.costs(), &sketch.plan());
    const int32_t kept = pick(static_cast<size_t>(count));
    AddLifetimes({kept}, &sketch.plan().program);
    std::vector<int32_t> readers(count, 0);
    for (const auto& [slot, number] : program.counted) readers[slot] = number;
    std::set<int32_t> cleared;
    for (const PlanItem& item : program.items) {
      for (int32_t k = 0; k < item.info.num_inputs; ++k) {
        EXPECT_EQ(cleared.count(program.input_slots[item.input_begin + k]), 0u);
      }
      for (const int32_t slot : SlotsIn(program, item.clear))
        EXPECT_TRUE(cleared.insert(slot).second);
      for (const int32_t slot : SlotsIn(program, item.release)) {
        if (--readers[slot] > 0) continue;
        EXPECT_TRUE(cleared.insert(slot).second);
      }
    }
    EXPECT_EQ(cleared.size(), static_cast<size_t>(count) - 1);
    EXPECT_EQ(cleared.count(kept), 0u);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpbeam
