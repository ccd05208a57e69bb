#include "tests/fuzz/case_pipeline.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>

#include "absl/strings/str_format.h"
#include "graph/gradients/gradients.h"
#include "graph/io/graph_import.h"
#include "graph/io/tensor_io.h"
#include "proto/graph.pb.h"
#include "runtime/memory/pool_allocator.h"
#include "tests/conformance/case.pb.h"
#include "tests/fuzz/message_check.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr int64_t kMostNodes = 20'000;
constexpr int64_t kConstantBytes = 16 << 20;
constexpr int64_t kCpuBytes = 64 << 20;
constexpr int64_t kGpuBytes = 64 << 20;
constexpr int kMostSteps = 4;
constexpr int64_t kStepMs = 250;
// Runs that find nothing because hardly anything runs would look like good ones.
constexpr double kLeastShare = 0.2;
constexpr int64_t kEnoughToTell = 100;
// More than any input may take: the driver's watch ends the process before.
constexpr int64_t kCloseMs = 3'600'000;

bool IsLeftOut(const tensorflow::NodeDef& node) {
  static const auto* ops = new std::set<std::string>{
      "Abort", "CacheDataset", "CacheDatasetV2", "MergeV2Checkpoints", "Print", "PrintV2",
      "Save",  "SaveSlices",   "SaveV2",         "WriteFile",
  };
  return ops->count(node.op()) > 0;
}

// Also where no GraphDef is seen: the importer reads the bytes itself and may see more.
bool IsLeftOut(const std::string& wire_form) {
  tensorflow::GraphDef graph;
  if (!graph.ParseFromString(wire_form)) return true;
  for (const auto& node : graph.node()) {
    if (IsLeftOut(node)) return true;
  }
  for (const auto& function : graph.library().function()) {
    for (const auto& node : function.node_def()) {
      if (IsLeftOut(node)) return true;
    }
  }
  return false;
}

StatusOr<OutputRef> FindOutput(const Graph& graph, const std::string& name) {
  const size_t colon = name.rfind(':');
  const Node* const node = graph.Find(name.substr(0, colon));
  const int index = colon == std::string::npos ? 0 : atoi(name.c_str() + colon + 1);
  if (node == nullptr || index < 0 || index >= node->num_outputs()) {
    return NotFound("no output ", name);
  }
  return OutputRef{node->id(), index};
}

Status AddCaseGradients(const conformance::Gradients& asked, Graph* graph,
                        std::map<std::string, std::string>* names) {
  std::vector<OutputRef> ys;
  std::vector<OutputRef> xs;
  for (const std::string& y : asked.ys()) {
    WB_ASSIGN_OR_RETURN(OutputRef ref, FindOutput(*graph, y));
    ys.push_back(ref);
  }
  for (const std::string& x : asked.xs()) {
    WB_ASSIGN_OR_RETURN(OutputRef ref, FindOutput(*graph, x));
    xs.push_back(ref);
  }
  WB_ASSIGN_OR_RETURN(std::vector<GradientValue> gradients, AddGradients(*graph, ys, xs));
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].is_none()) continue;
    WB_ASSIGN_OR_RETURN(OutputRef dense, ToDense(*graph, gradients[i]));
    (*names)[absl::StrCat("gradient:", i)] =
        absl::StrCat(graph->node(dense.node).name(), ":", dense.index);
  }
  return OkStatus();
}

}  // namespace

const char* StageName(Stage stage) {
  switch (stage) {
    case Stage::kParse:
      return "no case";
    case Stage::kLeftOut:
      return "left out (writes files)";
    case Stage::kImport:
      return "import, shapes";
    case Stage::kGradients:
      return "gradients";
    case Stage::kPlace:
      return "place";
    case Stage::kCompile:
      return "partition, passes, compile";
    case Stage::kRun:
      return "run";
  }
  return "?";
}

bool StageCounts::Summarize(std::string* text) const {
  const int64_t all = std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
  if (all == 0) return true;
  absl::StrAppendFormat(text, "where they ended:\n");
  for (int i = 0; i < kNumStages; ++i) {
    const auto count = static_cast<double>(counts_[static_cast<size_t>(i)]);
    absl::StrAppendFormat(text, "  %5.1f %%  %s\n", 100 * count / static_cast<double>(all),
                          StageName(static_cast<Stage>(i)));
  }
  const int64_t ran = counts_[static_cast<size_t>(Stage::kRun)];
  const bool good =
      all < kEnoughToTell || static_cast<double>(ran) >= kLeastShare * static_cast<double>(all);
  if (!good) absl::StrAppendFormat(text, "less than %.0f %% were run\n", 100 * kLeastShare);
  return good;
}

CasePipeline& CasePipeline::Process() {
  // Never destroyed: its devices must outlive what a static destructor may still hold.
  static CasePipeline* const pipeline = new CasePipeline;
  return *pipeline;
}

CasePipeline::CasePipeline() { PoolAllocator::Process().set_limit(kCpuBytes); }

StatusOr<std::unique_ptr<Session>> CasePipeline::Open(const conformance::Case& c, Stage* stage) {
  auto graph = std::make_shared<Graph>();
  ImportOptions importing;
  importing.limits.max_nodes = kMostNodes;
  importing.limits.max_expansion = kConstantBytes;
  *stage = Stage::kImport;
  WB_RETURN_IF_ERROR(ImportGraphDef(c.graph(), importing, graph.get()));
  *stage = Stage::kLeftOut;
  if (IsLeftOut(c.graph())) return FailedPrecondition("writes files");
  gradients_.clear();
  if (c.has_gradients()) {
    *stage = Stage::kGradients;
    WB_RETURN_IF_ERROR(AddCaseGradients(c.gradients(), graph.get(), &gradients_));
  }
  *stage = Stage::kPlace;
  SessionOptions options;
  options.cpu_devices = std::clamp(c.cpu_devices(), 2, 4);
  options.simulated_gpus = 1;
  options.simulated_gpu_memory = kGpuBytes;
  options.inter_op_threads = options.intra_op_threads = options.cpu_devices;
  options.allow_soft_placement = c.allow_soft_placement();
  options.operation_timeout_ms = kStepMs;
  // What is not left out by its name, as writers of summaries.
  options.allow = CapabilitySet({Capability::kReadFile});
  std::shared_ptr<DeviceSet>& devices = devices_[options.cpu_devices];
  if (devices == nullptr) {
    WB_ASSIGN_OR_RETURN(devices, CreateDevices(options));
  }
  options.devices = devices;
  return Session::Create(options, std::move(graph));
}

Status CasePipeline::RunStep(Session& session, const conformance::Step& step, Stage* stage) {
  CallableOptions asked;
  std::vector<Tensor> feeds;
  for (const auto& feed : step.feeds()) {
    WB_ASSIGN_OR_RETURN(Tensor tensor, ParseTensor(feed.tensor(), kConstantBytes));
    asked.feeds.push_back(feed.name());
    feeds.push_back(std::move(tensor));
  }
  for (const auto& expected : step.expected()) {
    const auto gradient = gradients_.find(expected.name());
    asked.fetches.push_back(gradient == gradients_.end() ? expected.name() : gradient->second);
  }
  asked.targets.assign(step.targets().begin(), step.targets().end());
  asked.run.timeout_ms = kStepMs;
  WB_ASSIGN_OR_RETURN(const Session::CallableHandle handle, session.MakeCallable(asked));
  *stage = Stage::kRun;
  std::vector<Tensor> fetched;
  return session.RunCallable(handle, feeds, &fetched);
}

Stage CasePipeline::Run(absl::string_view wire_form) {
  conformance::Case c;
  if (!c.ParseFromArray(wire_form.data(), static_cast<int>(wire_form.size()))) {
    return Stage::kParse;
  }
  Stage stage = Stage::kImport;
  StatusOr<std::unique_ptr<Session>> session = Open(c, &stage);
  CheckMessage(session.status());
  if (!session.ok()) return stage;
  if (stage == Stage::kPlace) stage = Stage::kCompile;
  for (int i = 0; i < std::min(kMostSteps, c.steps_size()); ++i) {
    const Status ran = RunStep(**session, c.steps(i), &stage);
    CheckMessage(ran);
    if (IsDeadlineExceeded(ran)) break;  // the next one would wait as long
  }
  if (const Status closed = (*session)->Close(kCloseMs); !closed.ok()) {
    fprintf(stderr, "the session cannot be closed: %s\n", closed.ToString().c_str());
    abort();
  }
  return stage;
}

}  // namespace fuzz
}  // namespace warpbeam
