// Uses of memory that nothing orders behind another stream's are told, where one of both writes;
// those that an event, the host or a third stream orders are not. (Here a host function keeps them
// apart, which no GPU knows of.)
#include <cuda_runtime_api.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/device/recording.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

class StreamOrderTest : public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 1 << 16;

  void SetUp() override {
    auto gpu = RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, 0), 0, {0.25});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    gpu_ = *std::move(gpu);
    for (std::unique_ptr<Stream>* stream : {&first_, &second_}) {
      auto made = gpu_->NewStream();
      ASSERT_TRUE(made.ok()) << made.status();
      *stream = *std::move(made);
    }
    a_ = gpu_->allocator().Allocate(kBytes);
    b_ = gpu_->allocator().Allocate(kBytes);
    ASSERT_TRUE(a_ && b_);
    ASSERT_EQ(cuda_stand_in::UnorderedUses(), "");
  }
  void TearDown() override {
    first_ = nullptr;
    second_ = nullptr;
    a_ = b_ = BufferRef();
    gpu_ = nullptr;
  }
  char* a() const { return static_cast<char*>(a_->data()); }
  char* b() const { return static_cast<char*>(b_->data()); }

  // Keeps the second stream from what comes until the first one has come to here.
  void KeepApart() {
    auto done = std::make_shared<std::promise<void>>();
    ASSERT_TRUE(first_->RunOnHost([done] { done->set_value(); }).ok());
    ASSERT_TRUE(second_->RunOnHost([done] { done->get_future().wait(); }).ok());
  }
  void FillOnFirst() { ASSERT_TRUE(first_->Fill(a(), 1, kBytes).ok()); }
  void FillOnSecond(size_t begin, size_t bytes) {
    ASSERT_TRUE(second_->Fill(a() + begin, 2, bytes).ok());
    ASSERT_TRUE(second_->Synchronize().ok());
  }
  void ReadOnSecond(size_t begin = 0, size_t bytes = kBytes) {
    ASSERT_TRUE(second_->Copy(b(), a() + begin, bytes).ok());
    ASSERT_TRUE(second_->Synchronize().ok());
  }

  std::unique_ptr<Device> gpu_;
  std::unique_ptr<Stream> first_, second_;
  BufferRef a_, b_;
};

TEST_F(StreamOrderTest, TellsWhatNoEventOrders) {
  FillOnFirst();
  KeepApart();
  ReadOnSecond(kBytes - 10, 10);
  const std::string told = cuda_stand_in::UnorderedUses();
  EXPECT_TRUE(absl::StrContains(told, "cudaMemcpyAsync on stream ")) << told;
  EXPECT_TRUE(absl::StrContains(told, "reads 10 bytes, some of which cudaMemsetAsync")) << told;
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

// The second stream writes what the first may still read.
TEST_F(StreamOrderTest, TellsWritesBehindReads) {
  ASSERT_TRUE(first_->Copy(b(), a(), kBytes).ok());
  KeepApart();
  FillOnSecond(10, 20);
  const std::string told = cuda_stand_in::UnorderedUses();
  EXPECT_TRUE(absl::StrContains(told, "writes 20 bytes, some of which cudaMemcpyAsync")) << told;
  EXPECT_TRUE(absl::StrContains(told, " reads, and nothing orders them")) << told;
  // What it writes itself was written behind that.
  FillOnSecond(10, 20);
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, TellsWritesBehindWrites) {
  FillOnFirst();
  KeepApart();
  FillOnSecond(kBytes - 10, 10);
  const std::string told = cuda_stand_in::UnorderedUses();
  EXPECT_TRUE(absl::StrContains(told, "writes 10 bytes, some of which cudaMemsetAsync")) << told;
  EXPECT_TRUE(absl::StrContains(told, " writes, and nothing orders them")) << told;
}

// Each stream that reads has to be waited for: one is not before the other.
TEST_F(StreamOrderTest, TellsWritesBehindEachReader) {
  const auto note = [this](Stream& stream, const char* node, bool writes) {
    cuda_stand_in::NoteUses(stream.native_handle(), node, {{a(), kBytes, writes}});
  };
  note(*first_, "node 'x'", false);
  note(*second_, "node 'y'", false);
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
  Stream& third = *gpu_->compute_stream();
  ASSERT_TRUE(third.WaitFor(*second_).ok());
  note(third, "node 'z'", true);
  const std::string told = cuda_stand_in::UnorderedUses();
  EXPECT_TRUE(absl::StrContains(told, "some of which node 'x' on stream ")) << told;
  EXPECT_FALSE(absl::StrContains(told, "node 'y'")) << told;
}

// Memory that is let go is another's at once, whose stream has to come behind those that read it.
TEST_F(StreamOrderTest, TellsMemoryThatIsGivenAwayWhileItIsRead) {
  ASSERT_TRUE(first_->Copy(b(), a(), kBytes).ok());
  KeepApart();
  const void* const place = a();
  a_ = BufferRef();
  a_ = gpu_->allocator().Allocate(kBytes);
  ASSERT_TRUE(a_);
  ASSERT_EQ(a(), place);
  ASSERT_TRUE(first_->Fill(a(), 1, 10).ok());  // of the same stream it may be
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
  FillOnSecond(10, kBytes - 10);
  EXPECT_NE(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, EventsAndTheHostOrderWritesToo) {
  ASSERT_TRUE(first_->Copy(b(), a(), kBytes).ok());
  ASSERT_TRUE(second_->WaitFor(*first_).ok());
  FillOnSecond(0, kBytes);
  ASSERT_TRUE(second_->Synchronize().ok());
  FillOnFirst();
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

// As the launches of a step's nodes are told of.
TEST_F(StreamOrderTest, TellsWhatNodesReadWithoutAnEvent) {
  const auto note = [](Stream& stream, const char* node, const void* at, bool writes) {
    cuda_stand_in::NoteUses(stream.native_handle(), node, {{at, kBytes, writes}});
  };
  note(*first_, "node 'x'", a(), true);
  note(*first_, "node 'y'", a(), false);
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
  note(*second_, "node 'z'", a(), false);
  const std::string told = cuda_stand_in::UnorderedUses();
  EXPECT_TRUE(absl::StrContains(told, "node 'z' on stream ")) << told;
  EXPECT_TRUE(absl::StrContains(told, "some of which node 'x' on stream ")) << told;
  ASSERT_TRUE(second_->WaitFor(*first_).ok());
  note(*second_, "node 'z'", a(), false);
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, AnEventOrders) {
  FillOnFirst();
  ASSERT_TRUE(second_->WaitFor(*first_).ok());
  ReadOnSecond();
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, AnEventOrdersOnlyWhatCameBeforeIt) {
  ASSERT_TRUE(second_->WaitFor(*first_).ok());
  FillOnFirst();
  KeepApart();
  ReadOnSecond();
  EXPECT_NE(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, AThirdStreamOrders) {
  FillOnFirst();
  ASSERT_TRUE(gpu_->compute_stream()->WaitFor(*first_).ok());
  ASSERT_TRUE(second_->WaitFor(*gpu_->compute_stream()).ok());
  ReadOnSecond();
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, TheHostOrders) {
  FillOnFirst();
  ASSERT_TRUE(first_->Synchronize().ok());
  ReadOnSecond();
  FillOnFirst();
  std::promise<void> done;
  ASSERT_TRUE(first_->WhenDone([&done](const Status&) { done.set_value(); }).ok());
  done.get_future().wait();
  ReadOnSecond();
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

// Its destructor waits for it, so that everything comes after.
TEST_F(StreamOrderTest, AStreamThatIsGoneIsForgotten) {
  FillOnFirst();
  first_ = nullptr;
  ReadOnSecond();
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, AStreamThatNobodyWaitedForIsNot) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(a(), 1, kBytes, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  ReadOnSecond();
  EXPECT_NE(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, OtherBytesDoNotCount) {
  ASSERT_TRUE(first_->Fill(a(), 1, kBytes / 2).ok());
  ReadOnSecond(kBytes / 2, kBytes / 2);
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
  // The last writer is the stream itself, of the middle alone.
  FillOnSecond(100, 100);
  EXPECT_NE(cuda_stand_in::UnorderedUses(), "");
  ReadOnSecond(100, 100);
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
  KeepApart();
  ReadOnSecond(150, 100);
  EXPECT_NE(cuda_stand_in::UnorderedUses(), "");
}

TEST_F(StreamOrderTest, RecordingsWriteWhenTheyAreLaunched) {
  auto* const recorder = dynamic_cast<RecordingStream*>(first_.get());
  ASSERT_TRUE(recorder->BeginRecording().ok());
  FillOnFirst();
  auto recorded = recorder->EndRecording();
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  ReadOnSecond();
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
  ASSERT_TRUE((*recorded)->Enqueue().ok());
  KeepApart();
  ReadOnSecond();
  EXPECT_NE(cuda_stand_in::UnorderedUses(), "");
}

}  // namespace
}  // namespace warpbeam
