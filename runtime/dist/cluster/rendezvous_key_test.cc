#include "runtime/dist/cluster/rendezvous_key.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(RendezvousKeyTest, IsTakenApart) {
  const RendezvousKey key = RendezvousKey::Parse(
      "/job:ps/replica:0/task:0/device:CPU:0;0000000000000001;/job:worker/replica:0/task:0/"
      "device:CPU:0;edge_7_v/read;0:0");
  EXPECT_EQ(key.ToString(),
            "'edge_7_v/read' from /job:ps/replica:0/task:0/device:CPU:0 to "
            "/job:worker/replica:0/task:0/device:CPU:0");
}

TEST(RendezvousKeyTest, NamesTheIterationOfALoop) {
  EXPECT_EQ(RendezvousKey::Parse("/a;1;/b;x;3:12").ToString(),
            "'x' of iteration 3:12 from /a to /b");
}

TEST(RendezvousKeyTest, WhatIsNoneIsAllTensor) {
  for (const char* text : {"", "x", "a;b;c", "a;b;c;d;e;f"}) {
    EXPECT_EQ(RendezvousKey::Parse(text).tensor, text);
    EXPECT_TRUE(RendezvousKey::Parse(text).from.empty());
  }
}

}  // namespace
}  // namespace warpbeam
