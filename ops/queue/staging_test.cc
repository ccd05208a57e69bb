// Staging areas, staging maps and barriers: order, limits, waiting and leaving the line.
#include <gtest/gtest.h>

#include <future>
#include <limits>

#include "ops/launch/op_record.h"
#include "ops/queue/barrier.h"
#include "ops/queue/staging_area.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

class StagingTest : public ::testing::Test {
 protected:
  OpRunner Op(const char* name, std::vector<DType> types) {
    OpRunner op(name);
    op.Attr("shared_name", std::string("area")).Attr("dtypes", std::move(types));
    op.Attr("memory_limit", limit_).Attr("capacity", capacity_).Resources(&store_);
    return op;
  }
  Status Stage(Tensor value) {
    return Op("Stage", {value.dtype()}).InputList({value}).Run().status();
  }
  int32_t Size(const char* op, std::vector<DType> types) {
    auto size = Op(op, std::move(types)).RunOne();
    EXPECT_TRUE(size.ok()) << size.status();
    return size.ok() ? size->scalar<int32_t>() : -1;
  }
  ResourceStore store_;
  int64_t limit_ = 0;
  int64_t capacity_ = 0;
};

TEST_F(StagingTest, FirstInFirstOut) {
  for (int32_t i : {1, 2, 3}) ASSERT_TRUE(Stage(Tensor::Scalar<int32_t>(i)).ok());
  auto peeked = Op("StagePeek", {DType::kInt32}).Input(Tensor::Scalar<int32_t>(1)).RunOne();
  ASSERT_TRUE(peeked.ok()) << peeked.status();
  EXPECT_EQ(peeked->scalar<int32_t>(), 2);
  EXPECT_EQ(
      Op("StagePeek", {DType::kInt32}).Input(Tensor::Vector<int32_t>({1})).RunOne().status().code(),
      Code::kInvalidArgument);
  auto taken = Op("Unstage", {DType::kInt32}).RunOne();
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->scalar<int32_t>(), 1);
  EXPECT_EQ(Size("StageSize", {DType::kInt32}), 2);
  EXPECT_EQ(Op("Unstage", {DType::kInt32, DType::kInt32}).Run().status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(Op("Unstage", {DType::kFloat}).Run().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Size("StageSize", {DType::kInt32}), 0);
  ASSERT_TRUE(Stage(Tensor::Scalar<int32_t>(4)).ok());
  ASSERT_TRUE(Op("StageClear", {DType::kInt32}).Run().ok());
  EXPECT_EQ(Size("StageSize", {DType::kInt32}), 0);
}

TEST_F(StagingTest, LimitsHoldPuttersUp) {
  limit_ = 8;
  EXPECT_EQ(Stage(Tensor::Vector<int32_t>({1, 2, 3})).code(), Code::kResourceExhausted);
  ASSERT_TRUE(Stage(Tensor::Vector<int32_t>({1, 2})).ok());
  auto waiting =
      std::async(std::launch::async, [this] { return Stage(Tensor::Scalar<int32_t>(3)); });
  auto first = Op("Unstage", {DType::kInt32}).RunOne();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->num_elements(), 2);
  EXPECT_TRUE(waiting.get().ok());
  auto second = Op("Unstage", {DType::kInt32}).RunOne();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->scalar<int32_t>(), 3);
}

TEST_F(StagingTest, ATakerWaits) {
  auto waiting =
      std::async(std::launch::async, [this] { return Op("Unstage", {DType::kInt32}).RunOne(); });
  ASSERT_TRUE(Stage(Tensor::Scalar<int32_t>(5)).ok());
  auto taken = waiting.get();
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->scalar<int32_t>(), 5);
}

class MapTest : public StagingTest, public ::testing::WithParamInterface<std::string> {
 protected:
  const std::vector<DType> types_ = {DType::kInt32, DType::kFloat};
  std::string Name(const char* op) const { return GetParam() + op; }
  Status Put(int64_t key, std::vector<int32_t> indices, std::vector<Tensor> values) {
    return Op(Name("Stage").c_str(), types_)
        .Input(Tensor::Scalar<int64_t>(key))
        .Input(Tensor::Vector<int32_t>(MakeConstSpan(indices)))
        .InputList(std::move(values))
        .Run()
        .status();
  }
  StatusOr<std::vector<Tensor>> Get(const char* op, int64_t key, std::vector<int32_t> indices) {
    std::vector<DType> types;
    for (int32_t i : indices) types.push_back(types_[static_cast<size_t>(i) % 2]);
    return Op(Name(op).c_str(), types)
        .Input(Tensor::Scalar<int64_t>(key))
        .Input(Tensor::Vector<int32_t>(MakeConstSpan(indices)))
        .Run();
  }
  int32_t Count(const char* op) { return Size(Name(op).c_str(), types_); }
  static Tensor Int(int32_t v) { return Tensor::Scalar<int32_t>(v); }
  static Tensor Float(float v) { return Tensor::Scalar<float>(v); }
};

TEST_P(MapTest, RowsComeTogetherAndGoApart) {
  ASSERT_TRUE(Put(5, {0, 1}, {Int(1), Float(.5f)}).ok());
  ASSERT_TRUE(Put(3, {1}, {Float(.25f)}).ok());
  EXPECT_EQ(Count("Size"), 1);
  EXPECT_EQ(Count("IncompleteSize"), 1);
  EXPECT_EQ(Put(3, {1}, {Float(.25f)}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Put(4, {5}, {Float(.25f)}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Put(4, {0}, {Float(.25f)}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Put(4, {1, 0}, {Float(1), Int(1)}).code(), Code::kInvalidArgument);
  ASSERT_TRUE(Put(3, {0}, {Int(9)}).ok());
  EXPECT_EQ(Count("Size"), 2);
  EXPECT_EQ(Count("IncompleteSize"), 0);
  auto peeked = Get("Peek", 5, {0, 1});
  ASSERT_TRUE(peeked.ok()) << peeked.status();
  EXPECT_EQ((*peeked)[1].scalar<float>(), .5f);
  ASSERT_TRUE(Get("Unstage", 5, {1}).ok());
  EXPECT_EQ(Count("Size"), 2);
  EXPECT_EQ(Get("Unstage", 5, {1}).status().code(), Code::kInvalidArgument);
  ASSERT_TRUE(Get("Unstage", 5, {0}).ok());
  EXPECT_EQ(Count("Size"), 1);
  auto any = Op(Name("UnstageNoKey").c_str(), types_).Input(Tensor::Vector<int32_t>({0, 1})).Run();
  ASSERT_TRUE(any.ok()) << any.status();
  EXPECT_EQ((*any)[0].scalar<int64_t>(), 3);
  EXPECT_EQ((*any)[1].scalar<int32_t>(), 9);
  ASSERT_TRUE(Put(8, {0}, {Int(9)}).ok());
  ASSERT_TRUE(Op(Name("Clear").c_str(), types_).Run().ok());
  EXPECT_EQ(Count("IncompleteSize"), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MapTest, ::testing::Values("Map", "OrderedMap"));

TEST(WaitingResourceTest, ACancelledStepLeavesTheLine) {
  StepContext step(1, nullptr, nullptr);
  StepContext other(2, nullptr, nullptr);
  auto area = std::make_shared<StagingArea>(StagingSpec());
  const auto take = [&](StepContext* s, StagedRow* row, Status* result) {
    area->Attempt(
        s, [&area, row](Status*) { return area->TakeLocked(row); },
        [result](Status status) { *result = std::move(status); });
  };
  Status first = Unknown("waits");
  Status second = first, third;
  StagedRow row, other_row;
  take(&step, &row, &first);
  take(&other, &other_row, &second);
  step.Cancel(Cancelled("enough"));
  EXPECT_EQ(first.code(), Code::kCancelled);
  EXPECT_EQ(second.code(), Code::kUnknown);
  take(&step, &row, &third);
  EXPECT_EQ(third.code(), Code::kCancelled);
  StagedRow put = {KeptTensor::OfHost(Tensor::Scalar<int32_t>(7))};
  Status status;
  ASSERT_TRUE(area->Now([&] {
                    area->PutLocked(&put, &status);
                    return status;
                  })
                  .ok());
  EXPECT_TRUE(second.ok()) << second;
  EXPECT_EQ(other_row[0].OnHost()->scalar<int32_t>(), 7);
}

// How often those who wait are tried until all are served.
int64_t TriesToServe(int waiters) {
  auto area = std::make_shared<StagingArea>(StagingSpec());
  int served = 0;
  int64_t tries = 0;
  std::vector<StagedRow> rows(static_cast<size_t>(waiters));
  for (StagedRow& row : rows) {
    area->Attempt(
        nullptr, {StagingArea::kTake, 0},
        [&area, &row, &tries](Status*) {
          ++tries;
          return area->TakeLocked(&row);
        },
        [&served](Status status) { served += status.ok() ? 1 : 0; });
  }
  for (int i = 0; i < waiters; ++i) {
    StagedRow row = {KeptTensor::OfHost(Tensor::Scalar<int32_t>(i))};
    area->Attempt(
        nullptr, {StagingArea::kPut, 4},
        [&area, &row](Status* s) { return area->PutLocked(&row, s); }, [](Status) {});
  }
  EXPECT_EQ(served, waiters);
  EXPECT_EQ(rows.back()[0].OnHost()->scalar<int32_t>(),
            waiters - 1);  // in the order in which they came
  return tries;
}

TEST(WaitingResourceTest, ThoseWhoWaitCostNothing) {
  const int64_t few = TriesToServe(5'000), many = TriesToServe(50'000);
  EXPECT_GE(few, 5'000);
  EXPECT_LE(many, 13 * few);
}

class BarrierTest : public ::testing::Test {
 protected:
  static constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  Status Insert(int64_t component, const std::vector<std::string>& keys, Tensor values) {
    return barrier_->Insert(component, Tensor::Vector<std::string>(MakeConstSpan(keys)), values);
  }
  // UNKNOWN while it waits.
  Status Take(int64_t count, bool small = false) {
    auto status = std::make_shared<Status>(Unknown("waits"));
    rows_ = std::make_shared<Barrier::Rows>();
    barrier_->Take(&step_, count, small, rows_, [status](Status s) { *status = std::move(s); });
    last_ = status;
    return *status;
  }
  std::shared_ptr<Barrier> barrier_ = std::make_shared<Barrier>(BarrierSpec{
      "b", {DType::kFloat, DType::kInt32}, {PartialShape(Shape()), PartialShape(Shape({2}))}});
  StepContext step_{1, nullptr, nullptr};
  std::shared_ptr<Barrier::Rows> rows_;
  std::shared_ptr<Status> last_;
};

Tensor Pairs(const std::vector<int32_t>& values) {
  return Tensor::FromValues<int32_t>(Shape({static_cast<int64_t>(values.size() / 2), 2}),
                                     MakeConstSpan(values));
}

TEST_F(BarrierTest, RowsInTheOrderOfTheirKeys) {
  ASSERT_TRUE(Insert(0, {"a", "b"}, Tensor::Vector<float>({1, 2})).ok());
  ASSERT_TRUE(Insert(1, {"b", "c"}, Pairs({1, 2, 3, 4})).ok());
  EXPECT_EQ(barrier_->ready_size(), 1);
  EXPECT_EQ(barrier_->incomplete_size(), 2);
  EXPECT_EQ(Insert(0, {"a"}, Tensor::Vector<float>({1})).code(), Code::kInvalidArgument);
  EXPECT_EQ(Insert(2, {"a"}, Tensor::Vector<float>({1})).code(), Code::kInvalidArgument);
  EXPECT_EQ(Insert(1, {"a"}, Tensor::Vector<float>({1})).code(), Code::kInvalidArgument);
  EXPECT_EQ(Insert(1, {"a"}, Tensor::Vector<int32_t>({1})).code(), Code::kInvalidArgument);
  ASSERT_TRUE(Take(1).ok());
  EXPECT_EQ((*rows_)[0].key, "b");
  EXPECT_EQ((*rows_)[0].batch, kFirst);
  EXPECT_EQ(Take(2).code(), Code::kUnknown);
  ASSERT_TRUE(Insert(0, {"c"}, Tensor::Vector<float>({9})).ok());
  EXPECT_EQ(last_->code(), Code::kUnknown);
  ASSERT_TRUE(Insert(1, {"a"}, Pairs({7, 8})).ok());
  ASSERT_TRUE(last_->ok()) << *last_;
  EXPECT_EQ((*rows_)[0].key, "a");
  EXPECT_EQ((*rows_)[1].key, "c");
  EXPECT_EQ((*rows_)[1].batch, kFirst + 1);
  EXPECT_EQ((*rows_)[0].values[1].flat<int32_t>()[1], 8);
}

// Batches are counted by the keys that they bring, not by their components.
TEST_F(BarrierTest, KeysOfOneInsertHaveOneNumber) {
  for (int i = 0; i < 3; ++i) {
    const std::string a = absl::StrCat("a", i), b = absl::StrCat("b", i);
    ASSERT_TRUE(Insert(0, {a, b}, Tensor::Vector<float>({1, 2})).ok());
    ASSERT_TRUE(Insert(1, {b, a}, Pairs({1, 2, 3, 4})).ok());
  }
  ASSERT_TRUE(Take(6).ok());
  for (int i = 0; i < 6; ++i) EXPECT_EQ((*rows_)[i].batch, kFirst + i / 2) << i;
}

TEST_F(BarrierTest, ShapesThatAreNotDeclared) {
  barrier_ = std::make_shared<Barrier>(BarrierSpec{"b", {DType::kInt32}, {PartialShape()}});
  ASSERT_TRUE(Insert(0, {"a", "b"}, Pairs({1, 2, 3, 4})).ok());
  ASSERT_TRUE(Insert(0, {"c"}, Tensor::Vector<int32_t>({5})).ok());
  ASSERT_TRUE(Take(3).ok());
  EXPECT_EQ((*rows_)[0].values[0].shape(), Shape({2}));
  EXPECT_EQ((*rows_)[2].values[0].shape(), Shape());
  const Status empty = Insert(0, {"d"}, *Tensor::Allocate(DType::kInt32, Shape({1, 0})));
  EXPECT_EQ(empty.code(), Code::kInvalidArgument);
  EXPECT_NE(empty.message().find("no elements"), absl::string_view::npos) << empty;
}

TEST_F(BarrierTest, Closing) {
  ASSERT_TRUE(Insert(0, {"d"}, Tensor::Vector<float>({1})).ok());
  ASSERT_TRUE(barrier_->Close(false).ok());
  EXPECT_EQ(barrier_->Close(false).code(), Code::kCancelled);
  EXPECT_EQ(Insert(0, {"e"}, Tensor::Vector<float>({1})).code(), Code::kCancelled);
  EXPECT_EQ(Take(2).code(), Code::kOutOfRange);
  EXPECT_EQ(Take(1).code(), Code::kUnknown);  // it may still come
  ASSERT_TRUE(Insert(1, {"d"}, Pairs({5, 6})).ok());
  EXPECT_TRUE(last_->ok());
  EXPECT_EQ(Take(2, true).code(), Code::kOutOfRange);
  ASSERT_TRUE(barrier_->Close(true).ok());
  EXPECT_EQ(barrier_->Close(true).code(), Code::kCancelled);
  EXPECT_EQ(Insert(0, {"x"}, Tensor::Vector<float>({1})).code(), Code::kCancelled);
}

TEST_F(BarrierTest, ASmallBatchIsWhatIsLeft) {
  ASSERT_TRUE(Insert(0, {"d"}, Tensor::Vector<float>({1})).ok());
  ASSERT_TRUE(Insert(1, {"d"}, Pairs({5, 6})).ok());
  ASSERT_TRUE(barrier_->Close(false).ok());
  ASSERT_TRUE(Take(5, true).ok());
  EXPECT_EQ(rows_->size(), 1u);
}

TEST_F(BarrierTest, ClosingEndsThoseWhoWaitInVain) {
  ASSERT_TRUE(Insert(0, {"d"}, Tensor::Vector<float>({1})).ok());
  EXPECT_EQ(Take(1).code(), Code::kUnknown);
  ASSERT_TRUE(barrier_->Close(true).ok());
  EXPECT_EQ(last_->code(), Code::kOutOfRange);
}

}  // namespace
}  // namespace warpbeam
