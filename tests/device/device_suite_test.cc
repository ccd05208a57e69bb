// The conformance suite of devices: what the executor relies on, asked of every kind of device.
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "graph/types/tensor.h"
#include "gtest/gtest.h"
#include "runtime/device/cpu/cpu_device.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/device/simulated/simulated_device.h"

namespace warpbeam {
namespace {

struct Kind {
  std::string name;
  std::function<absl::StatusOr<std::unique_ptr<Device>>(int id)> create;
};

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {
      {"cpu",
       [](int id) -> absl::StatusOr<std::unique_ptr<Device>> {
         return NewCpuDevice(DeviceName::Local(DeviceType::kCpu, id), 2);
       }},
      {"simulated",
       [](int id) {
         SimulatedDeviceOptions options;
         options.memory = 8 << 20;
         return NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, id), options);
       }},
  };
  const GpuPlatform* gpus = RegisteredGpuPlatform();
  if (gpus != nullptr && gpus->count().value_or(0) > 0) {
    kinds.push_back({gpus->name, [gpus](int id) {
                       return gpus->create(DeviceName::Local(DeviceType::kGpu, id), 0);
                     }});
  }
  return kinds;
}

class DeviceSuite : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override { device_ = Make(0); }
  std::unique_ptr<Device> Make(int id) {
    auto device = GetParam().create(id);
    EXPECT_TRUE(device.ok()) << device.status();
    return device.ok() ? *std::move(device) : nullptr;
  }
  std::unique_ptr<Stream> NewStream() {
    auto stream = device_->NewStream();
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }
  std::vector<int> Host(int n) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), 1);
    return v;
  }
  std::unique_ptr<Device> device_;
};

TEST_P(DeviceSuite, SaysWhatItIs) {
  EXPECT_TRUE(device_->name().IsFull());
  EXPECT_EQ(device_->name().known_type(), device_->type());
  EXPECT_FALSE(device_->Description().empty());
  EXPECT_GT(device_->memory_limit(), 0);
}

TEST_P(DeviceSuite, MemoryIsAlignedAndDisjoint) {
  BufferRef a = device_->allocator().Allocate(100);
  BufferRef b = device_->allocator().Allocate(100);
  ASSERT_TRUE(a);
  ASSERT_TRUE(b);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a->data()) % Allocator::kAlignment, 0u);
  const char* pa = static_cast<char*>(a->data());
  const char* pb = static_cast<char*>(b->data());
  EXPECT_TRUE(pa + 100 <= pb || pb + 100 <= pa);
}

TEST_P(DeviceSuite, EmptyAllocationsWorkAndAbsurdOnesAreRefused) {
  EXPECT_TRUE(device_->allocator().Allocate(0));
  EXPECT_FALSE(device_->allocator().Allocate(size_t{1} << 60));
  EXPECT_TRUE(device_->allocator().Allocate(64));
}

TEST_P(DeviceSuite, MemoryComesBack) {
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(device_->allocator().Allocate(4 << 20)) << i;
}

TEST_P(DeviceSuite, BytesSurviveTheRoundTrip) {
  auto stream = NewStream();
  const std::vector<int> in = Host(1000);
  std::vector<int> out(1000, 0);
  BufferRef b = device_->allocator().Allocate(4000);
  ASSERT_TRUE(stream->Copy(b->data(), in.data(), 4000).ok());
  ASSERT_TRUE(stream->Copy(out.data(), b->data(), 4000).ok());
  ASSERT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(in, out);
}

TEST_P(DeviceSuite, CopiesBetweenPeers) {
  std::unique_ptr<Device> peer = Make(1);
  auto stream = NewStream();
  const std::vector<int> in = Host(100);
  std::vector<int> out(100, 0);
  BufferRef a = device_->allocator().Allocate(400);
  BufferRef b = peer->allocator().Allocate(400);
  ASSERT_TRUE(stream->Copy(a->data(), in.data(), 400).ok());
  ASSERT_TRUE(stream->Copy(b->data(), a->data(), 400).ok());
  ASSERT_TRUE(stream->Copy(out.data(), b->data(), 400).ok());
  ASSERT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(in, out);
}

TEST_P(DeviceSuite, FillSetsBytes) {
  auto stream = NewStream();
  std::vector<unsigned char> out(10, 0);
  BufferRef b = device_->allocator().Allocate(10);
  ASSERT_TRUE(stream->Fill(b->data(), 7, 10).ok());
  ASSERT_TRUE(stream->Copy(out.data(), b->data(), 10).ok());
  ASSERT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(out, std::vector<unsigned char>(10, 7));
}

TEST_P(DeviceSuite, AStreamKeepsItsOrder) {
  auto stream = NewStream();
  std::vector<int> order;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(stream->HostCallback([&order, i] { order.push_back(i); }).ok());
  }
  ASSERT_TRUE(stream->Synchronize().ok());
  std::vector<int> expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST_P(DeviceSuite, EventsOrderStreams) {
  auto first = NewStream();
  auto second = NewStream();
  auto event = device_->NewEvent();
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE((*event)->HasHappened());  // never recorded
  std::atomic<int> stage{0};
  ASSERT_TRUE(first
                  ->HostCallback([&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    stage = 1;
                  })
                  .ok());
  ASSERT_TRUE(first->Record(event->get()).ok());
  int seen = -1;
  ASSERT_TRUE(second->Wait(event->get()).ok());
  ASSERT_TRUE(second->HostCallback([&] { seen = stage; }).ok());
  ASSERT_TRUE(second->Synchronize().ok());
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE((*event)->Synchronize().ok());
  EXPECT_TRUE((*event)->HasHappened());
}

TEST_P(DeviceSuite, LoopsCoverTheirRange) {
  std::vector<std::atomic<int>> seen(1000);
  device_->ParallelFor(1000, 1000, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) ++seen[i];
  });
  for (auto& s : seen) ASSERT_EQ(s, 1);
}

TEST_P(DeviceSuite, KernelAddressesTranslateBothWays) {
  BufferRef b = device_->allocator().Allocate(64);
  void* kernel = device_->ToKernelAddress(b->data());
  EXPECT_EQ(device_->ToTensorAddress(kernel), b->data());
  EXPECT_EQ(device_->ToKernelAddress(kernel), kernel);
  int host = 0;
  EXPECT_EQ(device_->ToKernelAddress(&host), &host);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceSuite, ::testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

TEST(SimulatedDevice, HostCodeThatTouchesDeviceMemoryFaults) {
  auto device = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), {});
  ASSERT_TRUE(device.ok());
  BufferRef b = (*device)->allocator().Allocate(64);
  EXPECT_DEATH(*static_cast<volatile char*>(b->data()) = 1, "");
}

TEST(SimulatedDevice, MemoryThatRunsOutIsAStatus) {
  SimulatedDeviceOptions options;
  options.memory = 1 << 20;
  auto device = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), options);
  ASSERT_TRUE(device.ok());
  auto t = Tensor::Allocate(DType::kFloat, Shape({1 << 20}), (*device)->allocator());
  EXPECT_EQ(t.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace warpbeam
