#include "runtime/kernel/cancellation.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(Cancellation, TellsStepsUnderWayAndThoseToCome) {
  StepContext first(1, nullptr, nullptr), second(2, nullptr, nullptr), over(3, nullptr, nullptr);
  Cancellation cancellation;
  { Cancellation::Scope scope(&cancellation, &over); }
  Cancellation::Scope scope(&cancellation, &first);
  int told = 0;
  first.OnCancel([&] { ++told; });
  cancellation.Cancel(Cancelled("the client has gone"));
  cancellation.Cancel(Cancelled("once more"));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(first.cancel_reason().message(), "the client has gone");
  EXPECT_FALSE(over.IsCancelled());
  Cancellation::Scope late(&cancellation, &second);
  EXPECT_TRUE(second.IsCancelled());
  Cancellation::Scope nobody(nullptr, &over);
  EXPECT_FALSE(over.IsCancelled());
}

}  // namespace
}  // namespace warpbeam
