#include "runtime/session/compilation.h"

#include <thread>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using std::chrono::milliseconds;

// What a compilation refers to, whose end takes its time.
struct Slow {
  explicit Slow(std::atomic<bool>* gone) : gone(*gone) {}
  ~Slow() {
    std::this_thread::sleep_for(milliseconds(100));
    gone = true;
  }
  std::atomic<bool>& gone;
};

// A session goes when its compilations have ended: their threads must have let go of it by then.
TEST(CompilationTest, HasEndedWhenItsThreadHoldsNothingAnyMore) {
  std::atomic<bool> gone{false};
  const auto compilation = std::make_shared<Compilation>();
  ASSERT_TRUE(compilation->Join());
  {
    auto slow = std::make_shared<Slow>(&gone);
    const auto compile = [slow]() -> StatusOr<std::unique_ptr<StepRunner>> {
      return InvalidArgument("no");
    };
    Compilation::RunApart(compile, compilation);
  }
  EXPECT_FALSE(compilation->Await({}).ok());
  EXPECT_TRUE(compilation->IsDone());
  EXPECT_TRUE(compilation->AwaitEnd(Patience::Clock::now() + milliseconds(10000)));
  EXPECT_TRUE(gone);
  EXPECT_TRUE(compilation->HasEnded());
  EXPECT_EQ(compilation.use_count(), 1);
}

TEST(CompilationTest, AwaitEndHasItsOwnPatience) {
  std::atomic<bool> may_end{false};
  const auto compilation = std::make_shared<Compilation>();
  ASSERT_TRUE(compilation->Join());
  const auto compile = [&may_end]() -> StatusOr<std::unique_ptr<StepRunner>> {
    while (!may_end) std::this_thread::sleep_for(milliseconds(1));
    return InvalidArgument("no");
  };
  Compilation::RunApart(compile, compilation);
  EXPECT_FALSE(compilation->AwaitEnd(Patience::Clock::now() + milliseconds(20)));
  EXPECT_FALSE(compilation->HasEnded());
  may_end = true;
  EXPECT_TRUE(compilation->AwaitEnd(Patience::Clock::now() + milliseconds(10000)));
}

}  // namespace
}  // namespace warpbeam
