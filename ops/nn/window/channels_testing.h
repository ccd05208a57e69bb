// For tests of ops that know data formats: an op must give for data with its channels first what it
// gives for the same data with its channels last.
//
//   FormatTest test("Conv2D", /*spatial=*/2);
//   test.Attr("padding", "SAME").List("strides", {1, 2, 2, 1}).Data(x).Plain(filter).Check({true});
//
// Everything is given as for channels last; lists, sizes and data are turned around for the other
// run. Both runs are on the CPU, and their results are equal to the bit unless `Within` says
// otherwise.
//
// Thread safety: one thread. Errors: as failed expectations.
#ifndef WARPBEAM_OPS_NN_WINDOW_CHANNELS_TESTING_H_
#define WARPBEAM_OPS_NN_WINDOW_CHANNELS_TESTING_H_

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {

class FormatTest {
 public:
  FormatTest(std::string op, int spatial) : op_(std::move(op)), spatial_(spatial) {}

  FormatTest& Attr(const char* name, AttrValue value) {
    attrs_.emplace_back(name, std::move(value));
    return *this;
  }
  // One number a dimension, or two (explicit paddings).
  FormatTest& List(const char* name, std::vector<int64_t> values) {
    lists_.emplace_back(name, std::move(values));
    return *this;
  }
  FormatTest& Data(Tensor value) { return Add(std::move(value), Role::kData); }
  // A vector of int32 with the shape of data.
  FormatTest& Sizes(const Shape& shape) {
    const std::vector<int32_t> sizes(shape.dims().begin(), shape.dims().end());
    return Add(Tensor::Vector<int32_t>(sizes), Role::kSizes);
  }
  FormatTest& Plain(Tensor value) { return Add(std::move(value), Role::kPlain); }
  FormatTest& Within(double tolerance) {
    tolerance_ = tolerance;
    return *this;
  }

  // `is_data` says which outputs are data.
  void Check(const std::vector<bool>& is_data) const {
    const auto last = Run(false), first = Run(true);
    ASSERT_TRUE(last.ok()) << op_ << ": " << last.status();
    ASSERT_TRUE(first.ok()) << op_ << ": " << first.status();
    ASSERT_GE(last->size(), is_data.size());
    for (size_t i = 0; i < is_data.size(); ++i) {
      ExpectNear(is_data[i] ? Turned((*last)[i]) : (*last)[i], (*first)[i]);
    }
  }
  // What becomes of channels first.
  Status StatusOfFirst() const { return Run(true).status(); }

 private:
  enum class Role { kData, kSizes, kPlain };
  struct Input {
    Tensor value;
    Role role;
  };

  FormatTest& Add(Tensor value, Role role) {
    inputs_.push_back({std::move(value), role});
    return *this;
  }

  // Which dimension of data with channels last becomes dimension `i`.
  int Source(int i) const { return i == 0 ? 0 : i == 1 ? spatial_ + 1 : i - 1; }
  template <class T>
  std::vector<T> TurnedList(const std::vector<T>& values) const {
    const size_t each = values.size() / static_cast<size_t>(spatial_ + 2);
    std::vector<T> turned;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto from = static_cast<size_t>(Source(static_cast<int>(i / each)));
      turned.push_back(values[from * each + i % each]);
    }
    return turned;
  }
  Tensor Turned(const Tensor& x) const {
    std::vector<int32_t> order;
    for (int i = 0; i < spatial_ + 2; ++i) order.push_back(Source(i));
    auto y = OpRunner("Transpose").Input(x).Input(Tensor::Vector<int32_t>(order)).RunOne();
    EXPECT_TRUE(y.ok()) << y.status();
    return y.ok() ? *std::move(y) : Tensor();
  }

  StatusOr<std::vector<Tensor>> Run(bool first) const {
    OpRunner op(op_);
    for (const auto& [name, value] : attrs_) op.Attr(name, value);
    for (const auto& [name, values] : lists_) op.Attr(name, first ? TurnedList(values) : values);
    if (first) op.Attr("data_format", spatial_ == 3 ? "NCDHW" : "NCHW");
    if (!first && spatial_ == 3) op.Attr("data_format", "NDHWC");
    for (const Input& in : inputs_) {
      if (!first || in.role == Role::kPlain) {
        op.Input(in.value);
      } else if (in.role == Role::kData) {
        op.Input(Turned(in.value));
      } else {
        const Span<const int32_t> sizes = in.value.flat<int32_t>();
        op.Input(
            Tensor::Vector<int32_t>(TurnedList(std::vector<int32_t>(sizes.begin(), sizes.end()))));
      }
    }
    return op.Run();
  }

  void ExpectNear(const Tensor& wanted, const Tensor& got) const {
    ASSERT_EQ(wanted.shape(), got.shape()) << op_;
    ASSERT_EQ(wanted.dtype(), got.dtype()) << op_;
    for (int64_t i = 0; i < wanted.num_elements(); ++i) {
      const double x = At(wanted, i);
      ASSERT_NEAR(x, At(got, i), tolerance_ * (1 + std::abs(x))) << op_ << " " << i;
    }
  }
  static double At(const Tensor& x, int64_t i) {
    if (x.dtype() == DType::kHalf) return static_cast<float>(x.data<Half>()[i]);
    if (x.dtype() == DType::kBFloat16) return static_cast<float>(x.data<BFloat16>()[i]);
    EXPECT_EQ(x.dtype(), DType::kFloat);
    return x.data<float>()[i];
  }

  const std::string op_;
  const int spatial_;
  double tolerance_ = 0;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
  std::vector<std::pair<std::string, std::vector<int64_t>>> lists_;
  std::vector<Input> inputs_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_WINDOW_CHANNELS_TESTING_H_
