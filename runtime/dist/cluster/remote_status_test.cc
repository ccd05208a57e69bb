#include "runtime/dist/cluster/remote_status.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kWorker[] = "/job:worker/replica:0/task:0";

TEST(RemoteStatusTest, TheTaskThatAnErrorComesFromStaysInIt) {
  const Status once = ToldBy(kPs, InvalidArgument("bad"));
  EXPECT_EQ(once.message(), "From /job:ps/replica:0/task:0:\nbad");
  EXPECT_EQ(ToldBy(kWorker, once), once);
  EXPECT_TRUE(ToldBy(kPs, OkStatus()).ok());
}

TEST(RemoteStatusTest, APartThatAnothersEndHasEndedIsDerived) {
  const Status gone = ToldBy(kPs, Cancelled("the client has gone"));
  const Status received = Annotate(gone, "node 'r' (_Recv)");
  EXPECT_TRUE(IsDerived(received));
  EXPECT_TRUE(IsDerived(ToldBy(kWorker, received)));
  // What a task says of itself is no consequence, nor is what failed.
  EXPECT_FALSE(IsDerived(gone));
  EXPECT_FALSE(IsDerived(Annotate(ToldBy(kPs, InvalidArgument("bad")), "node 'r' (_Recv)")));
  EXPECT_FALSE(IsDerived(Cancelled("the queue was closed")));
}

}  // namespace
}  // namespace warpbeam
