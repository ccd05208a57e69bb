// One task of a ring of two, and a script that is the other one, as TensorFlow's would be: it is
// asked by RecvBuf, and takes what the first one gives.
#include "runtime/dist/cluster/mixed_execution.h"

#include <future>
#include <thread>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/testing/silent_peer.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kHere[] = "/job:worker/replica:0/task:0";
constexpr char kThere[] = "/job:worker/replica:0/task:1";

class RingPeer final : public SilentPeer {
 public:
  struct Pending final : PendingCall {
    explicit Pending(BytesDone on_cancel) : done(std::move(on_cancel)) {}
    void Cancel() override { done(Cancelled("cancelled")); }
    const BytesDone done;
  };

  std::shared_ptr<PendingCall> RecvBuf(tensorflow::RecvBufRequest request,
                                       BytesDone done) override {
    std::unique_lock<std::mutex> lock(mutex_);
    requests_.push_back(request);
    const auto found = pieces_.find(request.buf_rendezvous_key());
    if (found == pieces_.end()) return std::make_shared<Pending>(std::move(done));
    const StatusOr<std::string> piece = found->second;
    lock.unlock();
    done(piece);
    return nullptr;
  }
  std::shared_ptr<PendingCall> CompleteGroup(tensorflow::CompleteGroupRequest request,
                                             GroupDone done) override {
    EXPECT_EQ(request.group_key(), 3);
    done(refuses_, {});
    return nullptr;
  }
  Status GetStatus(const tensorflow::GetStatusRequest&, int64_t,
                   tensorflow::GetStatusResponse* response) override {
    std::lock_guard<std::mutex> lock(mutex_);
    ++looked_at_;
    if (!gone_.ok()) return gone_;
    tensorflow::DeviceAttributes& device = *response->add_device_attributes();
    device.set_name(absl::StrCat(kThere, "/device:CPU:0"));
    device.set_incarnation(21);
    return OkStatus();
  }
  void Give(const std::string& key, std::vector<float> values) {
    pieces_[key] =
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }

  std::mutex mutex_;
  std::vector<tensorflow::RecvBufRequest> requests_;
  std::map<std::string, StatusOr<std::string>> pieces_;
  Status gone_, refuses_;
  int looked_at_ = 0;
};

class MixedExecutionTest : public ::testing::Test {
 protected:
  MixedExecutionTest() {
    auto peers = std::make_shared<PeerDirectory>();
    peers->Add(kThere, peer_);
    environment_.identity =
        std::make_shared<const TaskIdentity>(TaskIdentity{"worker", 0, kHere, peers, ""});
    MemberOrder order;
    order.members = {{absl::StrCat(kHere, "/device:CPU:0"), 11, false, kHere},
                     {absl::StrCat(kThere, "/device:CPU:0"), 21, false, kThere}};
    order.task_sizes = {1, 1};
    environment_.order = std::make_shared<const MemberOrder>(order);
    environment_.buffers = std::make_shared<StepBuffers>();
    environment_.step = 77;
    environment_.buffers->Begin(77);
    execution_ = std::make_shared<MixedExecution>(environment_);
  }

  // 18 floats, of which the first chunk has 16: 0, 1, ….
  Status Reduce() {
    RingPieces pieces;
    pieces.elements = 18;
    pieces.element_bytes = 4;
    MixedExecution::Member member;
    member.plan = *PlanReduce(*environment_.order, 0, pieces, "3:5:0:0");
    member.tensor = *Tensor::Allocate(DType::kFloat, Shape({18}));
    for (int i = 0; i < 18; ++i) member.tensor.data<float>()[i] = static_cast<float>(i);
    result_ = member.tensor;
    MixedExecution::Work work;
    work.merge = [](void* out, const void* a, const void* b, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        static_cast<float*>(out)[i] =
            static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
      }
    };
    work.finish = [](const Tensor& piece) {
      auto* const x = static_cast<float*>(const_cast<void*>(piece.raw_data()));
      for (int64_t i = 0; i < piece.num_elements(); ++i) x[i] /= 2;
      return OkStatus();
    };
    std::vector<MixedExecution::Member> members;
    members.push_back(std::move(member));
    return execution_->Transfer(std::move(members), std::move(work));
  }
  // What the other one takes, when it is there.
  std::future<std::vector<float>> Take(const std::string& key) {
    auto taken = std::make_shared<std::promise<std::vector<float>>>();
    environment_.buffers->Take(77, key, "taker", [taken](StatusOr<Tensor> piece) {
      if (!piece.ok()) return taken->set_value({});
      const auto* const begin = std::as_const(*piece).data<float>();
      taken->set_value({begin, begin + piece->num_elements()});
    });
    return taken->get_future();
  }

  const std::shared_ptr<RingPeer> peer_ = std::make_shared<RingPeer>();
  MixedExecution::Environment environment_;
  std::shared_ptr<MixedExecution> execution_;
  Tensor result_;
};

TEST_F(MixedExecutionTest, ARingOfTwo) {
  peer_->Give("3:5:0:0:0:1:1", {100, 200});                 // its part of the second chunk
  peer_->Give("3:5:0:0:1:0:1", std::vector<float>(16, 7));  // the first one's result
  Status status = Internal("does not run");
  std::thread run([&] { status = Reduce(); });
  const std::vector<float> second = Take("3:5:0:0:1:1:0").get();
  const std::vector<float> first = Take("3:5:0:0:0:0:0").get();
  run.join();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(first.size(), 16);
  EXPECT_EQ(first[15], 15);
  EXPECT_THAT(second, ElementsAre(58, 108.5));
  EXPECT_EQ(result_.data<float>()[0], 7);
  EXPECT_EQ(result_.data<float>()[17], 108.5);
  ASSERT_EQ(peer_->requests_.size(), 2);
  for (const tensorflow::RecvBufRequest& request : peer_->requests_) {
    const bool is_first = request.buf_rendezvous_key() == "3:5:0:0:1:0:1";
    EXPECT_TRUE(is_first || request.buf_rendezvous_key() == "3:5:0:0:0:1:1");
    EXPECT_EQ(request.num_bytes(), is_first ? 64 : 8);
    EXPECT_EQ(request.step_id(), 77);
    EXPECT_EQ(request.src_device(), absl::StrCat(kThere, "/device:CPU:0"));
    EXPECT_EQ(request.src_incarnation(), 21);
    EXPECT_EQ(request.dst_device(), absl::StrCat(kHere, "/device:CPU:0"));
    EXPECT_NE(request.request_id(), 0);
  }
}

TEST_F(MixedExecutionTest, APieceOfAnotherSizeIsAnErrorThatTheOtherIsTold) {
  peer_->Give("3:5:0:0:0:1:1", {100, 200, 300});
  const Status status = Reduce();
  EXPECT_EQ(status.code(), StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("12 bytes"));
  Status told;
  environment_.buffers->Take(77, "3:5:0:0:0:0:0", "taker",
                             [&](const StatusOr<Tensor>& piece) { told = piece.status(); });
  EXPECT_EQ(told.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(told.message()), HasSubstr("From /job:worker/replica:0/task:0"));
}

TEST_F(MixedExecutionTest, WhatTheOtherTellsEndsIt) {
  peer_->pieces_["3:5:0:0:0:1:1"] = Cancelled("its step was cancelled");
  const Status status = Reduce();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("task:1: its step was cancelled"));
}

TEST_F(MixedExecutionTest, ItIsCancelledWhileItWaits) {
  Status status;
  std::thread run([&] { status = Reduce(); });
  execution_->Cancel(Cancelled("the step has ended"));
  run.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
}

TEST_F(MixedExecutionTest, ATaskThatRefusesCollectivesSinceAnErrorIsNotWaitedFor) {
  tensorflow::CompleteGroupRequest standing;
  standing.set_group_key(3);
  environment_.standing = std::make_shared<const tensorflow::CompleteGroupRequest>(standing);
  execution_ = std::make_shared<MixedExecution>(environment_);
  peer_->refuses_ = InvalidArgument("Shape mismatch");
  const Status status = Reduce();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("task:1: Shape mismatch"));
}

TEST_F(MixedExecutionTest, ATakerThatIsGoneIsMissed) {
  peer_->Give("3:5:0:0:0:1:1", {100, 200});
  peer_->Give("3:5:0:0:1:0:1", std::vector<float>(16, 7));
  peer_->gone_ = Unavailable("connection refused");
  const Status status = Reduce();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(kThere));
  EXPECT_EQ(peer_->looked_at_, 1);
}

}  // namespace
}  // namespace warpbeam
