// What a collective reads and writes on its streams is told where nothing orders it behind other
// streams' work.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

class NcclOrder : public ::testing::Test {
 protected:
  static constexpr size_t kCount = 1 << 10, kBytes = 4 * kCount;

  // A GPU with memory, and a stream for collectives beside another one for work.
  struct Rank {
    std::unique_ptr<Device> gpu;
    std::unique_ptr<Stream> stream;
    BufferRef in, out;

    Stream& work() const { return *gpu->compute_stream(); }
    cudaStream_t handle() const { return static_cast<cudaStream_t>(stream->native_handle()); }
  };

  void SetUp() override {
    cuda_stand_in::SetGpus(2);
    for (int i = 0; i < 2; ++i) {
      const DeviceName name = DeviceName::Local(DeviceType::kGpu, i);
      auto made = RegisteredGpuPlatform()->create(name, i, {0.25});
      ASSERT_TRUE(made.ok()) << made.status();
      Rank& rank = ranks_.emplace_back();
      rank.gpu = *std::move(made);
      auto stream = rank.gpu->NewStream();
      ASSERT_TRUE(stream.ok()) << stream.status();
      rank.stream = *std::move(stream);
      rank.in = rank.gpu->allocator().Allocate(2 * kBytes);
      rank.out = rank.gpu->allocator().Allocate(2 * kBytes);
      ASSERT_TRUE(rank.in && rank.out);
    }
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(cudaSetDevice(i), cudaSuccess);
      ASSERT_EQ(ncclCommInitRankConfig(&comms_[i], 2, id, i, &config), ncclInProgress);
    }
    Settle();
    ASSERT_EQ(cuda_stand_in::UnorderedUses(), "");
  }
  void TearDown() override {
    for (Rank& rank : ranks_) {
      EXPECT_EQ(rank.stream->Synchronize(), OkStatus());
      EXPECT_EQ(rank.work().Synchronize(), OkStatus());
    }
    for (const ncclComm_t comm : comms_) ncclCommAbort(comm);
    cuda_stand_in::SetGpus(1);
  }
  // Until what was begun of both ranks is done.
  void Settle() {
    for (const ncclComm_t comm : comms_) {
      ncclResult_t state = ncclInProgress;
      for (int asked = 0; state == ncclInProgress && asked < 10000; ++asked) {
        ASSERT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
      }
      ASSERT_EQ(state, ncclSuccess);
    }
  }
  // Calls for both ranks.
  template <class Enqueue>
  void Both(const Enqueue& enqueue) {
    const auto has_begun = [](ncclResult_t result) {
      return result == ncclSuccess || result == ncclInProgress;
    };
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(has_begun(enqueue(ranks_[i], comms_[i], i)));
    ASSERT_TRUE(has_begun(ncclGroupEnd()));
    Settle();
  }
  void AllReduce() {
    Both([](const Rank& rank, ncclComm_t comm, int) {
      return ncclAllReduce(rank.in->data(), rank.out->data(), kCount, ncclFloat32, ncclSum, comm,
                           rank.handle());
    });
  }
  // Whose other work is ordered or not.
  Rank& second() { return ranks_[1]; }

  std::vector<Rank> ranks_;
  ncclComm_t comms_[2] = {};
};

TEST_F(NcclOrder, TellsInputsThatMayStillBeWritten) {
  ASSERT_EQ(second().work().Fill(second().in->data(), 1, kBytes), OkStatus());
  AllReduce();
  const std::string told = cuda_stand_in::UnorderedUses();
  EXPECT_TRUE(absl::StrContains(told, "ncclAllReduce on stream ")) << told;
  EXPECT_TRUE(absl::StrContains(told, "some of which cudaMemsetAsync on stream ")) << told;
}

TEST_F(NcclOrder, TellsWhoReadsOutputsThatMayStillBeWritten) {
  AllReduce();
  ASSERT_EQ(second().work().Copy(second().in->data(), second().out->data(), kBytes), OkStatus());
  const std::string told = cuda_stand_in::UnorderedUses();
  EXPECT_TRUE(absl::StrContains(told, "some of which ncclAllReduce on stream ")) << told;
}

TEST_F(NcclOrder, EventsOrderCollectives) {
  ASSERT_EQ(second().work().Fill(second().in->data(), 1, kBytes), OkStatus());
  ASSERT_EQ(second().stream->WaitFor(second().work()), OkStatus());
  AllReduce();
  ASSERT_EQ(second().work().WaitFor(*second().stream), OkStatus());
  ASSERT_EQ(second().work().Fill(second().in->data(), 2, kBytes), OkStatus());
  ASSERT_EQ(second().work().Fill(second().out->data(), 2, kBytes), OkStatus());
  EXPECT_EQ(cuda_stand_in::UnorderedUses(), "");
}

// Who is sent to writes, and who sends reads.
TEST_F(NcclOrder, TellsOfMessages) {
  for (const bool orders : {true, false}) {
    ASSERT_EQ(second().work().Fill(second().out->data(), 1, kBytes), OkStatus());
    if (orders) {
      ASSERT_EQ(second().stream->WaitFor(second().work()), OkStatus());
    }
    Both([](const Rank& rank, ncclComm_t comm, int i) {
      return i == 0 ? ncclSend(rank.in->data(), kCount, ncclFloat32, 1, comm, rank.handle())
                    : ncclRecv(rank.out->data(), kCount, ncclFloat32, 0, comm, rank.handle());
    });
    const std::string told = cuda_stand_in::UnorderedUses();
    EXPECT_EQ(absl::StrContains(told, "ncclSend and ncclRecv on stream "), !orders) << told;
    ASSERT_EQ(second().stream->Synchronize(), OkStatus());
  }
}

// Each rank has all inputs, one behind the other.
TEST_F(NcclOrder, AGatherWritesAsMuchAsAllGive) {
  Both([](const Rank& rank, ncclComm_t comm, int) {
    return ncclAllGather(rank.in->data(), rank.out->data(), kCount, ncclFloat32, comm,
                         rank.handle());
  });
  char* const behind = static_cast<char*>(second().out->data()) + kBytes;
  ASSERT_EQ(second().work().Fill(behind, 1, kBytes), OkStatus());
  EXPECT_NE(cuda_stand_in::UnorderedUses(), "");
}

}  // namespace
}  // namespace warpbeam
