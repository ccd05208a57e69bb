#include "graph/types/status.h"

#include <sstream>
#include <thread>

#include "gmock/gmock.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

TEST(StatusTest, OkSaysNothing) {
  const Status ok;
  EXPECT_TRUE(ok.ok());
  EXPECT_EQ(ok.code(), StatusCode::kOk);
  EXPECT_EQ(ok.message(), "");
  EXPECT_EQ(ok.ToString(), "OK");
  EXPECT_EQ(ok, OkStatus());
  EXPECT_EQ(Status(StatusCode::kOk, "dropped"), ok);
  EXPECT_EQ(ok.WithMessage("no error either"), ok);
}

TEST(StatusTest, AnErrorHasACodeAndAMessage) {
  const Status error = NotFound("no file '", "x", "', ", 3, " others");
  EXPECT_FALSE(error.ok());
  EXPECT_TRUE(IsNotFound(error));
  EXPECT_FALSE(IsInternal(error));
  EXPECT_EQ(error.message(), "no file 'x', 3 others");
  EXPECT_EQ(error.ToString(), "NOT_FOUND: no file 'x', 3 others");
  std::ostringstream text;
  text << error << " " << error.code();
  EXPECT_EQ(text.str(), "NOT_FOUND: no file 'x', 3 others NOT_FOUND");
  EXPECT_NE(error, NotFound("another"));
  EXPECT_NE(error, Internal("no file 'x', 3 others"));
}

TEST(StatusTest, CodesHaveTheNumbersAndNamesOfGrpc) {
  EXPECT_EQ(static_cast<int>(StatusCode::kUnauthenticated), 16);
  EXPECT_EQ(StatusCodeName(StatusCode::kUnauthenticated), "UNAUTHENTICATED");
  EXPECT_EQ(StatusCodeName(StatusCode::kDataLoss), "DATA_LOSS");
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(17)), "");
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(-1)), "");
  EXPECT_EQ(Status(static_cast<StatusCode>(99), "from afar").code(), StatusCode::kUnknown);
}

TEST(StatusTest, CopiesAndMoves) {
  Status error = DataLoss("torn");
  const Status copy = error;
  const Status moved = std::move(error);
  EXPECT_EQ(copy, moved);
  EXPECT_TRUE(error.ok());  // NOLINT(bugprone-use-after-move): a moved status is OK
  error = moved;
  Status& itself = error;
  error = itself;
  EXPECT_EQ(error, copy);
  error = std::move(itself);
  EXPECT_EQ(error, copy);
  error = Status();
  EXPECT_TRUE(error.ok());
  EXPECT_EQ(copy.message(), "torn");
}

TEST(StatusTest, TheFirstErrorStays) {
  Status status;
  status.Update(Status());
  EXPECT_TRUE(status.ok());
  status.Update(Aborted("first"));
  status.Update(Internal("second"));
  EXPECT_EQ(status, Aborted("first"));
}

TEST(StatusTest, PayloadsAreOfOneStatus) {
  Status error = Internal("with payloads");
  EXPECT_EQ(error.FindPayload("a"), nullptr);
  error.SetPayload("b", "2");
  const Status before = error;
  error.SetPayload("a", "1");
  error.SetPayload("b", "two");
  EXPECT_EQ(before.FindPayload("a"), nullptr);
  EXPECT_EQ(*before.FindPayload("b"), "2");
  EXPECT_EQ(*error.FindPayload("a"), "1");
  EXPECT_EQ(*error.FindPayload("b"), "two");
  EXPECT_NE(error, before);
  EXPECT_EQ(*Annotate(error, "node 'x'").FindPayload("a"), "1");
  EXPECT_EQ(Annotate(error, "node 'x'").message(), "node 'x': with payloads");
  Status ok;
  ok.SetPayload("a", "1");
  EXPECT_EQ(ok.FindPayload("a"), nullptr);
}

TEST(StatusTest, ManyThreadsShareOne) {
  Status error = Unavailable("gone");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&error] {
      for (int i = 0; i < 1000; ++i) {
        Status copy = error;
        copy.SetPayload("thread", "of its own");
        EXPECT_EQ(error.FindPayload("thread"), nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(error, Unavailable("gone"));
}

TEST(StatusTest, NumbersOfTheSystem) {
  const Status error = ErrnoToStatus(ENOENT, "cannot open 'x'");
  EXPECT_TRUE(IsNotFound(error));
  EXPECT_THAT(error.message(), HasSubstr("cannot open 'x': No such file"));
}

struct OfBoth {
  explicit OfBoth(int value) : value(value) {}
  int value;
};

StatusOr<int> HalfOf(int whole) {
  if (whole % 2 != 0) return InvalidArgument(whole, " is odd");
  return whole / 2;
}

StatusOr<std::string> HalfAsText(int whole) {
  WB_ASSIGN_OR_RETURN(const int half, HalfOf(whole));
  return std::to_string(half);
}

Status Halves(const std::vector<int>& numbers) {
  for (const int number : numbers) WB_RETURN_IF_ERROR(HalfOf(number).status());
  return OkStatus();
}

TEST(StatusOrTest, HasAValueOrAnError) {
  const StatusOr<int> half = HalfOf(6);
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(*half, 3);
  EXPECT_TRUE(half.status().ok());
  EXPECT_EQ(HalfOf(7).status(), InvalidArgument("7 is odd"));
  EXPECT_EQ(HalfOf(7).value_or(-1), -1);
  EXPECT_EQ(*HalfAsText(8), "4");
  EXPECT_EQ(HalfAsText(9).status(), InvalidArgument("9 is odd"));
  EXPECT_TRUE(Halves({2, 4}).ok());
  EXPECT_EQ(Halves({2, 5}), InvalidArgument("5 is odd"));
}

TEST(StatusOrTest, AnOkStatusIsNoValue) {
  const StatusOr<int> none = OkStatus();
  EXPECT_TRUE(IsInternal(none.status()));
  EXPECT_FALSE(StatusOr<int>().ok());
}

TEST(StatusOrTest, MovesWhatCannotBeCopied) {
  StatusOr<std::unique_ptr<int>> made = std::make_unique<int>(5);
  StatusOr<std::unique_ptr<const int>> other = std::move(made);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(**other, 5);
  const std::unique_ptr<const int> taken = *std::move(other);
  EXPECT_EQ(*taken, 5);
}

TEST(StatusOrTest, AssigningEndsWhatWasThere) {
  const auto counted = std::make_shared<int>(1);
  StatusOr<std::shared_ptr<int>> held = counted;
  EXPECT_EQ(counted.use_count(), 2);
  const StatusOr<std::shared_ptr<int>> copy = held;
  EXPECT_EQ(counted.use_count(), 3);
  held = Internal("no more");
  EXPECT_EQ(counted.use_count(), 2);
  held = copy;
  EXPECT_EQ(counted.use_count(), 3);
  held = std::make_shared<int>(2);
  EXPECT_EQ(counted.use_count(), 2);
  held.emplace(counted);
  EXPECT_EQ(counted.use_count(), 3);
  auto& itself = held;
  held = itself;
  EXPECT_EQ(**held, 1);
}

TEST(StatusOrTest, ConvertsAsItsValueDoes) {
  const StatusOr<OfBoth> made(3);  // by an explicit constructor
  EXPECT_EQ(made->value, 3);
  const StatusOr<std::string> text = "a text";
  EXPECT_EQ(*text, "a text");
  const StatusOr<double> number = HalfOf(6);
  EXPECT_EQ(*number, 3.0);
  EXPECT_EQ(StatusOr<double>(HalfOf(7)).status(), InvalidArgument("7 is odd"));
  EXPECT_EQ(StatusOr<int>(3), HalfOf(6));
  EXPECT_NE(StatusOr<int>(4), HalfOf(6));
}

TEST(StatusOrDeathTest, AValueThatIsNotThereEndsTheProcess) {
  EXPECT_DEATH((void)*HalfOf(7), "7 is odd");
}

}  // namespace
}  // namespace warpbeam
