// The collectives whose members have a communicator. The values are TensorFlow's, but those of
// subgroups, which TensorFlow does not have yet.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = StatusCode;

class CommunicatorTest : public ::testing::Test {
 protected:
  CommunicatorTest() { options_.cpu_devices = 4; }

  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  std::string Name(OutputRef output) const { return graph_->node(output.node).name(); }
  OutputRef Const(Tensor value) {
    auto made = AddConstant(graph_.get(), "const", std::move(value), "");
    EXPECT_TRUE(made.ok()) << made.status();
    return {(*made)->id(), 0};
  }
  NodeBuilder On(int device, const char* op) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(absl::StrCat(op, graph_->num_nodes())).Device(absl::StrCat(device_, device));
    return builder;
  }
  OutputRef Communicator(int device, int32_t rank, int32_t size, int32_t group = 7,
                         float timeout = 0) {
    const OutputRef key = Const(Tensor::Scalar(group)), own = Const(Tensor::Scalar(rank)),
                    all = Const(Tensor::Scalar(size));
    NodeBuilder builder = On(device, "CollectiveInitializeCommunicator");
    return Built(builder.Input(key).Input(own).Input(all).Attr("timeout_seconds", timeout));
  }
  NodeBuilder Member(int device, const char* op, OutputRef communicator, Tensor value,
                     Tensor groups = Tensor::FromValues<int32_t>(Shape({0, 0}), {})) {
    const OutputRef input = Const(std::move(value)), assignment = Const(std::move(groups));
    NodeBuilder builder = On(device, op);
    builder.Input(input).Input(communicator).Input(assignment);
    return builder;
  }
  std::string Reduce(int device, OutputRef communicator, Tensor value,
                     const std::string& reduction = "Add",
                     Tensor groups = Tensor::FromValues<int32_t>(Shape({0, 0}), {})) {
    NodeBuilder builder =
        Member(device, "CollectiveReduceV3", communicator, std::move(value), std::move(groups));
    return Name(Built(builder.Attr("reduction", reduction)));
  }

  Status Run(const std::vector<std::string>& fetches, int64_t timeout_ms = 20000) {
    if (session_ == nullptr) {
      auto session = Session::Create(options_, graph_);
      if (!session.ok()) return session.status();
      session_ = *std::move(session);
    }
    RunOptions options;
    options.timeout_ms = timeout_ms;
    out_.clear();
    return session_->Run(options, {}, fetches, {}, &out_, nullptr);
  }
  template <typename T>
  std::vector<T> Values(size_t i) const {
    const auto values = out_[i].flat<T>();
    return std::vector<T>(values.begin(), values.end());
  }
  void ExpectRefused(const std::vector<std::string>& fetches, Code code,
                     const ::testing::Matcher<std::string>& what) {
    const Status s = Run(fetches);
    EXPECT_EQ(s.code(), code) << s;
    EXPECT_THAT(std::string(s.message()), what);
  }
  void StartAnew() {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
  }

  SessionOptions options_;
  std::string device_ = "/cpu:";
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
};

Tensor Floats(std::initializer_list<float> values) { return Tensor::Vector<float>(values); }

TEST_F(CommunicatorTest, ReductionsOfTwoMembers) {
  const std::pair<const char*, std::vector<float>> cases[] = {
      {"Add", {5, 7, 9}}, {"Mul", {4, 10, 18}}, {"Min", {1, 2, 3}}, {"Max", {4, 5, 6}}};
  for (const auto& [reduction, expected] : cases) {
    StartAnew();
    const auto a = Reduce(0, Communicator(0, 0, 2), Floats({1, 2, 3}), reduction);
    const auto b = Reduce(1, Communicator(1, 1, 2), Floats({4, 5, 6}), reduction);
    for (int step = 0; step < 3; ++step) {
      const Status ran = Run({a, b});
      ASSERT_TRUE(ran.ok()) << ran;
      EXPECT_EQ(Values<float>(0), expected) << reduction;
      EXPECT_EQ(Values<float>(1), expected) << reduction;
    }
  }
}

// What is first for one member is first for the other, whatever the nodes are called.
TEST_F(CommunicatorTest, CollectivesOfOneCommunicatorAreCounted) {
  std::vector<std::string> fetches;
  for (int i = 0; i < 2; ++i) {
    const OutputRef communicator = Communicator(i, i, 2);
    NodeBuilder first = Member(i, "CollectiveReduceV3", communicator, Floats({1.0f + i}));
    const OutputRef sum = Built(first.Attr("reduction", "Add"));
    NodeBuilder second = Member(i, "CollectiveReduceV3", communicator, Floats({2.0f + i}));
    const OutputRef product = Built(second.Attr("reduction", "Mul").ControlInput(sum.node));
    fetches.push_back(Name(sum));
    fetches.push_back(Name(product));
  }
  const Status ran = Run(fetches);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(Values<float>(0), ElementsAre(3));
  EXPECT_THAT(Values<float>(1), ElementsAre(6));
  EXPECT_THAT(Values<float>(2), ElementsAre(3));
  EXPECT_THAT(Values<float>(3), ElementsAre(6));
}

TEST_F(CommunicatorTest, StepsSideBySideHaveCommunicatorsOfTheirOwn) {
  std::vector<std::string> fetches;
  for (int i = 0; i < 2; ++i) {
    const OutputRef communicator = Communicator(i, i, 2);
    NodeId last = kNoNode;
    for (int k = 0; k < 3; ++k) {
      NodeBuilder builder = Member(i, "CollectiveReduceV3", communicator, Floats({1.0f + i}));
      builder.Attr("reduction", "Add");
      if (last != kNoNode) builder.ControlInput(last);
      last = Built(builder).node;
    }
    fetches.push_back(graph_->node(last).name());
  }
  ASSERT_TRUE(Run(fetches).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int step = 0; step < 50; ++step) {
        std::vector<Tensor> out;
        const Status ran = session_->Run({}, {}, fetches, {}, &out, nullptr);
        ASSERT_TRUE(ran.ok()) << ran;
        ASSERT_EQ(out[1].data<float>()[0], 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CommunicatorTest, OnSimulatedGpusAndOnOneDevice) {
  options_.simulated_gpus = 2;
  device_ = "/gpu:";
  auto a = Reduce(0, Communicator(0, 1, 2), Floats({1})),
       b = Reduce(1, Communicator(1, 0, 2), Floats({2}));
  Status ran = Run({a, b});
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(Values<float>(0), ElementsAre(3));
  StartAnew();
  a = Reduce(0, Communicator(0, 1, 2), Floats({1}));
  b = Reduce(0, Communicator(0, 0, 2), Floats({2}));
  ran = Run({a, b});
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(Values<float>(1), ElementsAre(3));
}

TEST_F(CommunicatorTest, WhatNoCommunicatorIsMadeOf) {
  const auto refused = [&](int32_t rank, int32_t size, const char* why) {
    StartAnew();
    ExpectRefused({Name(Communicator(0, rank, size))}, Code::kInvalidArgument, HasSubstr(why));
  };
  refused(0, 0, "group_size must be positive integer but got 0");
  refused(-1, 1, "rank must be non-negative integer but got -1");
  refused(1, 1, "rank must be less than group size but got 1 >= 1");
}

TEST_F(CommunicatorTest, MembersThatDoNotAgree) {
  ExpectRefused({Reduce(0, Communicator(0, 0, 2), Floats({1, 2, 3})),
                 Reduce(1, Communicator(1, 1, 2), Floats({4, 5}))},
                Code::kInvalidArgument,
                AllOf(HasSubstr("Shape mismatch in the collective instance 0. Op at device"),
                      HasSubstr("[2]"), HasSubstr("[3]")));
  StartAnew();
  ExpectRefused({Reduce(0, Communicator(0, 0, 2), Floats({1})),
                 Reduce(1, Communicator(1, 1, 2), Tensor::Vector<int32_t>({4}))},
                Code::kInternal, HasSubstr("Collective instance 0 expected type 0 and data_type"));
  StartAnew();
  ExpectRefused({Name(Communicator(0, 0, 2)), Name(Communicator(1, 1, 3))}, Code::kInternal,
                HasSubstr("is joining a group with size"));
  StartAnew();
  ExpectRefused({Name(Communicator(0, 1, 2)), Name(Communicator(1, 1, 2))}, Code::kInvalidArgument,
                HasSubstr("0 of the 2 members of group_key=7 have rank 0"));
}

TEST_F(CommunicatorTest, ARankThatIsNotRunIsMissed) {
  const std::string one = Name(Communicator(0, 0, 2));
  Communicator(1, 1, 2);
  ExpectRefused({one}, Code::kFailedPrecondition,
                AllOf(HasSubstr("could never end"), HasSubstr("group_key 7, a communicator"),
                      HasSubstr("runs 1")));
}

// What the check before the step cannot know: whether all members of a communicator use it.
TEST_F(CommunicatorTest, ACollectiveThatAMemberLeavesOutEndsInTime) {
  const OutputRef a = Communicator(0, 0, 2, 7, /*timeout=*/0.1f), b = Communicator(1, 1, 2);
  const std::string lonely = Reduce(0, a, Floats({1}));
  ExpectRefused({lonely, Name(b)}, Code::kDeadlineExceeded,
                AllOf(HasSubstr("timed out waiting for other workers"),
                      HasSubstr("Of the 2 members of group_key=7, instance 0, 1 have come here"),
                      HasSubstr("device:CPU:0"), Not(HasSubstr("device:CPU:1"))));
}

// Communicators of four, whose ranks are not in the order of their devices.
class CommunicatorOfFourTest : public CommunicatorTest {
 protected:
  static constexpr int32_t kRanks[] = {2, 0, 3, 1};  // by device

  // Rank r has 10 r + 1, 10 r + 2, … .
  static Tensor Own(int32_t rank, int count) {
    Tensor value = Tensor::FromValues<double>(Shape({count}), std::vector<double>(count, 0));
    for (int i = 0; i < count; ++i) value.data<double>()[i] = 10 * rank + i + 1;
    return value;
  }
  // Fetches by rank; `groups` by rank, too.
  Status RunAll(const char* op, const std::vector<Tensor>& groups, int count) {
    StartAnew();
    std::vector<std::string> fetches(4);
    for (int device = 0; device < 4; ++device) {
      const int32_t rank = kRanks[device];
      const auto at = static_cast<size_t>(rank);
      NodeBuilder builder =
          Member(device, op, Communicator(device, rank, 4), Own(rank, count), groups[at]);
      if (op == std::string("CollectiveReduceV3")) builder.Attr("reduction", "Add");
      fetches[at] = Name(Built(builder));
    }
    return Run(fetches);
  }
  static Tensor Groups(const Shape& shape, const std::vector<int32_t>& ranks) {
    return Tensor::FromValues<int32_t>(shape, ranks);
  }
};

TEST_F(CommunicatorOfFourTest, PiecesGoByRank) {
  const Status ran =
      RunAll("CollectiveAllToAllV3", std::vector<Tensor>(4, Groups(Shape({0, 0}), {})), 4);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(Values<double>(0), ElementsAre(1, 11, 21, 31));
  EXPECT_THAT(Values<double>(1), ElementsAre(2, 12, 22, 32));
  EXPECT_THAT(Values<double>(2), ElementsAre(3, 13, 23, 33));
  EXPECT_THAT(Values<double>(3), ElementsAre(4, 14, 24, 34));
}

TEST_F(CommunicatorOfFourTest, SubgroupsMeetAmongThemselves) {
  const std::vector<Tensor> groups(4, Groups(Shape({2, 2}), {3, 0, 1, 2}));
  Status ran = RunAll("CollectiveReduceV3", groups, 3);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(Values<double>(0), ElementsAre(32, 34, 36));
  EXPECT_THAT(Values<double>(3), ElementsAre(32, 34, 36));
  EXPECT_THAT(Values<double>(1), ElementsAre(32, 34, 36));
  ran = RunAll("CollectiveAllToAllV3", groups, 2);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(Values<double>(3), ElementsAre(31, 1));
  EXPECT_THAT(Values<double>(0), ElementsAre(32, 2));
  EXPECT_THAT(Values<double>(1), ElementsAre(11, 21));
  EXPECT_THAT(Values<double>(2), ElementsAre(12, 22));
  ran =
      RunAll("CollectiveReduceV3", std::vector<Tensor>(4, Groups(Shape({4, 1}), {3, 0, 1, 2})), 1);
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_THAT(Values<double>(2), ElementsAre(21));
}

TEST_F(CommunicatorOfFourTest, SubgroupsThatAreNone) {
  const auto refused = [&](const Tensor& groups, const char* why) {
    const Status s = RunAll("CollectiveReduceV3", std::vector<Tensor>(4, groups), 1);
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr(why));
  };
  refused(Groups(Shape({1, 2}), {0, 1}), "the ranks of all 4 members");
  refused(Groups(Shape({4}), {0, 1, 2, 3}), "must be a matrix");
  refused(Groups(Shape({2, 2}), {0, 1, 2, 2}), "each rank below 4 once, but has 2 twice");
  refused(Groups(Shape({2, 2}), {0, 1, 2, 4}), "each rank below 4 once, but has 4: ");
  std::vector<Tensor> groups(4, Groups(Shape({2, 2}), {0, 1, 2, 3}));
  groups[1] = Groups(Shape({2, 2}), {0, 2, 1, 3});
  const Status s = RunAll("CollectiveReduceV3", groups, 1);
  EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
  EXPECT_THAT(std::string(s.message()),
              AllOf(HasSubstr("rank 2 has the group_assignment [0,1; 2,3]"),
                    HasSubstr("rank 1 has [0,2; 1,3]")));
}

TEST_F(CommunicatorTest, PiecesThatAreNotAsManyAsTheMembers) {
  NodeBuilder a = Member(0, "CollectiveAllToAllV3", Communicator(0, 0, 2), Floats({1, 2, 3}));
  NodeBuilder b = Member(1, "CollectiveAllToAllV3", Communicator(1, 1, 2), Floats({1, 2, 3}));
  ExpectRefused({Name(Built(a)), Name(Built(b))}, Code::kInvalidArgument,
                HasSubstr("input to all-to-all first dimension size (3) must be the same as the "
                          "group size (2)"));
}

}  // namespace
}  // namespace warpbeam
