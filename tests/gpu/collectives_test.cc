// Collectives between GPUs: the machine's, and where there are not enough simulated ones. What the
// members get is what members on CPUs get; inputs are made by kernels of their GPUs just before,
// and outputs are read by such. Numbers are chosen so that sums are exact in any order.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/build/node_builder.h"
#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

constexpr int kDevices = 3;
constexpr int64_t kRows = kDevices, kColumns = 1000;

bool HasGpus(int count) {
  const GpuPlatform* const gpus = RegisteredGpuPlatform();
  return gpus != nullptr && gpus->count().value_or(0) >= count;
}

enum class Gpus { kNone, kOnStream, kEnqueue, kKernels };

SessionOptions OptionsFor(Gpus gpus) {
  SessionOptions options;
  options.cpu_devices = kDevices;
  options.gpus = 0;
  if (gpus == Gpus::kNone) return options;
  if (gpus == Gpus::kKernels && HasGpus(kDevices)) {
    options.gpus = kDevices;
    return options;
  }
  options.simulated_gpus = kDevices;
  options.simulated_gpu_memory = 64 << 20;
  options.simulated_gpus_enqueue = gpus != Gpus::kOnStream;
  options.simulated_gpu_kernels = gpus == Gpus::kKernels;
  return options;
}

struct Collective {
  std::string op;
  std::string merge, final_op;  // of reductions
  // Of members with communicators: how far their ranks are from their devices' numbers, and their
  // subgroups.
  int32_t rotation = 0;
  std::vector<int32_t> subgroups = {};
  bool has_communicator() const { return absl::EndsWith(op, "V3"); }
};

class Members {
 public:
  Members(const Collective& collective, DType dtype, std::string device)
      : collective_(collective), dtype_(dtype), device_(std::move(device)) {}

  // Of every group one member on each device. Fetches the members' results, negated.
  Status Build(int groups) {
    for (int g = 0; g < groups; ++g) {
      for (int d = 0; d < kDevices; ++d) WB_RETURN_IF_ERROR(Add(g, d));
    }
    return OkStatus();
  }
  // A member of group 0 that stands on another device.
  Status AddAt(int member, std::string device) {
    std::swap(device, device_);
    const Status added = Add(0, member, /*numbers_devices=*/false);
    std::swap(device, device_);
    return added;
  }
  StatusOr<std::vector<Tensor>> Run(Session& session, int times = 3) const {
    std::vector<Tensor> out;
    for (int i = 0; i < times; ++i) {
      RunOptions options;
      options.timeout_ms = 60000;
      WB_RETURN_IF_ERROR(session.Run(options, {}, fetches_, {}, &out, nullptr));
    }
    return out;
  }
  const std::shared_ptr<Graph>& graph() const { return graph_; }
  const std::vector<std::string>& fetches() const { return fetches_; }

 private:
  std::string At(int d, bool numbers_devices) const {
    return numbers_devices ? absl::StrCat(device_, d) : device_;
  }
  // Of the member: rows of 1, 2, 3, -1, …, other ones for each.
  Tensor ValueOf(int group, int member) const {
    constexpr float kNumbers[] = {1, 2, 3, -1, -2};
    std::vector<float> values(kRows * kColumns);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = kNumbers[(i * 7 + static_cast<size_t>(3 * group + member)) % 5];
    }
    return Tensor::FromValues<float>(Shape({kRows, kColumns}), values);
  }
  StatusOr<OutputRef> Const(Tensor value) {
    WB_ASSIGN_OR_RETURN(Node * made, AddConstant(graph_.get(), "const", std::move(value), ""));
    return OutputRef{made->id(), 0};
  }
  StatusOr<OutputRef> InputOf(int group, int member, const std::string& at) {
    WB_ASSIGN_OR_RETURN(OutputRef value, Const(ValueOf(group, member)));
    WB_ASSIGN_OR_RETURN(value, NodeBuilder(graph_.get(), "Cast")
                                   .Device(at)
                                   .Input(value)
                                   .Attr("DstT", dtype_)
                                   .BuildOutput());
    if (dtype_ == DType::kBool) return value;
    for (int i = 0; i < 2; ++i) {
      WB_ASSIGN_OR_RETURN(value,
                          NodeBuilder(graph_.get(), "Neg").Device(at).Input(value).BuildOutput());
    }
    return value;
  }
  Status AddWithCommunicator(int group, int member, const std::string& at) {
    WB_ASSIGN_OR_RETURN(const OutputRef input, InputOf(group, member, at));
    NodeBuilder initialize(graph_.get(), "CollectiveInitializeCommunicator");
    // Not in the order of the devices, which counts.
    initialize.Name(absl::StrCat("communicator_", group, "_", kDevices - member)).Device(at);
    for (const int32_t value : {10 + group, (member + collective_.rotation) % kDevices, kDevices}) {
      WB_ASSIGN_OR_RETURN(const OutputRef key, Const(Tensor::Scalar<int32_t>(value)));
      initialize.Input(key);
    }
    WB_ASSIGN_OR_RETURN(const OutputRef communicator, initialize.BuildOutput());
    const std::vector<int32_t>& ranks = collective_.subgroups;
    const Shape shape = ranks.empty() ? Shape({0, 0}) : Shape({kDevices, 1});
    WB_ASSIGN_OR_RETURN(const OutputRef groups, Const(Tensor::FromValues<int32_t>(shape, ranks)));
    NodeBuilder builder(graph_.get(), collective_.op);
    builder.Name(absl::StrCat("member_", group, "_", member)).Device(at);
    builder.Input(input).Input(communicator).Input(groups);
    if (!collective_.merge.empty()) builder.Attr("reduction", collective_.merge);
    WB_ASSIGN_OR_RETURN(const OutputRef result, builder.BuildOutput());
    return Fetch(result, at);
  }
  // What a kernel of the member's device makes of the result.
  Status Fetch(OutputRef result, const std::string& at) {
    if (dtype_ != DType::kBool) {
      WB_ASSIGN_OR_RETURN(result,
                          NodeBuilder(graph_.get(), "Neg").Device(at).Input(result).BuildOutput());
    }
    fetches_.push_back(graph_->node(result.node).name());
    return OkStatus();
  }
  Status Add(int group, int member, bool numbers_devices = true) {
    const std::string at = At(member, numbers_devices);
    if (collective_.has_communicator()) return AddWithCommunicator(group, member, at);
    const bool receives = absl::StrContains(collective_.op, "Bcast") && member != 1;
    NodeBuilder builder(graph_.get(), receives ? "CollectiveBcastRecvV2" : collective_.op);
    builder.Name(absl::StrCat("member_", group, "_", member)).Device(at);
    if (!receives) {
      WB_ASSIGN_OR_RETURN(const OutputRef input, InputOf(group, member, at));
      builder.Input(input);
    }
    for (const int32_t key : {kDevices, 1, 10 + group}) {
      WB_ASSIGN_OR_RETURN(const OutputRef value, Const(Tensor::Scalar<int32_t>(key)));
      if (collective_.op != "NcclAllReduce") builder.Input(value);
    }
    if (receives) {
      WB_ASSIGN_OR_RETURN(const OutputRef shape, Const(Tensor::Vector<int32_t>({kRows, kColumns})));
      builder.Input(shape).Attr("T", dtype_);
    } else if (collective_.op == "NcclAllReduce") {
      builder.Attr("reduction", collective_.merge).Attr("num_devices", int64_t{kDevices});
      builder.Attr("shared_name", absl::StrCat("c", group));
    } else if (!absl::StrContains(collective_.op, "Bcast")) {
      builder.Input(std::vector<OutputRef>());  // ordering tokens
    }
    if (!collective_.final_op.empty()) {
      builder.Attr("merge_op", collective_.merge).Attr("final_op", collective_.final_op);
    }
    WB_ASSIGN_OR_RETURN(const OutputRef result, builder.BuildOutput());
    return Fetch(result, at);
  }

  const Collective collective_;
  const DType dtype_;
  std::string device_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::string> fetches_;
};

StatusOr<std::vector<Tensor>> RunOn(const Collective& collective, DType dtype, Gpus gpus,
                                    int groups) {
  Members members(collective, dtype, gpus == Gpus::kNone ? "/cpu:" : "/gpu:");
  WB_RETURN_IF_ERROR(members.Build(groups));
  WB_ASSIGN_OR_RETURN(const auto session, Session::Create(OptionsFor(gpus), members.graph()));
  return members.Run(*session);
}

void ExpectSame(const StatusOr<std::vector<Tensor>>& got,
                const StatusOr<std::vector<Tensor>>& want) {
  ASSERT_TRUE(want.ok()) << want.status();
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), want->size());
  for (size_t i = 0; i < want->size(); ++i) {
    EXPECT_EQ(CompareTensors((*got)[i], (*want)[i], Tolerance{0, 0}), OkStatus()) << i;
  }
}

class CollectivesTest : public ::testing::TestWithParam<Gpus> {};

TEST_P(CollectivesTest, GiveWhatTheyGiveOnCpus) {
  std::vector<Collective> collectives = {{"CollectiveGatherV2", "", ""},
                                         {"CollectiveBcastSendV2", "", ""},
                                         {"CollectiveAllToAllV2", "", ""}};
  for (const char* merge : {"Add", "Mul", "Min", "Max"}) {
    collectives.push_back({"CollectiveReduceV2", merge, "Id"});
    collectives.push_back({"CollectiveReduceScatterV2", merge, "Div"});
  }
  collectives.push_back({"CollectiveReduceV2", "Add", "Div"});
  for (const char* merge : {"sum", "prod", "min", "max"}) {
    collectives.push_back({"NcclAllReduce", merge, ""});
  }
  for (const char* merge : {"Add", "Mul", "Min", "Max"}) {
    collectives.push_back({"CollectiveReduceV3", merge, ""});
  }
  // Pieces go by ranks, whatever the order of the devices is; rows of subgroups by host memory.
  for (const int32_t rotation : {0, 1}) {
    collectives.push_back({"CollectiveAllToAllV3", "", "", rotation});
  }
  collectives.push_back({"CollectiveReduceV3", "Add", "", 1, {2, 0, 1}});
  for (const Collective& collective : collectives) {
    for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16,
                              DType::kInt32, DType::kInt64, DType::kBool}) {
      const bool has_bfloat16 = absl::StrContains(collective.op, "Reduce") ||
                                absl::StrContains(collective.op, "AllToAll");
      if (dtype == DType::kBFloat16 && (!has_bfloat16 || collective.op == "NcclAllReduce")) {
        continue;
      }
      if (dtype == DType::kBool && !absl::StrContains(collective.op, "Bcast")) continue;
      SCOPED_TRACE(absl::StrCat(collective.op, collective.merge, " ", DTypeName(dtype)));
      ExpectSame(RunOn(collective, dtype, GetParam(), 1), RunOn(collective, dtype, Gpus::kNone, 1));
    }
  }
}

TEST_P(CollectivesTest, SeveralGroupsAtOnce) {
  const Collective sum = {"CollectiveReduceV2", "Add", "Id"};
  ExpectSame(RunOn(sum, DType::kFloat, GetParam(), 12), RunOn(sum, DType::kFloat, Gpus::kNone, 12));
}

// Two members on one GPU, and one on a CPU.
TEST_P(CollectivesTest, MembersThatShareAGpuAndOnesOnCpus) {
  const Collective sum = {"CollectiveReduceV2", "Add", "Div"};
  const auto want = RunOn(sum, DType::kFloat, Gpus::kNone, 1);
  for (const char* third : {"/cpu:0", "/gpu:1"}) {
    Members members(sum, DType::kFloat, "");
    ASSERT_TRUE(members.AddAt(0, "/gpu:0").ok());
    ASSERT_TRUE(members.AddAt(1, "/gpu:0").ok());
    ASSERT_TRUE(members.AddAt(2, third).ok());
    auto session = Session::Create(OptionsFor(GetParam()), members.graph());
    ASSERT_TRUE(session.ok()) << session.status();
    ExpectSame(members.Run(**session), want);
  }
}

// The trace shows where they ran, and that nothing was copied but what is fetched.
class StayingTest : public CollectivesTest {
 protected:
  void RunAndCheck(const Collective& sum);
};
TEST_P(StayingTest, OfGroups) { RunAndCheck({"CollectiveReduceV2", "Add", "Id"}); }
TEST_P(StayingTest, OfCommunicators) { RunAndCheck({"CollectiveReduceV3", "Add", ""}); }

void StayingTest::RunAndCheck(const Collective& sum) {
  Members members(sum, DType::kFloat, "/gpu:");
  ASSERT_TRUE(members.Build(1).ok());
  auto session = Session::Create(OptionsFor(GetParam()), members.graph());
  ASSERT_TRUE(session.ok()) << session.status();
  RunOptions options;
  options.trace = TraceLevel::kFull;
  RunMetadata metadata;
  std::vector<Tensor> out;
  const Status ran = (*session)->Run(options, {}, members.fetches(), {}, &out, &metadata);
  ASSERT_TRUE(ran.ok()) << ran;
  int on_gpus = 0, large_copies = 0;
  for (const NodeStats& node : metadata.step_stats.nodes) {
    if (node.op == sum.op && absl::StrContains(node.device, "GPU:")) ++on_gpus;
    if (!node.is_copy || node.outputs.empty()) continue;
    if (node.outputs[0].shape.num_elements() == kRows * kColumns) ++large_copies;
  }
  EXPECT_EQ(on_gpus, kDevices);
  EXPECT_LE(large_copies, 2 * kDevices);  // what is given and what is fetched
}

std::string NameOf(const ::testing::TestParamInfo<Gpus>& info) {
  if (info.param == Gpus::kOnStream) return "OnStream";
  return info.param == Gpus::kEnqueue ? "Enqueue" : "Kernels";
}
INSTANTIATE_TEST_SUITE_P(Gpus, CollectivesTest,
                         ::testing::Values(Gpus::kOnStream, Gpus::kEnqueue, Gpus::kKernels),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Gpus, StayingTest,
                         ::testing::Values(Gpus::kOnStream, Gpus::kEnqueue, Gpus::kKernels),
                         NameOf);

}  // namespace
}  // namespace warpbeam
