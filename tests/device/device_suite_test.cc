// The conformance suite of devices: what the executor relies on, asked of every kind of device.
#include <atomic>
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
#include "runtime/device/recording.h"
#include "runtime/device/simulated/simulated_device.h"

namespace warpbeam {
namespace {

struct Kind {
  std::string name;
  std::function<StatusOr<std::unique_ptr<Device>>(int id)> create;
};

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {
      {"cpu",
       [](int id) -> StatusOr<std::unique_ptr<Device>> {
         return NewCpuDevice(DeviceName::Local(DeviceType::kCpu, id), 2);
       }},
      {"simulated",
       [](int id) {
         SimulatedDeviceOptions options;
         options.memory = 8 << 20;
         return NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, id), options);
       }},
      {"simulated_enqueuing",
       [](int id) {
         SimulatedDeviceOptions options;
         options.memory = 8 << 20;
         options.enqueues = true;
         return NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, id), options);
       }},
  };
  const GpuPlatform* gpus = RegisteredGpuPlatform();
  if (gpus != nullptr && gpus->count().value_or(0) > 0) {
    kinds.push_back({gpus->name, [gpus](int id) {
                       return gpus->create(DeviceName::Local(DeviceType::kGpu, id), 0, {});
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
  BufferRef b = device_->allocator().Allocate(4);
  std::vector<int> in(50), out(50, -1);
  std::iota(in.begin(), in.end(), 0);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(stream->Copy(b->data(), &in[i], 4).ok());
    ASSERT_TRUE(stream->Copy(&out[i], b->data(), 4).ok());
  }
  ASSERT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(out, in);
}

TEST_P(DeviceSuite, WhenDoneIsCalledInOrderAfterWhatCameBefore) {
  auto stream = NewStream();
  std::vector<int> in(1 << 16, 7), out(1 << 16, 0);
  std::atomic<int> calls{0};
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(stream->Copy(&out[i], &in[i], 4).ok());
    ASSERT_TRUE(stream
                    ->WhenDone([&, i](const Status& s) {
                      EXPECT_TRUE(s.ok()) << s;
                      EXPECT_EQ(out[i], 7);
                      EXPECT_EQ(calls++, i);
                    })
                    .ok());
  }
  stream.reset();  // calls what is left
  EXPECT_EQ(calls, 50);
}

TEST_P(DeviceSuite, StreamsWaitForEachOther) {
  auto first = NewStream();
  auto second = NewStream();
  constexpr int kBytes = 4 << 20;
  std::vector<char> in(kBytes, 1), out(kBytes, 0);
  BufferRef b = device_->allocator().Allocate(kBytes);
  ASSERT_TRUE(first->Fill(b->data(), 0, kBytes).ok());
  ASSERT_TRUE(first->Synchronize().ok());
  // Back and forth: each stream reads what the other has written, and writes what it has read.
  for (char round = 1; round < 8; ++round) {
    ASSERT_TRUE(first->Fill(b->data(), round, kBytes).ok());
    ASSERT_TRUE(second->WaitFor(*first).ok());
    ASSERT_TRUE(second->Copy(out.data(), b->data(), kBytes).ok());
    ASSERT_TRUE(first->WaitFor(*second).ok());
    ASSERT_TRUE(first->Fill(b->data(), 0, kBytes).ok());
    ASSERT_TRUE(second->Synchronize().ok());
    ASSERT_EQ(out, std::vector<char>(kBytes, round));
  }
  EXPECT_TRUE(first->WaitFor(*first).ok());
  EXPECT_TRUE(first->Synchronize().ok());
}

TEST_P(DeviceSuite, StreamsOfPeersWaitForEachOther) {
  std::unique_ptr<Device> peer = Make(1);
  auto first = NewStream();
  auto second = peer->NewStream();
  ASSERT_TRUE(second.ok()) << second.status();
  constexpr int kBytes = 4 << 20;
  std::vector<char> out(kBytes, 0);
  BufferRef a = device_->allocator().Allocate(kBytes);
  ASSERT_TRUE(first->Fill(a->data(), 5, kBytes).ok());
  ASSERT_TRUE((*second)->WaitFor(*first).ok());
  ASSERT_TRUE((*second)->Copy(out.data(), a->data(), kBytes).ok());
  ASSERT_TRUE((*second)->Synchronize().ok());
  EXPECT_EQ(out, std::vector<char>(kBytes, 5));
}

TEST_P(DeviceSuite, KernelsOfHostCodeRunInOrderOrAreRefused) {
  auto stream = NewStream();
  std::vector<int> order;
  for (int i = 0; i < 50; ++i) {
    const Status s = stream->RunOnHost([&order, i] { order.push_back(i); });
    if (!device_->runs_host_code()) {
      EXPECT_EQ(s.code(), StatusCode::kUnimplemented);
      return;
    }
    ASSERT_TRUE(s.ok()) << s;
  }
  ASSERT_TRUE(stream->Synchronize().ok());
  std::vector<int> expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

// Whoever else waits here, or for what is here, does so behind the recording, which is not spoilt.
TEST_P(DeviceSuite, AStreamIsNotMadeToWaitWhileAnotherThreadRecordsIt) {
  auto stream = NewStream();
  auto other = NewStream();
  auto* const recorder = dynamic_cast<RecordingStream*>(stream.get());
  if (recorder == nullptr) return;
  std::atomic<bool> is_over{false};
  std::atomic<int> waits{0}, calls{0};
  std::thread waiter([&] {
    while (!is_over) {
      EXPECT_TRUE(stream->WaitFor(*other).ok());
      EXPECT_TRUE(other->WaitFor(*stream).ok());
      EXPECT_TRUE(stream->WhenDone([&calls](const Status&) { ++calls; }).ok());
      ++waits;
    }
  });
  for (int i = 0; i < 200 || waits < 20; ++i) {
    EXPECT_TRUE(recorder->BeginRecording().ok());
    std::this_thread::yield();
    const auto recorded = recorder->EndRecording();
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    const int before = waits;
    while (i % 10 == 0 && waits == before) std::this_thread::yield();
  }
  is_over = true;
  waiter.join();
  // Nothing has come into a recording that nobody plays.
  EXPECT_TRUE(other->Synchronize().ok());
  EXPECT_TRUE(stream->Synchronize().ok());
  while (calls < waits) std::this_thread::yield();
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
  EXPECT_EQ(t.status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace warpbeam
