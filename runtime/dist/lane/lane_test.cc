#include <chrono>
#include <condition_variable>
#include <future>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/lane/lane_client.h"
#include "runtime/dist/lane/lane_reader.h"
#include "runtime/dist/lane/lane_server.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Value = Rendezvous::Value;

constexpr int kWaitMs = 5000;

Tensor Floats(int64_t count) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat, Shape({count}));
  for (int64_t i = 0; i < count; ++i) tensor.data<float>()[i] = static_cast<float>(i % 977);
  return tensor;
}

// Both ends of a lane in this process, in the clear and encrypted; what is sent waits at a
// rendezvous.
class LaneTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const auto source = [this](const LaneAsk& ask, Rendezvous::Receiver receiver) {
      const std::string key = absl::StrCat(ask.step_id, " ", ask.key);
      const int64_t number = meeting_.ReceiveNumbered(key, std::move(receiver));
      if (number == 0) return LaneServer::Forget();
      return LaneServer::Forget([this, key, number] {
        if (meeting_.Forget(key, number)) ++forgotten_;
      });
    };
    auto server = LaneServer::Start("localhost", source, tls_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    auto client = Connect();
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
  }
  StatusOr<std::unique_ptr<LaneClient>> Connect() {
    return LaneClient::Connect("localhost", {server_->port(), server_->token()}, kWaitMs, tls_);
  }
  // A connection that says what it wants.
  StatusOr<Socket> ConnectRaw() {
    WB_ASSIGN_OR_RETURN(Socket socket, Socket::Connect("localhost", server_->port(), kWaitMs));
    WB_RETURN_IF_ERROR(socket.StartTls(tls_, "localhost", kWaitMs));
    return socket;
  }
  using Answer = std::future<StatusOr<Value>>;
  Answer Ask(int64_t step, const std::string& key, uint64_t* id = nullptr) {
    auto promise = std::make_shared<std::promise<StatusOr<Value>>>();
    const uint64_t number =
        client_->Ask(step, key, [promise](StatusOr<Value> value) { promise->set_value(value); });
    if (id != nullptr) *id = number;
    return promise->get_future();
  }
  StatusOr<Value> Get(Answer answer) {
    if (answer.wait_for(std::chrono::milliseconds(kWaitMs)) != std::future_status::ready) {
      return DeadlineExceeded("no answer");
    }
    return answer.get();
  }
  // Until the server has as many receivers forgotten.
  void AwaitForgotten(int count) {
    for (int i = 0; i < kWaitMs && forgotten_ < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(forgotten_, count);
  }

  const std::string folder_ = "runtime/dist/testdata/tls/";
  const TlsFiles tls_ =
      GetParam() ? TlsFiles{folder_ + "task.crt", folder_ + "task.key", folder_ + "authority.crt"}
                 : TlsFiles();
  Rendezvous meeting_;
  std::atomic<int> forgotten_{0};
  std::unique_ptr<LaneServer> server_;
  std::unique_ptr<LaneClient> client_;
};

INSTANTIATE_TEST_SUITE_P(All, LaneTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Encrypted" : "InTheClear"; });

TEST_P(LaneTest, ValuesOfAllSizesBeforeAndAfterTheyAreAskedFor) {
  for (const int64_t count : {0, 1, 1000, 5000, 40'000, 5'000'000}) {
    for (const bool is_early : {false, true}) {
      const std::string key = absl::StrCat("key", count, is_early);
      const Tensor sent = Floats(count);
      Answer answer;
      if (!is_early) answer = Ask(7, key);
      ASSERT_TRUE(meeting_.Send(absl::StrCat("7 ", key), {sent}).ok());
      if (is_early) answer = Ask(7, key);
      const StatusOr<Value> got = Get(std::move(answer));
      ASSERT_TRUE(got.ok()) << got.status();
      ASSERT_EQ(got->tensor.shape(), sent.shape());
      EXPECT_EQ(memcmp(got->tensor.raw_data(), sent.raw_data(), sent.bytes()), 0) << count;
    }
  }
}

TEST_P(LaneTest, ValuesThatAreNoPlainNumbers) {
  Tensor words = *Tensor::Allocate(DType::kString, Shape({2}));
  words.data<std::string>()[0] = std::string(300'000, 'x');
  Tensor truths = *Tensor::Allocate(DType::kBool, Shape({9000}));
  for (int i = 0; i < 9000; ++i) truths.data<bool>()[i] = i % 3 == 0;
  ASSERT_TRUE(meeting_.Send("1 words", {words}).ok());
  ASSERT_TRUE(meeting_.Send("1 truths", {truths}).ok());
  ASSERT_TRUE(meeting_.Send("1 dead", {Tensor(), true}).ok());
  const auto got = Get(Ask(1, "words")), read = Get(Ask(1, "truths")), dead = Get(Ask(1, "dead"));
  ASSERT_TRUE(got.ok() && read.ok() && dead.ok()) << got.status() << read.status();
  EXPECT_EQ(got->tensor.data<std::string>()[0], words.data<std::string>()[0]);
  EXPECT_EQ(memcmp(read->tensor.raw_data(), truths.raw_data(), 9000), 0);
  EXPECT_TRUE(dead->is_dead);
}

TEST_P(LaneTest, ManyAtOnceFromManyThreads) {
  constexpr int kThreads = 4, kEach = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<Answer> answers;
      for (int i = 0; i < kEach; ++i) answers.push_back(Ask(t, absl::StrCat(i)));
      for (int i = 0; i < kEach; ++i) {
        EXPECT_TRUE(
            meeting_.Send(absl::StrCat(t, " ", i), {Floats(i % 50 == 0 ? 50'000 : i)}).ok());
      }
      for (int i = 0; i < kEach; ++i) {
        const auto got = Get(std::move(answers[static_cast<size_t>(i)]));
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_EQ(got->tensor.num_elements(), i % 50 == 0 ? 50'000 : i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(LaneTest, AnErrorIsTheSenders) {
  Answer answer = Ask(1, "never");
  while (!client_->is_open()) {
  }
  const auto twice = Get(Ask(1, "never"));  // a second one under the key
  EXPECT_EQ(twice.status().code(), StatusCode::kInvalidArgument) << twice.status();
  meeting_.Abort(OutOfRange("at an end"));
  const auto ended = Get(std::move(answer));
  EXPECT_EQ(ended.status(), OutOfRange("at an end"));
}

TEST_P(LaneTest, WhatIsCancelledIsForgotten) {
  uint64_t id = 0;
  Answer answer = Ask(1, "late", &id);
  ASSERT_TRUE(meeting_.Send("1 other", {Floats(1)}).ok());
  ASSERT_TRUE(Get(Ask(1, "other")).ok());  // so the first has arrived
  client_->Cancel(id, Cancelled("not any more"));
  EXPECT_TRUE(IsCancelled(Get(std::move(answer)).status()));
  AwaitForgotten(1);
  // The value is there for whoever asks next.
  ASSERT_TRUE(meeting_.Send("1 late", {Floats(3)}).ok());
  EXPECT_TRUE(Get(Ask(1, "late")).ok());
}

TEST_P(LaneTest, AClientThatGoesLeavesNothingBehind) {
  Answer first = Ask(1, "a"), second = Ask(1, "b");
  ASSERT_TRUE(meeting_.Send("1 other", {Floats(1)}).ok());
  ASSERT_TRUE(Get(Ask(1, "other")).ok());
  client_.reset();
  EXPECT_TRUE(IsCancelled(Get(std::move(first)).status()));
  EXPECT_TRUE(IsCancelled(Get(std::move(second)).status()));
  AwaitForgotten(2);
}

TEST_P(LaneTest, AServerThatStopsEndsWhatWaits) {
  Answer answer = Ask(1, "a");
  server_->Stop();
  const auto got = Get(std::move(answer));
  EXPECT_EQ(got.status().code(), StatusCode::kUnavailable) << got.status();
  EXPECT_EQ(Get(Ask(1, "b")).status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(client_->is_open());
  EXPECT_FALSE(Connect().ok());
}

TEST_P(LaneTest, NobodyIsLetInWithoutTheToken) {
  const auto wrong = LaneClient::Connect("localhost", {server_->port(), std::string(16, 'x')}, 500);
  EXPECT_EQ(wrong.status().code(), StatusCode::kUnavailable) << wrong.status();
  const auto none = LaneClient::Connect("localhost", {server_->port(), ""}, 500);
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
}

// What comes from a socket that has said hello, and is no ask, ends that lane and no other.
TEST_P(LaneTest, HostileFrames) {
  LaneHello hello;
  hello.token = server_->token();
  std::vector<std::string> frames = {"GET / HTTP/1.1\r\n\r\n" + std::string(100, 'x')};
  LaneHeader header;
  const auto bytes = [&header] {
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
  };
  header.kind = LaneKind::kAsk;
  header.head_bytes = UINT32_MAX;  // more than any key
  frames.push_back(bytes());
  header.head_bytes = 3;  // no step
  frames.push_back(bytes() + "abc");
  header.kind = LaneKind::kValue;  // a server asks for nothing
  header.head_bytes = 0;
  header.value_bytes = UINT64_MAX;
  frames.push_back(bytes());
  header.kind = static_cast<LaneKind>(77);
  frames.push_back(bytes());
  const std::string twice = AskFrame(5, 1, "k").bytes;
  frames.push_back(twice + twice);
  for (const std::string& frame : frames) {
    auto socket = ConnectRaw();
    ASSERT_TRUE(socket.ok()) << socket.status();
    ++hello.lane;
    std::string all = HelloFrame(hello).bytes + frame;
    iovec piece = {&all[0], all.size()};
    ASSERT_TRUE(socket->Write(MakeSpan(&piece, 1), true).ok());
    socket->SetReadTimeout(kWaitMs);
    char answer[64];
    StatusOr<size_t> read = socket->ReadSome(answer, sizeof(answer));
    while (read.ok()) read = socket->ReadSome(answer, sizeof(answer));
    EXPECT_EQ(read.status().code(), StatusCode::kUnavailable) << "left open: " << read.status();
  }
  ASSERT_TRUE(meeting_.Send("1 other", {Floats(1)}).ok());
  EXPECT_TRUE(Get(Ask(1, "other")).ok());
}

TEST_P(LaneTest, TruncatedFrames) {
  LaneHello hello;
  hello.token = server_->token();
  const std::string all = HelloFrame(hello).bytes + AskFrame(1, 1, "key").bytes;
  for (size_t size = 0; size < all.size(); size += 7) {
    auto socket = ConnectRaw();
    ASSERT_TRUE(socket.ok()) << socket.status();
    std::string part = all.substr(0, size);
    iovec piece = {&part[0], part.size()};
    if (size == 0) continue;
    ASSERT_TRUE(socket->Write(MakeSpan(&piece, 1), true).ok());
  }
  ASSERT_TRUE(meeting_.Send("1 other", {Floats(1)}).ok());
  EXPECT_TRUE(Get(Ask(1, "other")).ok());
}

// A server that sends what is none of its answers.
TEST(LaneClientTest, HostileValues) {
  LaneHeader header;
  header.kind = LaneKind::kValue;
  header.id = 1;
  header.value_bytes = 4000;
  EXPECT_FALSE(TensorForValues("no message", 4000).ok());
  const auto frame = ValueFrame(1, {Floats(2000)});
  ASSERT_TRUE(frame.ok()) << frame.status();
  const std::string head = frame->bytes.substr(sizeof(LaneHeader));
  EXPECT_TRUE(TensorForValues(head, 8000).ok());
  for (const uint64_t size : {uint64_t{0}, uint64_t{7999}, uint64_t{8004}, UINT64_MAX}) {
    const auto refused = TensorForValues(head, size);
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument) << size;
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("bytes of values"));
  }
  EXPECT_FALSE(CheckHeader(header, 0).ok() && header.head_bytes > 0);
  header.kind = LaneKind::kError;
  EXPECT_EQ(CheckHeader(header, 100).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
