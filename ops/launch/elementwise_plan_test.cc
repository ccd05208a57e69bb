#include "ops/launch/elementwise_plan.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/elementwise_block.h"
#include "ops/launch/gpu_function.h"

namespace warpbeam::host_pass {
namespace {

struct WeighFn {
  template <class V>
  V operator()(V a, V b, V c) const {
    return a * 10000 + b * 100 + c;
  }
};
using WeighBlock = ElementwiseBlock<WeighFn, float, float, float, float>;

std::vector<float> Ramp(int64_t count) {
  std::vector<float> x(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97);
  return x;
}

// Every part is within `most` elements, which launches of this thread have in common.
thread_local int64_t largest_part = 0;
int LaunchPart(const GpuElementwiseArgs& part) {
  largest_part = std::max(largest_part, part.count);
  RunBlocks(WeighBlock(part), WeighBlock::Grid(part.count));
  return 0;
}

struct Launched {
  explicit Launched(const std::vector<Shape>& shapes) {
    Shape shape;
    EXPECT_TRUE(MakeBroadcast({&shapes[0], &shapes[1], &shapes[2]}, &args.plan, &shape).ok());
    args.broadcasts = shapes[0] != shapes[1] || shapes[1] != shapes[2];
    args.count = shape.num_elements();
    for (size_t i = 0; i < shapes.size(); ++i) {
      x.push_back(Ramp(shapes[i].num_elements()));
      args.inputs[i] = x[i].data();
    }
    y.resize(static_cast<size_t>(args.count), -1);
    args.output = y.data();
    args.functor = &fn;
  }
  void ExpectAll(int64_t most) const {
    for (int64_t i = 0; i < args.count; ++i) {
      int64_t at[Broadcast::kMaxInputs] = {i, i, i};
      if (args.broadcasts) args.plan.Locate(i, at);
      const auto of = [&](int input) { return x[static_cast<size_t>(input)].data()[at[input]]; };
      ASSERT_EQ(y[static_cast<size_t>(i)], WeighFn()(of(0), of(1), of(2)))
          << i << " in parts of " << most;
    }
  }
  WeighFn fn;
  std::vector<std::vector<float>> x;
  std::vector<float> y;
  GpuElementwiseArgs args;
};

TEST(ElementwisePlan, PartsMakeUpTheWhole) {
  const std::vector<std::vector<Shape>> cases = {
      {Shape({100}), Shape({100}), Shape({100})},
      {Shape({100}), Shape(), Shape({100})},
      {Shape({6, 8}), Shape({8}), Shape({6, 1})},
      {Shape({2, 3, 4}), Shape({1, 3, 1}), Shape({2, 1, 4})},
      {Shape({4, 1, 5, 3}), Shape({1, 6, 1, 3}), Shape({4, 6, 5, 1})},
  };
  for (const std::vector<Shape>& shapes : cases) {
    for (const int64_t most : {1, 4, 7, 16, 64, 1000}) {
      Launched of(shapes);
      largest_part = 0;
      ASSERT_EQ(LaunchInParts(of.args, WeighBlock::kLayout, &LaunchPart, most), 0);
      EXPECT_LE(largest_part, most);
      of.ExpectAll(most);
    }
  }
}

TEST(ElementwisePlan, LaunchesNothingOfNothing) {
  GpuElementwiseArgs args;
  largest_part = 0;
  EXPECT_EQ(LaunchInParts(args, WeighBlock::kLayout, &LaunchPart), 0);
  EXPECT_EQ(largest_part, 0);
}

TEST(ElementwisePlan, TheFirstErrorEndsTheLaunches) {
  Launched of({Shape({10}), Shape({10}), Shape({10})});
  const auto fails = [](const GpuElementwiseArgs& part) { return part.count == 4 ? 7 : 8; };
  EXPECT_EQ(LaunchInParts(of.args, WeighBlock::kLayout, fails, 4), 7);
}

// A plan of a tensor that is too large for the machine: nothing is read.
TEST(ElementwisePlan, TensorsOfMoreThan31BitsAreLaunchedInParts) {
  GpuElementwiseArgs args;
  args.count = (int64_t{1} << 31) + 5;
  args.output = reinterpret_cast<void*>(uintptr_t{64});
  static std::vector<std::pair<uintptr_t, int64_t>> parts;
  parts.clear();
  const ElementwiseLayout layout = {1, 4, sizeof(float), {sizeof(float)}};
  const auto note = [](const GpuElementwiseArgs& part) {
    parts.emplace_back(reinterpret_cast<uintptr_t>(part.output), part.count);
    return PlanElementwise(part, {1, 4, sizeof(float), {sizeof(float)}}).packed ? 0 : 1;
  };
  EXPECT_EQ(LaunchInParts(args, layout, note), 0);
  const std::vector<std::pair<uintptr_t, int64_t>> want = {
      {64, int64_t{1} << 30},
      {64 + (uintptr_t{1} << 32), int64_t{1} << 30},
      {64 + (uintptr_t{1} << 33), 5}};
  EXPECT_EQ(parts, want);
}

TEST(ElementwisePlan, PacksWantWholeRowsThatAreAligned) {
  const ElementwiseLayout layout = {2, 4, sizeof(float), {sizeof(float), sizeof(float)}};
  const auto packed = [&](const Shape& a, const Shape& b, uintptr_t address) {
    GpuElementwiseArgs args;
    Shape shape;
    EXPECT_TRUE(MakeBroadcast({&a, &b}, &args.plan, &shape).ok());
    args.plan.num_inputs = 2;
    args.broadcasts = a != b;
    args.count = shape.num_elements();
    args.output = reinterpret_cast<void*>(uintptr_t{64});
    args.inputs[0] = reinterpret_cast<void*>(address);
    args.inputs[1] = reinterpret_cast<void*>(uintptr_t{64});
    return PlanElementwise(args, layout).packed;
  };
  EXPECT_TRUE(packed(Shape({7}), Shape({7}), 64));  // what is left is no pack
  EXPECT_FALSE(packed(Shape({8}), Shape({8}), 68));
  EXPECT_TRUE(packed(Shape({5, 8}), Shape({8}), 64));
  EXPECT_FALSE(packed(Shape({5, 7}), Shape({7}), 64));
  EXPECT_TRUE(packed(Shape(), Shape({8}), 68));  // a scalar is read alone
}

}  // namespace
}  // namespace warpbeam::host_pass
