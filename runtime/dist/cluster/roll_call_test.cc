#include "runtime/dist/cluster/roll_call.h"

#include <atomic>
#include <chrono>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/worker.pb.h"
#include "runtime/dist/cluster/testing/silent_peer.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A task that answers when it has been asked so often.
class LatePeer final : public SilentPeer {
 public:
  explicit LatePeer(int answers_at) : answers_at_(answers_at) {}
  Status GetStatus(const tensorflow::GetStatusRequest&, int64_t,
                   tensorflow::GetStatusResponse* response) override {
    if (++asked_ < answers_at_) return Unavailable("nobody there");
    response->add_device_attributes()->set_name("cpu");
    return OkStatus();
  }

 private:
  const int answers_at_;
  int asked_ = 0;
};

TEST(RollCallTest, ATaskThatComesLaterIsWaitedFor) {
  RollCall call({{"a", std::make_shared<LatePeer>(1)}, {"b", std::make_shared<LatePeer>(4)}}, 60000,
                nullptr);
  EXPECT_THAT(call.Run(), IsEmpty());
  ASSERT_EQ(call.answers().size(), 2);
  EXPECT_EQ(call.answers()[1].device_attributes_size(), 1);
}

TEST(RollCallTest, WhoDoesNotAnswerIsNamedWithItsReason) {
  RollCall call({{"a", std::make_shared<LatePeer>(1)}, {"b", std::make_shared<LatePeer>(1 << 30)}},
                300, nullptr);
  EXPECT_THAT(call.Run(), ElementsAre("b (nobody there)"));
}

TEST(RollCallTest, TheLogNamesWhoIsMissingAfterASecond) {
  std::string lines;
  const auto begin = std::chrono::steady_clock::now();
  RollCall call({{"/job:ps/replica:0/task:0", std::make_shared<LatePeer>(1)},
                 {"/job:ps/replica:0/task:1", std::make_shared<LatePeer>(1 << 30)}},
                1500, [&](const std::string& line) { lines += line + "\n"; });
  EXPECT_EQ(call.Run().size(), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(lines, "a new session waits for /job:ps/replica:0/task:1\n");
}

TEST(RollCallTest, WhoWaitsMayBeToldToEnd) {
  std::atomic<int> asked{0};
  RollCall call({{"a", std::make_shared<LatePeer>(1 << 30)}}, 0, nullptr,
                [&] { return ++asked < 3 ? OkStatus() : Unavailable("the server is stopping"); });
  EXPECT_THAT(call.Run(), ElementsAre("a (the server is stopping)"));
}

// An error is an answer: asking again would not change it.
TEST(RollCallTest, AnErrorEndsTheWait) {
  class Refusing final : public SilentPeer {
    Status GetStatus(const tensorflow::GetStatusRequest&, int64_t,
                     tensorflow::GetStatusResponse*) override {
      return PermissionDenied("not you");
    }
  };
  RollCall call({{"a", std::make_shared<Refusing>()}}, 60000, nullptr);
  EXPECT_THAT(call.Run(), ElementsAre("a (not you)"));
}

}  // namespace
}  // namespace warpbeam
