// Collectives: what the members get, what they are told when they do not agree, and the steps that
// are refused because they would never end. The values are TensorFlow's.
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

class CollectiveTest : public ::testing::Test {
 protected:
  CollectiveTest() { options_.cpu_devices = 3; }

  static std::string Built(NodeBuilder& builder) {
    auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? (*made)->name() : "";
  }
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
  NodeBuilder Member(int device, const char* op, int64_t size = 2, int64_t instance = 1) {
    NodeBuilder builder = On(device, op);
    builder.Attr("group_size", size).Attr("group_key", int64_t{1}).Attr("instance_key", instance);
    return builder;
  }
  NodeBuilder Reducing(int device, Tensor value, const std::string& merge = "Add",
                       const std::string& final_op = "Id", int64_t size = 2, int64_t instance = 1) {
    const OutputRef input = Const(std::move(value));
    NodeBuilder builder = Member(device, "CollectiveReduce", size, instance);
    builder.Input(input).Attr("merge_op", merge).Attr("final_op", final_op);
    builder.Attr("subdiv_offsets", std::vector<int64_t>{0});
    return builder;
  }
  template <typename T>
  std::string Reduce(int device, std::initializer_list<T> values, const std::string& merge = "Add",
                     const std::string& final_op = "Id", int64_t size = 2) {
    NodeBuilder builder = Reducing(device, Tensor::Vector<T>(values), merge, final_op, size);
    return Built(builder);
  }
  std::string Gather(int device, std::initializer_list<float> values) {
    const OutputRef input = Const(Tensor::Vector<float>(values));
    NodeBuilder builder = Member(device, "CollectiveGather");
    builder.Input(input).Attr("shape", PartialShape({-1}));
    return Built(builder);
  }
  std::string Send(int device, std::initializer_list<float> values, int64_t size = 2) {
    const OutputRef input = Const(Tensor::Vector<float>(values));
    NodeBuilder builder = Member(device, "CollectiveBcastSend", size);
    builder.Input(input).Attr("shape", PartialShape({2}));
    return Built(builder);
  }
  std::string Receive(int device, int64_t length, int64_t size = 2) {
    NodeBuilder builder = Member(device, "CollectiveBcastRecv", size);
    builder.Attr("T", DType::kFloat).Attr("shape", PartialShape({length}));
    return Built(builder);
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

  SessionOptions options_;
  std::string device_ = "/cpu:";
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
};

TEST_F(CollectiveTest, ReductionsOfTwoMembers) {
  struct Case {
    const char* merge;
    const char* final_op;
    std::vector<float> expected;
  };
  const Case cases[] = {{"Add", "Id", {5, 7, 9}},
                        {"Mul", "Id", {4, 10, 18}},
                        {"Min", "Id", {1, 2, 3}},
                        {"Max", "Id", {4, 5, 6}},
                        {"Add", "Div", {2.5, 3.5, 4.5}}};
  for (const Case& c : cases) {
    graph_ = std::make_shared<Graph>();
    session_ = nullptr;
    const std::vector<std::string> members = {Reduce<float>(0, {1, 2, 3}, c.merge, c.final_op),
                                              Reduce<float>(1, {4, 5, 6}, c.merge, c.final_op)};
    ASSERT_TRUE(Run(members).ok());
    EXPECT_EQ(Values<float>(0), c.expected) << c.merge << c.final_op;
    EXPECT_EQ(Values<float>(1), c.expected) << c.merge << c.final_op;
  }
}

TEST_F(CollectiveTest, AMeanOfIntegersIsCutTowardsZero) {
  ASSERT_TRUE(Run({Reduce<int32_t>(0, {1, 2, 3}, "Add", "Div"),
                   Reduce<int32_t>(1, {4, 5, -6}, "Add", "Div")})
                  .ok());
  EXPECT_THAT(Values<int32_t>(0), ElementsAre(2, 3, -1));
}

TEST_F(CollectiveTest, ThreeMembersOnSimulatedGpusStepAfterStep) {
  options_.simulated_gpus = 3;
  device_ = "/gpu:";
  std::vector<std::string> members;
  for (int i = 0; i < 3; ++i) {
    members.push_back(Reduce<float>(i, {static_cast<float>(1 << i)}, "Add", "Id", 3));
  }
  for (int step = 0; step < 50; ++step) {
    ASSERT_TRUE(Run(members).ok());
    for (size_t i = 0; i < 3; ++i) EXPECT_THAT(Values<float>(i), ElementsAre(7));
  }
}

// GPUs that are not there: all members are on one device.
// The sessions of a server share its resources, and their steps are of equal age.
TEST_F(CollectiveTest, MembersOfTwoSessionsDoNotMeet) {
  options_.resources = std::make_shared<ResourceStore>();
  std::vector<std::thread> clients;
  for (int client = 0; client < 2; ++client) {
    graph_ = std::make_shared<Graph>();
    const float value = client == 0 ? 1 : 100;
    const std::vector<std::string> members = {Reduce<float>(0, {value}), Reduce<float>(1, {value})};
    auto session = Session::Create(options_, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    clients.emplace_back([members, value, own = std::shared_ptr<Session>(*std::move(session))] {
      for (int step = 0; step < 300; ++step) {
        std::vector<Tensor> out;
        const Status run = own->Run({}, {}, members, {}, &out, nullptr);
        ASSERT_TRUE(run.ok()) << run;
        ASSERT_EQ(out[0].data<float>()[0], 2 * value) << step;
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_F(CollectiveTest, MembersMayShareADevice) {
  device_ = "/gpu:";
  options_.allow_soft_placement = true;
  ASSERT_TRUE(Run({Reduce<float>(0, {1}), Reduce<float>(1, {2})}).ok());
  EXPECT_THAT(Values<float>(0), ElementsAre(3));
}

TEST_F(CollectiveTest, AGatherIsInTheOrderOfDevices) {
  ASSERT_TRUE(Run({Gather(1, {1, 2}), Gather(0, {3, 4})}).ok());
  EXPECT_THAT(Values<float>(0), ElementsAre(3, 4, 1, 2));
  EXPECT_THAT(Values<float>(1), ElementsAre(3, 4, 1, 2));
}

TEST_F(CollectiveTest, ABroadcastGivesAllTheSendersTensor) {
  ASSERT_TRUE(Run({Receive(0, 2, 3), Receive(1, 2, 3), Send(2, {1, 2}, 3)}).ok());
  for (size_t i = 0; i < 3; ++i) EXPECT_THAT(Values<float>(i), ElementsAre(1, 2));
}

TEST_F(CollectiveTest, TheSecondVersionsTakeTheirKeysAsInputs) {
  std::vector<std::string> members;
  const OutputRef size = Const(Tensor::Scalar<int32_t>(2)), key = Const(Tensor::Scalar<int32_t>(1));
  for (int i = 0; i < 2; ++i) {
    const OutputRef input = Const(Tensor::Vector<float>({1.0f + i, 5}));
    NodeBuilder reduce = On(i, "CollectiveReduceV2");
    reduce.Input(input).Input(size).Input(key).Input(key).Input(std::vector<OutputRef>());
    members.push_back(Built(reduce.Attr("merge_op", "Add").Attr("final_op", "Id")));
  }
  ASSERT_TRUE(Run(members).ok());
  EXPECT_THAT(Values<float>(1), ElementsAre(3, 10));
}

TEST_F(CollectiveTest, MembersThatDoNotAgree) {
  ExpectRefused({Reduce<float>(0, {1, 2}), Reduce<float>(1, {2})}, Code::kInvalidArgument,
                HasSubstr("Shape mismatch in the collective instance 1. Op at device"));
}

TEST_F(CollectiveTest, MembersOfTwoTypes) {
  ExpectRefused({Reduce<float>(0, {1, 2}), Reduce<int32_t>(1, {2, 3})}, Code::kInternal,
                HasSubstr("Collective instance 1 expected type 0 and data_type"));
}

TEST_F(CollectiveTest, MembersOfGroupsOfTwoSizes) {
  ExpectRefused({Reduce<float>(0, {1}), Reduce<float>(1, {2}, "Add", "Id", 3)}, Code::kInternal,
                HasSubstr("is joining a group with size"));
}

TEST_F(CollectiveTest, BroadcastsWithoutASenderAndWithTwo) {
  ExpectRefused({Receive(0, 2), Receive(1, 2)}, Code::kInternal,
                HasSubstr("Instance 1 found no source for broadcast."));
  graph_ = std::make_shared<Graph>();
  session_ = nullptr;
  ExpectRefused({Send(0, {1, 2}), Send(1, {1, 2})}, Code::kInternal,
                HasSubstr("Instance 1 already has source"));
}

TEST_F(CollectiveTest, AGroupOfNobody) {
  ExpectRefused({Reduce<float>(0, {1}, "Add", "Id", 0)}, Code::kInvalidArgument,
                HasSubstr("group_size must be positive"));
}

TEST_F(CollectiveTest, AMemberThatIsNotFetchedIsMissed) {
  const std::string one = Reduce<float>(0, {1}), other = Reduce<float>(1, {2});
  ExpectRefused({one}, Code::kFailedPrecondition,
                AllOf(HasSubstr("could never end"), HasSubstr(one), HasSubstr("runs 1")));
  EXPECT_TRUE(Run({one, other}).ok());
}

TEST_F(CollectiveTest, AThirdMemberOfTwo) {
  ExpectRefused({Reduce<float>(0, {1}), Reduce<float>(1, {2}), Reduce<float>(2, {2})},
                Code::kFailedPrecondition, HasSubstr("keys of its own"));
}

// Device 0 runs instance 1 before 2, device 1 the other way round.
TEST_F(CollectiveTest, CollectivesInAnotherOrder) {
  const Tensor value = Tensor::Vector<float>({1});
  NodeBuilder a1 = Reducing(0, value, "Add", "Id", 2, 1);
  auto first = a1.Build();
  ASSERT_TRUE(first.ok());
  NodeBuilder a2 = Reducing(0, value, "Add", "Id", 2, 2);
  const std::string last_of_0 = Built(a2.ControlInput((*first)->id()));
  NodeBuilder b2 = Reducing(1, value, "Add", "Id", 2, 2);
  auto second = b2.Build();
  ASSERT_TRUE(second.ok());
  NodeBuilder b1 = Reducing(1, value, "Add", "Id", 2, 1);
  const std::string last_of_1 = Built(b1.ControlInput((*second)->id()));
  ExpectRefused({last_of_0, last_of_1}, Code::kFailedPrecondition,
                AllOf(HasSubstr("collectives wait for each other"), HasSubstr(last_of_0),
                      HasSubstr(last_of_1), HasSubstr("same order")));
}

// What the check before the step cannot know: keys that are computed.
TEST_F(CollectiveTest, AMemberWaitsUntilItsTimeoutOrItsStepIsOver) {
  auto size = NodeBuilder(graph_.get(), "Placeholder").Attr("dtype", DType::kInt32).BuildOutput();
  ASSERT_TRUE(size.ok());
  const OutputRef key = Const(Tensor::Scalar<int32_t>(1)),
                  input = Const(Tensor::Vector<float>({1}));
  std::vector<std::string> lonely;
  for (float timeout : {0.05f, 0.0f}) {
    NodeBuilder reduce = On(0, "CollectiveReduceV2");
    reduce.Input(input).Input(*size).Input(key).Input(key).Input(std::vector<OutputRef>());
    reduce.Attr("merge_op", "Add").Attr("final_op", "Id").Attr("timeout_seconds", timeout);
    lonely.push_back(Built(reduce));
  }
  auto session = Session::Create(options_, graph_);
  ASSERT_TRUE(session.ok());
  const NamedTensors feeds = {{graph_->node(size->node).name(), Tensor::Scalar<int32_t>(2)}};
  Status s = (*session)->Run(RunOptions(), feeds, {lonely[0]}, {}, &out_, nullptr);
  EXPECT_EQ(s.code(), Code::kDeadlineExceeded) << s;
  EXPECT_THAT(std::string(s.message()),
              HasSubstr("Collective has timed out waiting for other workers."));
  RunOptions options;
  options.timeout_ms = 100;
  s = (*session)->Run(options, feeds, {lonely[1]}, {}, &out_, nullptr);
  EXPECT_EQ(s.code(), Code::kDeadlineExceeded) << s;
  const NamedTensors alone = {{feeds[0].first, Tensor::Scalar<int32_t>(1)}};
  EXPECT_TRUE((*session)->Run(RunOptions(), alone, {lonely[1]}, {}, &out_, nullptr).ok());
}

TEST_F(CollectiveTest, NcclAllReduceMeetsByName) {
  std::vector<std::string> members;
  for (int i = 0; i < 2; ++i) {
    const OutputRef input = Const(Tensor::Vector<float>({2.0f + i, 3}));
    NodeBuilder reduce = On(i, "NcclAllReduce");
    reduce.Input(input).Attr("reduction", "prod").Attr("num_devices", int64_t{2});
    members.push_back(Built(reduce.Attr("shared_name", "c0")));
  }
  ASSERT_TRUE(Run(members).ok());
  EXPECT_THAT(Values<float>(0), ElementsAre(6, 9));
  EXPECT_THAT(Values<float>(1), ElementsAre(6, 9));
  session_ = nullptr;
  ExpectRefused({members[0]}, Code::kFailedPrecondition, HasSubstr("shared_name 'c0'"));
}

TEST(NcclReduceTest, SumOfInputs) {
  OpTest("NcclReduce")
      .Attr("reduction", "sum")
      .InputList({Tensor::Vector<float>({1, 2}), Tensor::Vector<float>({3, 5})})
      .Expect<float>({2}, {4, 7});
}

}  // namespace
}  // namespace warpbeam
