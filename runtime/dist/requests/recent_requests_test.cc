#include "runtime/dist/requests/recent_requests.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(RecentRequests, ANumberIsGoodOnceUntilItIsForgotten) {
  RecentRequests recent;
  EXPECT_TRUE(recent.Begin(0, "RunStep").ok());
  EXPECT_TRUE(recent.Begin(0, "RunStep").ok());
  EXPECT_TRUE(recent.Begin(-7, "RunStep").ok());
  const Status again = recent.Begin(-7, "RunCallable");
  EXPECT_TRUE(IsAborted(again));
  EXPECT_NE(again.message().find("RunCallable request -7"), std::string::npos) << again;
  for (size_t i = 1; i <= RecentRequests::kRemembered; ++i) {
    ASSERT_TRUE(recent.Begin(static_cast<int64_t>(i), "RunStep").ok());
  }
  EXPECT_TRUE(recent.Begin(-7, "RunStep").ok());  // pushed out, and with it 1
  EXPECT_FALSE(recent.Begin(3, "RunStep").ok());
}

TEST(RecentRequests, AForgottenNumberIsGoodAgain) {
  RecentRequests recent;
  EXPECT_TRUE(recent.Begin(5, "RecvTensor").ok());
  recent.Forget(5);
  EXPECT_TRUE(recent.Begin(5, "RecvTensor").ok());
  EXPECT_FALSE(recent.Begin(5, "RecvTensor").ok());
}

}  // namespace
}  // namespace warpbeam
