#include "ops/array/copy_plan.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// No byte of it is touched.
void* Address(uintptr_t bytes) { return reinterpret_cast<void*>(uintptr_t{1} << 40 | bytes); }

CopyPlan OnlyPlan(int64_t size, uintptr_t offset, const CopyDims& dims) {
  CopyPlans plans;
  PlanCopy(size, Address(0), Address(offset), dims, &plans);
  EXPECT_EQ(plans.size(), 1u);
  return plans.empty() ? CopyPlan() : plans[0];
}

TEST(CopyPlan, RowsGoInTheWidestElements) {
  EXPECT_EQ(OnlyPlan(4, 0, {{100, 1, 1}}).width, 16);
  EXPECT_EQ(OnlyPlan(4, 0, {{100, 1, 1}}).count(), 25);
  EXPECT_EQ(OnlyPlan(4, 8, {{100, 1, 1}}).width, 8);             // by the address
  EXPECT_EQ(OnlyPlan(4, 0, {{10, 8, 9}, {8, 1, 1}}).width, 4);   // by a stride
  EXPECT_EQ(OnlyPlan(2, 0, {{10, 6, 12}, {6, 1, 1}}).width, 4);  // by the length
  EXPECT_EQ(OnlyPlan(16, 8, {{100, 1, 1}}).width, 8);
}

TEST(CopyPlan, NothingToCopyIsNoPlan) {
  CopyPlans plans;
  PlanCopy(4, Address(0), Address(0), CopyDims{{5, 1, 1}, {0, 1, 1}}, &plans);
  EXPECT_TRUE(plans.empty());
}

TEST(CopyPlan, KnowsATransposition) {
  const CopyPlan plan = OnlyPlan(2, 0, {{64, 1, 128}, {128, 64, 1}});
  EXPECT_TRUE(plan.IsTransposed());
  EXPECT_EQ(plan.width, 2);
  EXPECT_EQ(plan.dims[static_cast<size_t>(plan.across)].extent, 64);
  EXPECT_FALSE(OnlyPlan(4, 0, {{3, 1, 128}, {128, 3, 1}}).IsTransposed());    // too short
  EXPECT_FALSE(OnlyPlan(4, 0, {{64, 1, 128}, {128, -1, 1}}).IsTransposed());  // a reversed row
  // The rows of 64 bytes are moved as they are.
  EXPECT_FALSE(OnlyPlan(4, 0, {{20, 16, 320}, {20, 320, 16}, {16, 1, 1}}).IsTransposed());
}

TEST(CopyPlan, PacksOfATransposition) {
  EXPECT_TRUE(OnlyPlan(2, 0, {{64, 1, 128}, {128, 64, 1}}).HasPacksOf(4));
  EXPECT_FALSE(OnlyPlan(2, 0, {{63, 1, 128}, {128, 64, 1}}).HasPacksOf(4));
  EXPECT_FALSE(OnlyPlan(2, 0, {{64, 1, 129}, {128, 64, 1}}).HasPacksOf(4));
  EXPECT_FALSE(OnlyPlan(2, 2, {{64, 1, 128}, {128, 64, 1}}).HasPacksOf(4));
  EXPECT_FALSE(OnlyPlan(1, 0, {{62, 1, 128}, {128, 64, 1}}).HasPacksOf(4));
}

TEST(CopyPlan, WhatThirtyTwoBitsDoNotCountIsCut) {
  CopyPlans plans;
  const int64_t rows = 1 << 20, columns = 5000;
  PlanCopy(1, Address(0), Address(0), CopyDims{{rows, 1, columns}, {columns, rows, 1}}, &plans);
  ASSERT_GT(plans.size(), 4u);
  int64_t count = 0;
  uintptr_t last = 0;
  for (const CopyPlan& plan : plans) {
    count += plan.count();
    for (const CopyDim& d : plan.dims) {
      EXPECT_LT(d.extent * (d.from > d.to ? d.from : d.to), (int64_t{1} << 30) + rows);
    }
    last = reinterpret_cast<uintptr_t>(plan.to);
  }
  EXPECT_EQ(count, rows * columns);
  EXPECT_GT(last, reinterpret_cast<uintptr_t>(Address(0)));
}

}  // namespace
}  // namespace warpbeam
