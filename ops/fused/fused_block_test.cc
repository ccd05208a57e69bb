#include "ops/fused/fused_block.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_function.h"
#include "runtime/kernel/fused_launcher.h"

namespace warpbeam::host_pass {
namespace {

using Source = GpuProgram::Source;

// Numbers of their own in memory that begins `shift` elements after a multiple of 64 bytes.
template <class T>
struct Numbers {
  Numbers(int64_t count, int shift) : memory(static_cast<size_t>(count) + 64), size(count) {
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    data = reinterpret_cast<T*>((address + 63) / 64 * 64) + shift;
    for (int64_t i = 0; i < count; ++i) data[i] = T(static_cast<float>(i % 97) - 40);
    data[count] = T(-768.0f);
  }
  // Nobody has written behind the last element.
  bool ends_as_it_did() const { return static_cast<float>(data[size]) == -768.0f; }
  std::vector<T> memory;
  int64_t size;
  T* data;
};

class Program {
 public:
  explicit Program(int64_t count) { program_.count = count; }

  GpuProgram::Step& Add(FusedFunction function, DType dtype, void* output = nullptr) {
    GpuProgram::Step& step = program_.steps[program_.num_steps++];
    step.function = function;
    step.first_operand = static_cast<uint8_t>(operands_);
    step.dtype = dtype;
    step.output = output;
    return step;
  }
  void Operand(Source source, DType dtype, void* at, int number = 0) {
    GpuProgram::Operand& operand = program_.operands[operands_++];
    operand.source = source;
    operand.dtype = dtype;
    operand.at = at;
    operand.number = static_cast<uint8_t>(number);
    ++program_.steps[program_.num_steps - 1].num_operands;
  }
  // Where an update's new values go.
  void NewValue(void* at) { program_.operands[operands_++].at = at; }
  void Repeat(int number, uint32_t run, uint32_t period) {
    program_.repetitions[number] = {run, period};
  }
  void Run(int temporaries = 0) {
    program_.num_temporaries = temporaries;
    RunBlocks(FusedBlock(program_), FusedBlock::Grid(program_));
  }

 private:
  GpuProgram program_;
  int operands_ = 0;
};

constexpr int64_t kCounts[] = {2, 3, 4, 5, 511, 512, 513, 1024, 1031, 5000};

// y = (a - b) * s, with the difference as a second output; in any place.
template <class T>
void ExpectTwoOutputs(DType dtype) {
  for (const int64_t count : kCounts) {
    for (const int shift : {0, 1, 3}) {
      SCOPED_TRACE(testing::Message() << DTypeName(dtype) << count << ", " << shift);
      Numbers<T> a(count, shift), b(count, 0), difference(count, 2 * shift), y(count, 0);
      for (int64_t i = 0; i < count; ++i) b.data[i] = T(static_cast<float>(i % 13) / 3);
      T scalar(1.7f);
      Program program(count);
      program.Add(kSubFn, dtype, difference.data);
      program.Operand(Source::kTensor, dtype, a.data);
      program.Operand(Source::kTensor, dtype, b.data);
      program.Add(kMulFn, dtype, y.data);
      program.Operand(Source::kPrevious, dtype, nullptr);
      program.Operand(Source::kScalar, dtype, &scalar);
      program.Run();
      for (int64_t i = 0; i < count; ++i) {
        const T less(static_cast<float>(a.data[i]) - static_cast<float>(b.data[i]));
        const T product(static_cast<float>(less) * static_cast<float>(scalar));
        ASSERT_EQ(static_cast<float>(difference.data[i]), static_cast<float>(less)) << i;
        ASSERT_EQ(static_cast<float>(y.data[i]), static_cast<float>(product)) << i;
      }
      EXPECT_TRUE(difference.ends_as_it_did() && y.ends_as_it_did());
    }
  }
}
TEST(FusedBlock, SeveralOutputsOfAnyCountInAnyPlace) {
  ExpectTwoOutputs<float>(DType::kFloat);
  ExpectTwoOutputs<Half>(DType::kHalf);
  ExpectTwoOutputs<BFloat16>(DType::kBFloat16);
}

// An output may be the memory of an operand that is read for the last time.
TEST(FusedBlock, AnOutputInThePlaceOfAnInput) {
  Numbers<float> a(1031, 0), before(1031, 0);
  Program program(1031);
  program.Add(kNegFn, DType::kFloat);
  program.Operand(Source::kTensor, DType::kFloat, a.data);
  program.Add(kSubFn, DType::kFloat, a.data);
  program.Operand(Source::kPrevious, DType::kFloat, nullptr);
  program.Operand(Source::kTensor, DType::kFloat, a.data);
  program.Run();
  for (int64_t i = 0; i < 1031; ++i) ASSERT_EQ(a.data[i], -2 * before.data[i]) << i;
}

// Each thread finds in temporaries what it has left there.
TEST(FusedBlock, Temporaries) {
  for (const int64_t count : kCounts) {
    Numbers<float> a(count, 0), b(count, 1), y(count, 0);
    Program program(count);
    program.Add(kAddFn, DType::kFloat).temporary = 1;
    program.Operand(Source::kTensor, DType::kFloat, a.data);
    program.Operand(Source::kTensor, DType::kFloat, b.data);
    program.Add(kMulFn, DType::kFloat).temporary = 0;
    program.Operand(Source::kTensor, DType::kFloat, a.data);
    program.Operand(Source::kTemporary, DType::kFloat, nullptr, 1);
    program.Add(kNegFn, DType::kFloat);
    program.Operand(Source::kTensor, DType::kFloat, b.data);
    program.Add(kClipFn, DType::kFloat, y.data);
    program.Operand(Source::kTemporary, DType::kFloat, nullptr, 0);
    program.Operand(Source::kPrevious, DType::kFloat, nullptr);
    program.Operand(Source::kTemporary, DType::kFloat, nullptr, 1);
    program.Run(2);
    for (int64_t i = 0; i < count; ++i) {
      const float p = a.data[i], q = b.data[i];
      ASSERT_EQ(y.data[i], ClipFn()(p * (p + q), -q, p + q)) << i;
    }
  }
}

// y = (a + row) * column, where some elements of the row and of the column are for several.
template <class T>
void ExpectRepeatedOperands(DType dtype) {
  for (const int64_t columns : {1, 2, 3, 4, 7, 64, 1031}) {
    for (const int64_t rows : {1, 2, 5, 130}) {
      SCOPED_TRACE(testing::Message() << DTypeName(dtype) << rows << " by " << columns);
      const int64_t count = rows * columns;
      Numbers<T> a(count, 1), row(columns, 3), column(rows, 1), y(count, 0);
      Program program(count);
      program.Repeat(1, 1, static_cast<uint32_t>(columns));
      program.Repeat(4, static_cast<uint32_t>(columns), static_cast<uint32_t>(rows));
      program.Add(kAddFn, dtype);
      program.Operand(Source::kTensor, dtype, a.data);
      program.Operand(Source::kRepeated, dtype, row.data, 1);
      program.Add(kMulFn, dtype, y.data);
      program.Operand(Source::kRepeated, dtype, column.data, 4);
      program.Operand(Source::kPrevious, dtype, nullptr);
      program.Run();
      for (int64_t i = 0; i < count; ++i) {
        const T sum(static_cast<float>(a.data[i]) + static_cast<float>(row.data[i % columns]));
        const T product(static_cast<float>(column.data[i / columns]) * static_cast<float>(sum));
        ASSERT_EQ(static_cast<float>(y.data[i]), static_cast<float>(product)) << i;
      }
      EXPECT_TRUE(y.ends_as_it_did());
    }
  }
}
TEST(FusedBlock, RowsAndColumnsThatAreRepeated) {
  ExpectRepeatedOperands<float>(DType::kFloat);
  ExpectRepeatedOperands<Half>(DType::kHalf);
}

TEST(FusedBlock, BoolsAndConversions) {
  const int64_t count = 1031;
  Numbers<Half> a(count, 1);
  std::vector<uint8_t> larger(count + 64), y(count + 64);
  float limit = 3;
  Program program(count);
  program.Add(kConvertFn, DType::kFloat);
  program.Operand(Source::kTensor, DType::kHalf, a.data);
  program.Add(kGreaterFn, DType::kBool, larger.data() + 1);
  program.Operand(Source::kPrevious, DType::kFloat, nullptr);
  program.Operand(Source::kScalar, DType::kFloat, &limit);
  program.Add(kLogicalNotFn, DType::kBool, y.data());
  program.Operand(Source::kPrevious, DType::kBool, nullptr);
  program.Run();
  for (int64_t i = 0; i < count; ++i) {
    const bool is_larger = static_cast<float>(a.data[i]) > 3;
    ASSERT_EQ(larger[i + 1], is_larger ? 1 : 0) << i;
    ASSERT_EQ(y[i], is_larger ? 0 : 1) << i;
  }
  EXPECT_EQ(larger[0], 0);
  EXPECT_EQ(larger[count + 1], 0);
}

// Variables in their places and in new ones, behind the step that makes the gradient.
TEST(FusedBlock, UpdatesOfVariables) {
  for (const int64_t count : kCounts) {
    for (const bool in_place : {false, true}) {
      Numbers<float> w(count, 0), slot(count, 0), x(count, 1), new_w(count, 0), new_slot(count, 0);
      Numbers<float> sum(count, 0);
      float rate = 0.5f, momentum = 0.25f;
      Program program(count);
      program.Add(kSquareFn, DType::kFloat);
      program.Operand(Source::kTensor, DType::kFloat, x.data);
      program.Add(kMomentumRule, DType::kInvalid).num_variables = 2;
      program.Operand(Source::kTensor, DType::kFloat, w.data);
      program.Operand(Source::kTensor, DType::kFloat, slot.data);
      program.Operand(Source::kPrevious, DType::kFloat, nullptr);
      program.Operand(Source::kScalar, DType::kFloat, &rate);
      program.Operand(Source::kScalar, DType::kFloat, &momentum);
      program.NewValue(in_place ? w.data : new_w.data);
      program.NewValue(in_place ? slot.data : new_slot.data);
      // What the step before it has made is not changed by an update.
      program.Add(kDifferenceRule, DType::kInvalid).num_variables = 1;
      program.Operand(Source::kTensor, DType::kFloat, sum.data);
      program.Operand(Source::kPrevious, DType::kFloat, nullptr);
      program.NewValue(sum.data);
      const Numbers<float> old_w(count, 0), old_slot(count, 0);
      program.Run();
      const float* const got_w = in_place ? w.data : new_w.data;
      const float* const got_slot = in_place ? slot.data : new_slot.data;
      for (int64_t i = 0; i < count; ++i) {
        const float g = x.data[i] * x.data[i], inertia = old_slot.data[i] * momentum + g;
        ASSERT_EQ(got_slot[i], inertia) << i;
        ASSERT_EQ(got_w[i], old_w.data[i] - inertia * rate) << i;
        ASSERT_EQ(sum.data[i], old_w.data[i] - g) << i;
        ASSERT_EQ(w.data[i], in_place ? got_w[i] : old_w.data[i]) << i;
      }
    }
  }
}

TEST(FusedLauncher, KnowsFunctionsByOpAndTypes) {
  const FusedLauncher* const launcher = RegisteredFusedLauncher();
  ASSERT_NE(launcher, nullptr);
  const DType f = DType::kFloat, h = DType::kHalf, b = DType::kBool, d = DType::kDouble;
  const auto function = [&](const char* op, std::vector<DType> in, std::vector<DType> out) {
    return launcher->FunctionOf(op, AttrMap(), in, out);
  };
  EXPECT_EQ(function("AddV2", {f, f}, {f}), kAddFn);
  EXPECT_EQ(function("Add", {h, h}, {h}), kAddFn);
  EXPECT_EQ(function("Add", {d, d}, {d}), -1);
  EXPECT_EQ(function("Add", {DType::kInt32, DType::kInt32}, {DType::kInt32}), -1);
  EXPECT_EQ(function("Less", {f, f}, {b}), kLessFn);
  EXPECT_EQ(function("LogicalAnd", {b, b}, {b}), kLogicalAndFn);
  EXPECT_EQ(function("SelectV2", {b, h, h}, {h}), kChooseFn);
  EXPECT_EQ(function("Cast", {f}, {h}), kConvertFn);
  EXPECT_EQ(function("Cast", {h}, {b}), kConvertToBoolFn);
  EXPECT_EQ(function("Cast", {d}, {h}), -1);
  AttrMap truncate;
  truncate.Set("Truncate", true);
  EXPECT_EQ(launcher->FunctionOf("Cast", truncate, {f}, {h}), -1);
  EXPECT_EQ(function("MatMul", {f, f}, {f}), -1);
  const DType resource = DType::kResource, ref = RefType(f);
  EXPECT_EQ(function("ResourceApplyGradientDescent", {resource, f, f}, {}), kGradientDescentRule);
  EXPECT_EQ(function("ApplyGradientDescent", {ref, f, f}, {ref}), kGradientDescentRule);
  EXPECT_EQ(function("ApplyGradientDescent", {RefType(d), d, d}, {RefType(d)}), -1);
  EXPECT_EQ(function("AssignSubVariableOp", {resource, h}, {}), kDifferenceRule);
  EXPECT_EQ(function("AssignAdd", {ref, f}, {ref}), kSumRule);
  EXPECT_EQ(function("Assign", {ref, f}, {ref}), -1);
  EXPECT_EQ(function("SparseApplyAdagrad", {ref, ref, f, f, DType::kInt32}, {ref}), -1);
}

}  // namespace
}  // namespace warpbeam::host_pass
