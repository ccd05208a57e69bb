#include "runtime/dist/listening.h"

#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"

namespace warpbeam {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(ListeningTest, APortThatIsTaken) {
  LoopbackSocket other;
  other.Listen(1);
  for (const std::string host : {"localhost", "127.0.0.1", "0.0.0.0"}) {
    const Status status = CheckCanListen(host, other.port());
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << host;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("cannot listen on ", host, ":", other.port(), ": ")));
    EXPECT_THAT(std::string(status.message()),
                AnyOf(HasSubstr(absl::StrCat("process ", getpid(), " (")),
                      HasSubstr("another process listens there")));
  }
  other.Close();
  for (const char* host : {"localhost", "127.0.0.1", "0.0.0.0", "[::]"}) {
    EXPECT_TRUE(CheckCanListen(host, other.port()).ok()) << host;
  }
}

TEST(ListeningTest, AddressesOfOthers) {
  for (const char* host : {"192.0.2.1", "no.such.host.invalid"}) {
    const Status status = CheckCanListen(host, 0);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << host;
    EXPECT_THAT(std::string(status.message()), HasSubstr(host));
  }
}

TEST(ListeningTest, TasksOfTheLoopbackStayThere) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3"}) {
    EXPECT_TRUE(IsLoopback(host));
    EXPECT_EQ(ListeningHost(host), host);
  }
  EXPECT_EQ(ListeningHost("::1"), "[::1]");
  for (const char* host : {"node1", "10.0.0.1", "fe80::1", "localhost.example"}) {
    EXPECT_FALSE(IsLoopback(host));
    EXPECT_EQ(ListeningHost(host), "[::]");
  }
}

}  // namespace
}  // namespace warpbeam
