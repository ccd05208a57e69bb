#include "runtime/state/variable.h"

#include <atomic>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/state/session_tensors.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Code = StatusCode;

TEST(VariableTest, HasNoValueAtFirst) {
  Variable v("weights", DType::kFloat);
  EXPECT_FALSE(v.IsInitialized());
  EXPECT_FALSE(v.Read().has_value());
  const Status s = v.ReadInitialized().status();
  EXPECT_EQ(s.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(s.message()), HasSubstr("uninitialized value weights"));
  EXPECT_EQ(v.DebugString(), "variable 'weights' of float");
}

// What was read does not change when the variable gets another value, and goes with its readers.
TEST(VariableTest, AReadingIsOfItsMoment) {
  Variable v("v", DType::kFloat);
  v.Assign(Tensor::Scalar(1.0f));
  const Tensor before = v.Read();
  v.Assign(Tensor::Scalar(2.0f));
  EXPECT_EQ(before.scalar<float>(), 1);
  EXPECT_EQ(v.Read().scalar<float>(), 2);
  EXPECT_TRUE(before.IsUnique());
}

TEST(VariableTest, AnUpdateThatFailsTellsSo) {
  Variable v("v", DType::kFloat);
  v.Assign(Tensor::Scalar(1.0f));
  EXPECT_EQ(v.Update([](Tensor&) { return DataLoss("no"); }), DataLoss("no"));
  EXPECT_EQ(v.Read().scalar<float>(), 1);
  ASSERT_TRUE(v.Update([](Tensor& value) {
                 value = Tensor::Scalar(3.0f);
                 return OkStatus();
               }).ok());
  EXPECT_EQ(v.Read().scalar<float>(), 3);
}

TEST(VariableTest, UpdatesOfManyThreadsAreOneAfterTheOther) {
  Variable v("v", DType::kInt64);
  v.Assign(Tensor::Scalar<int64_t>(0));
  std::vector<std::thread> threads;
  std::atomic<bool> backwards{false};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      int64_t last = 0;
      for (int i = 0; i < 500; ++i) {
        EXPECT_TRUE(v.Update([](Tensor& value) {
                       value = Tensor::Scalar<int64_t>(value.scalar<int64_t>() + 1);
                       return OkStatus();
                     }).ok());
        const int64_t now = v.Read().scalar<int64_t>();
        if (now <= last) backwards = true;
        last = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(backwards);
  EXPECT_EQ(v.Read().scalar<int64_t>(), 2000);
}

class KeptTensors final : public SessionTensors {
 public:
  std::string DebugString() const override { return "kept"; }
  StatusOr<Tensor> OnHost(const std::string& handle) const override {
    if (handle == "one") return Tensor::Scalar(1.0f);
    return InvalidArgument("no tensor '", handle, "'");
  }
};

Tensor HandleOf(const std::string& container, const std::string& name, int64_t count = 1) {
  ResourceHandle handle;
  handle.container = container;
  handle.name = name;
  auto tensor = Tensor::Allocate(DType::kResource, count == 1 ? Shape() : Shape({count}));
  EXPECT_TRUE(tensor.ok());
  for (int64_t i = 0; i < count; ++i) tensor->data<ResourceHandle>()[i] = handle;
  return *tensor;
}

// A client may feed the handle of a kept tensor in the place of the tensor.
TEST(SessionTensorsTest, AHandleStandsForItsTensor) {
  ResourceStore store;
  const Tensor plain = Tensor::Scalar(5.0f), handle = HandleOf(kSessionTensorContainer, "one");
  const Status nobody = FedTensor(handle, store).status();
  EXPECT_EQ(nobody.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(nobody.message()), HasSubstr("'one' is not in the session store"));
  ASSERT_TRUE(
      store.Create<SessionTensors>(kSessionTensorContainer, "", std::make_shared<KeptTensors>())
          .ok());
  EXPECT_EQ(FedTensor(handle, store)->scalar<float>(), 1);
  EXPECT_EQ(FedTensor(HandleOf(kSessionTensorContainer, "two"), store).status(),
            InvalidArgument("no tensor 'two'"));
  // Everything else is fed as it is.
  EXPECT_EQ(FedTensor(plain, store)->raw_data(), plain.raw_data());
  for (const Tensor& other : {HandleOf("", "one"), HandleOf(kSessionTensorContainer, "one", 2)}) {
    EXPECT_EQ(FedTensor(other, store)->raw_data(), other.raw_data());
  }
}

}  // namespace
}  // namespace warpbeam
