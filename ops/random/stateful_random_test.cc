// Ops whose generator's state is a variable; values and states are TensorFlow's.
#include <string>
#include <utility>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

Tensor Longs(std::initializer_list<int64_t> values) { return Tensor::Vector<int64_t>(values); }

class StatefulRandom : public ::testing::Test {
 protected:
  StatefulRandom() { SetState(Longs({7, 8, 9})); }

  void SetState(Tensor state) {
    auto handle = OpRunner("VarHandleOp")
                      .Attr("dtype", state.dtype())
                      .Attr("shape", PartialShape())
                      .Attr("shared_name", absl::StrCat("state", ++states_))
                      .Resources(&store_)
                      .RunOne();
    ASSERT_TRUE(handle.ok()) << handle.status();
    handle_ = *handle;
    dtype_ = state.dtype();
    const Status set = OpRunner("AssignVariableOp")
                           .Resources(&store_)
                           .Input(handle_)
                           .Input(std::move(state))
                           .Run()
                           .status();
    ASSERT_TRUE(set.ok()) << set;
  }
  OpRunner On(const char* op) {
    OpRunner runner(op);
    runner.Resources(&store_).Input(handle_);
    return runner;
  }
  OpRunner Draw(const char* op, Tensor shape, int64_t algorithm = 1) {
    OpRunner runner = On(op);
    runner.Input(Tensor::Scalar<int64_t>(algorithm)).Input(std::move(shape));
    return runner;
  }
  void ExpectState(Tensor want) {
    auto got = On("ReadVariableOp").Attr("dtype", dtype_).RunOne();
    ASSERT_TRUE(got.ok()) << got.status();
    const Status same = CompareTensors(*got, want, {});
    EXPECT_TRUE(same.ok()) << same;
  }
  void ExpectDrawn(StatusOr<Tensor> got, Tensor want, Tensor state) {
    ASSERT_TRUE(got.ok()) << got.status();
    const Status same = CompareTensors(*got, want, {1e-6, 1e-6});
    EXPECT_TRUE(same.ok()) << same;
    ExpectState(std::move(state));
    SetState(Longs({7, 8, 9}));
  }

  ResourceStore store_;
  Tensor handle_;
  DType dtype_ = DType::kInt64;
  int states_ = 0;
};

TEST_F(StatefulRandom, Values) {
  const Tensor three = Longs({3}), after = Longs({775, 8, 9});
  const Tensor normal = Tensor::Vector<float>({.819425285f, .0984112248f, -1.0287559f});
  ExpectDrawn(Draw("StatefulStandardNormalV2", three).RunOne(), normal, after);
  ExpectDrawn(Draw("StatefulTruncatedNormal", three).RunOne(), normal, after);
  const Tensor uniform = Tensor::Vector<float>({.711363792f, .230976939f, .580710769f});
  ExpectDrawn(Draw("StatefulUniform", three).RunOne(), uniform, after);
  ExpectDrawn(Draw("StatefulUniform", three, /*algorithm=*/3).RunOne(), uniform, after);
  ExpectDrawn(Draw("StatefulUniform", Longs({2, 2})).Attr("dtype", DType::kDouble).RunOne(),
              OpTest::Make<double>({2, 2}, {.690910832, .64568628, .689169982, .535077024}),
              Longs({1031, 8, 9}));
  ExpectDrawn(
      Draw("StatefulUniformFullInt", three).RunOne(),
      Tensor::Vector<uint64_t>({9519924234438774264u, 2513943927624193211u, 1892298392196548311u}),
      after);
  ExpectDrawn(Draw("StatefulUniformInt", three)
                  .Input(Tensor::Scalar<int64_t>(-5))
                  .Input(Tensor::Scalar<int64_t>(9))
                  .RunOne(),
              Longs({5, 2, -2}), after);
  ExpectDrawn(Draw("StatefulRandomBinomial", Tensor::Vector<int32_t>({5}))
                  .Attr("dtype", DType::kInt32)
                  .Input(Tensor::Scalar<float>(10))
                  .Input(Tensor::Scalar<float>(.3f))
                  .RunOne(),
              Tensor::Vector<int32_t>({5, 4, 2, 2, 4}), Longs({102407, 8, 9}));
  // The first version's state begins with the algorithm.
  SetState(Longs({1, 7, 8, 9}));
  ExpectDrawn(On("StatefulStandardNormal").Input(three).RunOne(), normal, Longs({1, 775, 8, 9}));
}

TEST_F(StatefulRandom, CounterCarriesAndFurtherStateStays) {
  SetState(Longs({-1, 8, 9, 4}));
  ExpectDrawn(Draw("StatefulUniform", Longs({3})).RunOne(),
              Tensor::Vector<float>({.042468667f, .398355365f, .770361185f}),
              Longs({767, 9, 9, 4}));
}

TEST_F(StatefulRandom, Skips) {
  const auto skip = [&](int64_t values) {
    return On("RngSkip")
        .Input(Tensor::Scalar<int64_t>(1))
        .Input(Tensor::Scalar<int64_t>(values))
        .Run()
        .status();
  };
  EXPECT_TRUE(skip(5).ok());
  ExpectState(Longs({1287, 8, 9}));
  SetState(Longs({7, 8, 9}));
  EXPECT_TRUE(skip(-5).ok());
  ExpectState(Longs({-1273, 8, 9}));
  SetState(Longs({-1, 8, 9, 4}));
  const auto read = [&](int32_t algorithm, uint64_t values) {
    return On("RngReadAndSkip")
        .Input(Tensor::Scalar<int32_t>(algorithm))
        .Input(Tensor::Scalar<uint64_t>(values))
        .RunOne();
  };
  ExpectDrawn(read(1, (uint64_t{1} << 63) + 1), Longs({-1, 8, 9}), Longs({255, 9, 9, 4}));
  ExpectDrawn(read(3, 5), Longs({7, 8, 9}), Longs({1287, 8, 9}));
  EXPECT_EQ(read(2, 5).status().code(), Code::kUnimplemented);
  EXPECT_EQ(read(9, 5).status().code(), Code::kInvalidArgument);
}

TEST_F(StatefulRandom, Refusals) {
  const Tensor three = Longs({3});
  const auto code = [](OpRunner runner) { return runner.Run().status().code(); };
  EXPECT_EQ(code(Draw("StatefulUniform", three, 2)), Code::kUnimplemented);
  EXPECT_EQ(code(Draw("StatefulUniform", three, 7)), Code::kInvalidArgument);
  EXPECT_EQ(code(Draw("StatefulUniform", Longs({-3}))), Code::kInvalidArgument);
  EXPECT_EQ(code(On("StatefulUniform").Input(Longs({1})).Input(three)), Code::kInvalidArgument);
  const auto range = [&](Tensor low, Tensor high, Tensor shape) {
    OpRunner runner = Draw("StatefulUniformInt", std::move(shape));
    return runner.Input(std::move(low)).Input(std::move(high)).Run().status().code();
  };
  const Tensor five = Tensor::Scalar<int64_t>(5);
  EXPECT_EQ(range(five, five, three), Code::kInvalidArgument);
  EXPECT_EQ(range(five, five, Longs({0})), Code::kInvalidArgument);
  EXPECT_EQ(range(Longs({5}), five, three), Code::kInvalidArgument);
  // Nothing of this has drawn.
  ExpectState(Longs({7, 8, 9}));
  SetState(Longs({1, 2}));
  EXPECT_EQ(code(Draw("StatefulUniform", three)), Code::kInvalidArgument);
  SetState(OpTest::Make<int64_t>({1, 3}, {1, 2, 3}));
  EXPECT_EQ(code(Draw("StatefulUniform", three)), Code::kInvalidArgument);
  SetState(Tensor::Vector<uint64_t>({1, 2, 3}));
  EXPECT_EQ(code(Draw("StatefulUniform", three)), Code::kInvalidArgument);
}

TEST(NonDeterministicInts, DifferEachTime) {
  const auto draw = [] { return OpRunner("NonDeterministicInts").Input(Longs({2, 3})).RunOne(); };
  const auto first = draw(), second = draw();
  ASSERT_TRUE(first.ok() && second.ok()) << first.status();
  EXPECT_EQ(first->shape(), Shape({2, 3}));
  EXPECT_FALSE(CompareTensors(*first, *second, {}).ok());
  OpTest("NonDeterministicInts").Input(Longs({2, -3})).ExpectError(Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
