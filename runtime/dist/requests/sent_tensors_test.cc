#include "runtime/dist/requests/sent_tensors.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using Value = StatusOr<Rendezvous::Value>;

// One that waits for a tensor.
class Receiver {
 public:
  bool Ask(SentTensors& sent, const std::shared_ptr<Rendezvous>& from, int64_t request,
           int64_t step = 1) {
    Rendezvous::Receiver receiver = [got = got_](Value value) {
      EXPECT_FALSE(got->has_value()) << "called twice";
      *got = std::move(value);
    };
    const std::string key = "x";
    const bool is_new = sent.Begin(request, step, &receiver, &number_);
    if (is_new)
      sent.SetWaiting(request, from, key, from->ReceiveNumbered(key, std::move(receiver)));
    return is_new;
  }
  bool has_heard() const { return got_->has_value(); }
  Status status() const { return (*got_)->status(); }
  int64_t size() const { return (**got_)->tensor.num_elements(); }
  int64_t number() const { return number_; }

 private:
  std::shared_ptr<std::optional<Value>> got_ = std::make_shared<std::optional<Value>>();
  int64_t number_ = 0;
};

Tensor Bytes(int64_t size) { return *Tensor::Allocate(DType::kUInt8, Shape({size})); }

class SentTensorsTest : public ::testing::Test {
 protected:
  void Send(int64_t size) {
    const Status status = from_->Send("x", {Bytes(size)});
    EXPECT_TRUE(status.ok()) << status;
  }
  const std::shared_ptr<Rendezvous> from_ = std::make_shared<Rendezvous>();
  const std::shared_ptr<SentTensors> sent_ = std::make_shared<SentTensors>(0);
};

TEST_F(SentTensorsTest, ARequestThatComesAgainGetsTheSameTensor) {
  Receiver first, second, third;
  EXPECT_TRUE(first.Ask(*sent_, from_, 7));
  EXPECT_FALSE(second.Ask(*sent_, from_, 7));
  EXPECT_FALSE(second.has_heard());
  Send(5);
  EXPECT_FALSE(third.Ask(*sent_, from_, 7));
  for (const Receiver* receiver : {&first, &second, &third}) {
    ASSERT_TRUE(receiver->has_heard());
    ASSERT_TRUE(receiver->status().ok()) << receiver->status();
    EXPECT_EQ(receiver->size(), 5);
  }
  EXPECT_GT(sent_->bytes(), 0);
}

TEST_F(SentTensorsTest, ATensorIsKeptUntilItIsSaidToHaveComeOrItsStepEnds) {
  Receiver first;
  Send(5);
  EXPECT_TRUE(first.Ask(*sent_, from_, 7, /*step=*/3));
  sent_->EndStep(4);
  EXPECT_GT(sent_->bytes(), 0);
  sent_->MarkReceived(8);
  EXPECT_GT(sent_->bytes(), 0);
  sent_->MarkReceived(7);
  EXPECT_EQ(sent_->bytes(), 0);
  Receiver late;
  EXPECT_FALSE(late.Ask(*sent_, from_, 7));
  EXPECT_TRUE(IsAborted(late.status())) << late.status();
  Send(5);
  EXPECT_TRUE(Receiver().Ask(*sent_, from_, 9, /*step=*/3));
  EXPECT_GT(sent_->bytes(), 0);
  sent_->EndStep(3);
  EXPECT_EQ(sent_->bytes(), 0);
}

TEST_F(SentTensorsTest, ALargeTensorIsKeptOnlyWhereThatWasAskedFor) {
  Receiver first, again;
  Send(SentTensors::kSmallBytes + 1);
  EXPECT_TRUE(first.Ask(*sent_, from_, 7));
  EXPECT_EQ(first.size(), SentTensors::kSmallBytes + 1);
  EXPECT_EQ(sent_->bytes(), 0);
  EXPECT_FALSE(again.Ask(*sent_, from_, 7));
  EXPECT_TRUE(IsAborted(again.status())) << again.status();
  EXPECT_NE(again.status().message().find("--keep_sent_mb"), std::string::npos);
  const auto keeps = std::make_shared<SentTensors>(3 << 20);
  Receiver kept, repeated;
  Send(1 << 20);
  EXPECT_TRUE(kept.Ask(*keeps, from_, 7));
  EXPECT_FALSE(repeated.Ask(*keeps, from_, 7));
  EXPECT_EQ(repeated.size(), 1 << 20);
}

TEST_F(SentTensorsTest, TheOldestGoWhenThereAreTooMany) {
  const auto keeps = std::make_shared<SentTensors>(3 << 20);
  for (int64_t request = 1; request <= 10; ++request) {
    Send(1 << 20);
    EXPECT_TRUE(Receiver().Ask(*keeps, from_, request, /*step=*/request));
    EXPECT_LE(keeps->bytes(), 3 << 20);
  }
  Receiver oldest, newest;
  EXPECT_FALSE(oldest.Ask(*keeps, from_, 1));
  EXPECT_TRUE(IsAborted(oldest.status()));
  EXPECT_FALSE(newest.Ask(*keeps, from_, 10));
  EXPECT_TRUE(newest.status().ok());
}

TEST_F(SentTensorsTest, WhoHasGoneIsForgottenAndTheOthersAreNot) {
  Receiver gone, stays;
  gone.Ask(*sent_, from_, 7);
  stays.Ask(*sent_, from_, 7);
  EXPECT_TRUE(sent_->Forget(7, gone.number()));
  EXPECT_FALSE(sent_->Forget(7, gone.number()));
  Send(5);
  EXPECT_FALSE(gone.has_heard());
  EXPECT_TRUE(stays.has_heard());
  EXPECT_FALSE(sent_->Forget(7, stays.number()));
}

TEST_F(SentTensorsTest, WhenAllHaveGoneTheNextOneFindsTheTensor) {
  Receiver gone, next;
  gone.Ask(*sent_, from_, 7);
  EXPECT_TRUE(sent_->Forget(7, gone.number()));
  Send(5);
  EXPECT_TRUE(next.Ask(*sent_, from_, 7));
  EXPECT_TRUE(next.has_heard());
  EXPECT_FALSE(gone.has_heard());
}

TEST_F(SentTensorsTest, AnErrorIsAnAnswerToo) {
  Receiver first, again;
  first.Ask(*sent_, from_, 7);
  from_->Abort(Aborted("Cleanup 1"));
  again.Ask(*sent_, from_, 7);
  EXPECT_EQ(first.status(), again.status());
  EXPECT_TRUE(IsAborted(again.status()));
}

}  // namespace
}  // namespace warpbeam
