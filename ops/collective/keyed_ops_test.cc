// The collectives whose keys are inputs and whose members get different results, and the op that
// makes keys. The values are TensorFlow's, which has no CollectiveReduceScatterV2 on CPUs: there
// they are shares of CollectiveReduceV2's.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;
using Attrs = std::vector<std::pair<const char*, std::string>>;

// Runs a member on each of so many devices, in the reverse order of their nodes.
StatusOr<std::vector<Tensor>> RunMembers(const char* op, const std::vector<Tensor>& inputs,
                                         const Attrs& attrs = {}, int32_t group_size = 0) {
  auto graph = std::make_shared<Graph>();
  const auto constant = [&](Tensor value) -> StatusOr<OutputRef> {
    WB_ASSIGN_OR_RETURN(Node * made, AddConstant(graph.get(), "const", std::move(value), ""));
    return OutputRef{made->id(), 0};
  };
  if (group_size == 0) group_size = static_cast<int32_t>(inputs.size());
  WB_ASSIGN_OR_RETURN(const OutputRef size, constant(Tensor::Scalar(group_size)));
  WB_ASSIGN_OR_RETURN(const OutputRef key, constant(Tensor::Scalar<int32_t>(5)));
  std::vector<std::string> fetches(inputs.size());
  for (size_t i = inputs.size(); i-- > 0;) {
    WB_ASSIGN_OR_RETURN(const OutputRef input, constant(inputs[i]));
    NodeBuilder builder(graph.get(), op);
    fetches[i] = absl::StrCat("member", i);
    builder.Name(fetches[i]).Device(absl::StrCat("/cpu:", i));
    builder.Input(input).Input(size).Input(key).Input(key).Input(std::vector<OutputRef>());
    for (const auto& [name, value] : attrs) builder.Attr(name, value);
    WB_RETURN_IF_ERROR(builder.Build().status());
  }
  SessionOptions options;
  options.cpu_devices = static_cast<int>(inputs.size());
  WB_ASSIGN_OR_RETURN(const auto session, Session::Create(options, graph));
  RunOptions run;
  run.timeout_ms = 20000;
  std::vector<Tensor> out;
  WB_RETURN_IF_ERROR(session->Run(run, {}, fetches, {}, &out, nullptr));
  return out;
}

template <typename T>
std::vector<T> ValuesOf(const Tensor& tensor) {
  return {tensor.flat<T>().begin(), tensor.flat<T>().end()};
}

void ExpectRefused(const StatusOr<std::vector<Tensor>>& ran, Code code, const char* why) {
  EXPECT_EQ(ran.status().code(), code) << ran.status();
  EXPECT_THAT(std::string(ran.status().message()), HasSubstr(why));
}

constexpr char kAllToAllOp[] = "CollectiveAllToAllV2";

TEST(AllToAll, RowsGoToTheMembers) {
  auto out =
      RunMembers(kAllToAllOp, {Tensor::Vector<float>({1, 2, 3}), Tensor::Vector<float>({4, 5, 6}),
                               Tensor::Vector<float>({7, 8, 9})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(ValuesOf<float>((*out)[0]), ElementsAre(1, 4, 7));
  EXPECT_THAT(ValuesOf<float>((*out)[1]), ElementsAre(2, 5, 8));
  EXPECT_THAT(ValuesOf<float>((*out)[2]), ElementsAre(3, 6, 9));
  out =
      RunMembers(kAllToAllOp, {Tensor::FromValues<int64_t>(Shape({2, 3}), {1, 2, 3, 4, 5, 6}),
                               Tensor::FromValues<int64_t>(Shape({2, 3}), {7, 8, 9, 10, 11, 12})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[1].shape(), Shape({2, 3}));
  EXPECT_THAT(ValuesOf<int64_t>((*out)[0]), ElementsAre(1, 2, 3, 7, 8, 9));
  EXPECT_THAT(ValuesOf<int64_t>((*out)[1]), ElementsAre(4, 5, 6, 10, 11, 12));
}

TEST(AllToAll, OfOneMemberAndOfNothing) {
  auto out = RunMembers(kAllToAllOp, {Tensor::Vector<float>({5})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(ValuesOf<float>((*out)[0]), ElementsAre(5));
  const Tensor nothing = Tensor::FromValues<float>(Shape({2, 0}), {});
  out = RunMembers(kAllToAllOp, {nothing, nothing});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[1].shape(), Shape({2, 0}));
}

TEST(AllToAll, OfAnotherNumberOfRows) {
  const Tensor four = Tensor::Vector<float>({1, 2, 3, 4}), two = Tensor::Vector<float>({1, 2});
  ExpectRefused(RunMembers(kAllToAllOp, {four, four}), Code::kInvalidArgument,
                "Collective ops is aborted by: input to all-to-all first dimension size (4) must "
                "be the same as the group size (2)");
  ExpectRefused(RunMembers(kAllToAllOp, {two, four}), Code::kInvalidArgument,
                "first dimension size (4) must be the same as the group size (2)");
  ExpectRefused(RunMembers(kAllToAllOp, {Tensor::Scalar(1.0f), Tensor::Scalar(1.0f)}),
                Code::kInvalidArgument, "input to all-to-all is a scalar");
  ExpectRefused(RunMembers(kAllToAllOp, {Tensor::FromValues<float>(Shape({2, 1}), {1, 2}),
                                         Tensor::FromValues<float>(Shape({2, 2}), {1, 2, 3, 4})}),
                Code::kInvalidArgument, "Shape mismatch in the collective instance 5");
}

constexpr char kScatterOp[] = "CollectiveReduceScatterV2";
const Attrs kAdd = {{"merge_op", "Add"}, {"final_op", "Id"}};

TEST(ReduceScatter, EachGetsItsRows) {
  auto out = RunMembers(
      kScatterOp, {Tensor::Vector<float>({1, 2, 3, 4}), Tensor::Vector<float>({5, 6, 7, 8})}, kAdd);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(ValuesOf<float>((*out)[0]), ElementsAre(6, 8));
  EXPECT_THAT(ValuesOf<float>((*out)[1]), ElementsAre(10, 12));
  out = RunMembers(kScatterOp,
                   {Tensor::FromValues<int32_t>(Shape({2, 2}), {1, 2, 3, 4}),
                    Tensor::FromValues<int32_t>(Shape({2, 2}), {6, 7, -8, -9})},
                   {{"merge_op", "Add"}, {"final_op", "Div"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), Shape({1, 2}));
  EXPECT_THAT(ValuesOf<int32_t>((*out)[0]), ElementsAre(3, 4));
  EXPECT_THAT(ValuesOf<int32_t>((*out)[1]), ElementsAre(-2, -2));
}

TEST(ReduceScatter, OfRowsThatCannotBeShared) {
  const Tensor three = Tensor::Vector<float>({1, 2, 3});
  ExpectRefused(RunMembers(kScatterOp, {three, three}, kAdd), Code::kInvalidArgument,
                "input to reduce-scatter of shape [3] has no first dimension that the group size "
                "(2) divides");
  ExpectRefused(RunMembers(kScatterOp, {Tensor::Scalar(1.0f), Tensor::Scalar(1.0f)}, kAdd),
                Code::kInvalidArgument, "rank");
  ExpectRefused(RunMembers(kScatterOp, {three}, kAdd, /*group_size=*/-1), Code::kInvalidArgument,
                "group_size must be positive");
}

void Assigns(const Tensor& groups, int32_t device, int32_t base, int32_t size, int32_t key) {
  OpTest("CollectiveAssignGroupV2")
      .Input(groups)
      .Input(Tensor::Scalar(device))
      .Input(Tensor::Scalar(base))
      .Expect<int32_t>({}, {size})
      .Expect<int32_t>({}, {key});
}
void Refuses(const Tensor& groups, const Tensor& device, int32_t base, const char* why) {
  OpTest("CollectiveAssignGroupV2")
      .Input(groups)
      .Input(device)
      .Input(Tensor::Scalar(base))
      .ExpectError(Code::kInvalidArgument, why);
}

TEST(AssignGroup, KeysAreCountedByRows) {
  const Tensor groups = Tensor::FromValues<int32_t>(Shape({2, 2}), {0, 1, 2, 3});
  Assigns(groups, 0, 5, 2, 5);
  Assigns(groups, 1, 5, 2, 5);
  Assigns(groups, 2, 5, 2, 6);
  Assigns(groups, 3, 5, 2, 6);
  const Tensor twice = Tensor::FromValues<int32_t>(Shape({2, 2}), {1, 1, 0, 0});
  Assigns(twice, 0, 2147483647, 2, -2147483647 - 1);
  const Tensor device = Tensor::Scalar<int32_t>(2);
  Refuses(groups, Tensor::Scalar<int32_t>(4), 5, "device_index 4 is not found");
  Refuses(groups, device, -1, "Using the reserved group_key = 0 is not allowed: group_id = 1");
  Refuses(groups, Tensor::Vector<int32_t>({0}), 1, "device_index must be a scalar");
  Refuses(Tensor::Vector<int32_t>({0, 1}), device, 1, "group_assignment must be a 2-d Tensor");
  Refuses(Tensor::FromValues<int32_t>(Shape({1, 2}), {0, 7}), device, 1,
          "is within [0, number of devices)");
}

}  // namespace
}  // namespace warpbeam
