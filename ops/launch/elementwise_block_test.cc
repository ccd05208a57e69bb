#include "ops/launch/elementwise_block.h"

#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_function.h"

namespace warpbeam::host_pass {
namespace {

struct ThreeFn {
  template <class V>
  V operator()(V a, V b, V c) const {
    return a * 10000 + b * 100 + c;
  }
};
struct HalveFn {
  template <class V>
  V operator()(V x) const {
    return x / V(2);
  }
};
struct SlowFn : HalveFn {
  static constexpr int kPicoseconds = 30000;
};

// Numbers of their own in memory that begins `shift` elements after a multiple of 64 bytes.
template <class T>
struct Numbers {
  Numbers(int64_t count, int shift) : memory(count + 64) {
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    data = reinterpret_cast<T*>((address + 63) / 64 * 64) + shift;
    for (int64_t i = 0; i < count; ++i) data[i] = T(static_cast<float>(i % 97));
  }
  std::vector<T> memory;
  T* data;
};

void ExpectPlaces(const Shape& a, const Shape& b, const Shape& c, int shift) {
  Broadcast plan;
  Shape shape;
  ASSERT_TRUE(MakeBroadcast({&a, &b, &c}, &plan, &shape).ok());
  Numbers<float> x(a.num_elements(), shift), y(b.num_elements(), 0), z(c.num_elements(), 0);
  Numbers<float> result(shape.num_elements(), 0);
  GpuElementwiseArgs args;
  args.inputs[0] = x.data;
  args.inputs[1] = y.data;
  args.inputs[2] = z.data;
  args.output = result.data;
  args.count = shape.num_elements();
  args.broadcasts = a != b || b != c;
  args.plan = plan;
  const ThreeFn fn;
  args.functor = &fn;
  using Block = ElementwiseBlock<ThreeFn, float, float, float, float>;
  RunBlocks(Block(args), Block::Grid(args.count));
  for (int64_t i = 0; i < args.count; ++i) {
    int64_t at[Broadcast::kMaxInputs] = {};
    plan.Locate(i, at);
    ASSERT_EQ(result.data[i], x.data[at[0]] * 10000 + y.data[at[1]] * 100 + z.data[at[2]])
        << a.ToString() << b.ToString() << c.ToString() << shift << " at " << i;
  }
}

// With packs and without, as rows and addresses allow for them.
TEST(ElementwiseBlock, FindsAllInputs) {
  const Shape full[] = {Shape({8}),       Shape({7}),        Shape({5, 8}),    Shape({5, 7}),
                        Shape({2, 3, 4}), Shape({2, 3, 16}), Shape({3, 2000}), Shape({90, 11})};
  for (const Shape& shape : full) {
    for (const int shift : {0, 1}) {
      ExpectPlaces(shape, shape, shape, shift);
      ExpectPlaces(shape, Shape(), shape, shift);
      ExpectPlaces(Shape(), shape, Shape(), shift);
      const Shape row({shape.dim(shape.rank() - 1)});
      ExpectPlaces(shape, row, Shape(), shift);
      ExpectPlaces(row, shape, shape, shift);
      if (shape.rank() < 2) continue;
      const Shape column = shape.WithDim(shape.rank() - 1, 1).value_or(Shape());
      ExpectPlaces(shape, column, row, shift);
      ExpectPlaces(column, row, column, shift);
      if (shape.rank() < 3) continue;
      const Shape middle({1, shape.dim(1), 1});
      ExpectPlaces(shape, middle, column, shift);
    }
  }
}

template <class Fn, class T>
void ExpectHalves(int64_t count, int shift) {
  Numbers<T> x(count, shift);
  const std::vector<T> want(x.data, x.data + count);
  GpuElementwiseArgs args;
  args.inputs[0] = x.data;
  args.output = x.data;  // in place
  args.count = count;
  const Fn fn;
  args.functor = &fn;
  using Block = ElementwiseBlock<Fn, T, T>;
  RunBlocks(Block(args), Block::Grid(args.count));
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(static_cast<float>(x.data[i]), static_cast<float>(want[i]) / 2) << i;
  }
}

TEST(ElementwiseBlock, ComputesInPlaceWhateverTheType) {
  for (const int64_t count : {1, 7, 8, 9, 5000}) {
    for (const int shift : {0, 1, 4}) {
      ExpectHalves<HalveFn, Half>(count, shift);
      ExpectHalves<HalveFn, float>(count, shift);
      ExpectHalves<HalveFn, double>(count, shift);
      ExpectHalves<SlowFn, float>(count, shift);
    }
  }
}

}  // namespace
}  // namespace warpbeam::host_pass
