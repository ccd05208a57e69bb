#include "ops/data/iterator/device_elements.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "ops/data/dataset_testing.h"
#include "runtime/device/simulated/simulated_device.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

// Gives {i, "i"} for i = 0, 1, …, `end` elements; may be held up.
struct NumberSource {
  std::atomic<int> asked{0};
  std::atomic<bool> held{false};  // until an element has been asked for
  int end = 100;
  int broken = -1;

  DeviceElements::Source AsSource() {
    return [this](StepContext*, ElementBuffer::Done done) {
      const int i = asked++;
      while (held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (i == broken) return done(DataLoss("this one is broken"), false, {});
      if (i >= end) return done(OkStatus(), true, {});
      Tensor number = *Tensor::Allocate(DType::kInt64, Shape({3}), PoolAllocator::Process());
      for (int k = 0; k < 3; ++k) number.data<int64_t>()[k] = 10 * i + k;
      done(OkStatus(), false, {number, Tensor::Scalar<std::string>(absl::StrCat(i))});
    };
  }
  bool WaitUntilAsked(int n) const {
    for (int ms = 0; ms < 20000 && asked < n; ++ms) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return asked >= n;
  }
};

struct Taken {
  Status status;
  bool end = false;
  Element element;
};

class DeviceElementsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SimulatedDeviceOptions options;
    options.memory = 1 << 20;
    auto device = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), options);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
  }
  Status Open(int64_t buffer_size, Device* device = nullptr) {
    auto dataset = DatasetFromTensor(testing_data::Range(0, 1));
    auto opened = DeviceElements::Open(*dataset, source_.AsSource(),
                                       device == nullptr ? device_.get() : device, buffer_size);
    if (opened.ok()) elements_ = *std::move(opened);
    return opened.status();
  }
  Taken Take() {
    std::mutex mutex;
    std::condition_variable given;
    bool is_given = false;
    Taken taken;
    elements_->GetNextAsync(nullptr, [&](Status s, bool end, Element element) {
      std::lock_guard<std::mutex> lock(mutex);
      taken = {std::move(s), end, std::move(element)};
      is_given = true;
      given.notify_one();
    });
    source_.held = false;
    std::unique_lock<std::mutex> lock(mutex);
    EXPECT_TRUE(given.wait_for(lock, std::chrono::seconds(20), [&] { return is_given; }));
    return taken;
  }
  bool IsOnDevice(const Tensor& t) const {
    void* p = const_cast<void*>(t.raw_data());
    return device_->ToKernelAddress(p) != p;
  }
  std::vector<int64_t> Values(const Tensor& t) const {
    const auto* p =
        static_cast<const int64_t*>(device_->ToKernelAddress(const_cast<void*>(t.raw_data())));
    return std::vector<int64_t>(p, p + t.num_elements());
  }

  NumberSource source_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceElements> elements_;
};

TEST_F(DeviceElementsTest, ElementsLieOnTheDeviceAndStringsDoNot) {
  source_.end = 7;
  ASSERT_TRUE(Open(2).ok());
  for (int i = 0; i < 7; ++i) {
    const Taken taken = Take();
    ASSERT_TRUE(taken.status.ok()) << taken.status;
    ASSERT_EQ(taken.element.size(), 2u);
    EXPECT_TRUE(IsOnDevice(taken.element[0]));
    EXPECT_EQ(Values(taken.element[0]), (std::vector<int64_t>{10 * i, 10 * i + 1, 10 * i + 2}));
    EXPECT_EQ(taken.element[1].scalar<std::string>(), absl::StrCat(i));
  }
  EXPECT_TRUE(Take().end);
  EXPECT_TRUE(Take().end);
}

TEST_F(DeviceElementsTest, ReadsAheadAsFarAsItIsToldTo) {
  ASSERT_TRUE(Open(3).ok());
  EXPECT_EQ(source_.asked, 0);
  // The reader does not get ahead of the first request: full, it would not be woken by it.
  source_.held = true;
  ASSERT_TRUE(Take().status.ok());
  // One has been taken; three more come without being asked for, and no fourth.
  EXPECT_TRUE(source_.WaitUntilAsked(4));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(source_.asked, 4);
}

TEST_F(DeviceElementsTest, AnErrorCostsItsElement) {
  source_.broken = 1;
  source_.end = 3;
  ASSERT_TRUE(Open(2).ok());
  EXPECT_TRUE(Take().status.ok());
  EXPECT_EQ(Take().status.code(), Code::kDataLoss);
  const Taken third = Take();
  ASSERT_TRUE(third.status.ok()) << third.status;
  EXPECT_EQ(Values(third.element[0])[0], 20);
  EXPECT_TRUE(Take().end);
}

TEST_F(DeviceElementsTest, ADeviceWithoutMemoryIsAnErrorOfTheElement) {
  std::vector<BufferRef> all;
  for (BufferRef b = device_->allocator().Allocate(4096); b;
       b = device_->allocator().Allocate(4096)) {
    all.push_back(std::move(b));
  }
  while (BufferRef b = device_->allocator().Allocate(8)) all.push_back(std::move(b));
  ASSERT_TRUE(Open(0).ok());
  EXPECT_EQ(Take().status.code(), Code::kResourceExhausted);
  all.clear();
  EXPECT_TRUE(Take().status.ok());
}

TEST_F(DeviceElementsTest, WhatNobodyTookGoesWithIt) {
  ASSERT_TRUE(Open(5).ok());
  ASSERT_TRUE(Take().status.ok());
  EXPECT_TRUE(source_.WaitUntilAsked(6));
  elements_.reset();
  ASSERT_TRUE(device_->Synchronize().ok());
  // All of the memory is free again.
  EXPECT_TRUE(static_cast<bool>(device_->allocator().Allocate(1 << 20)));
}

TEST_F(DeviceElementsTest, ABufferSizeThatIsNone) {
  EXPECT_EQ(Open(-2).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
