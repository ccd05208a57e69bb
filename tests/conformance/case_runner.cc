#include "tests/conformance/case_runner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "graph/gradients/gradients.h"
#include "graph/io/graph_export.h"
#include "graph/io/graph_import.h"
#include "graph/io/tensor_io.h"
#include "graph/types/testing/tensor_compare.h"
#include "runtime/dist/cluster/testing/local_cluster.h"
#include "runtime/session/session.h"
#include "runtime/session/task_group.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/library_session.h"
#include "tests/conformance/scatter.h"

namespace warpbeam {
namespace {

constexpr char kGradient[] = "gradient:";
constexpr char kRefused[] = "refused: ";

// The expected strings went through NumPy, which takes zero bytes off the end of byte strings: what
// TensorFlow gave may have had some, and which ones cannot be told any more.
Tensor WithoutTrailingZeros(const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) return tensor;
  StatusOr<Tensor> cut = tensor.Clone();
  if (!cut.ok()) return tensor;
  for (std::string& s : cut->flat<std::string>()) s.resize(s.find_last_not_of('\0') + 1);
  return *std::move(cut);
}

class CaseRun {
 public:
  CaseRun(const conformance::Case& c, const CaseOptions& options) : case_(c), options_(options) {}

  std::vector<std::string> Run() {
    const Status loaded = Load();
    if (!case_.graph_error_code().empty()) {
      CheckRefused(loaded);
    } else if (!loaded.ok()) {
      Differ("load", loaded.ToString());
    } else {
      CheckPlacements();
      for (int i = 0; i < case_.steps_size() && !refused_; ++i) RunStep(i);
    }
    if (session_ != nullptr) {
      if (Status s = session_->Close(); !s.ok()) Differ("close", s.ToString());
    }
    return std::move(differences_);
  }

  // What the fetches of the steps gave, with their places.
  const std::vector<std::pair<std::string, Tensor>>& fetched() const { return fetched_; }

 private:
  void Differ(absl::string_view place, absl::string_view what) {
    differences_.push_back(absl::StrCat(place, ": ", what));
  }

  Status Load() {
    SessionOptions options = SessionOptionsOfCase();
    if (!options_.library.empty() && !case_.has_gradients()) {
      WB_ASSIGN_OR_RETURN(session_, OpenLibrarySession(options_.library, options, case_.graph()));
      return OkStatus();
    }
    auto graph = std::make_shared<Graph>();
    WB_RETURN_IF_ERROR(ImportGraphDef(case_.graph(), ImportOptions(), graph.get()));
    if (case_.has_gradients()) WB_RETURN_IF_ERROR(AddCaseGradients(graph.get()));
    if (!options_.library.empty()) {
      WB_ASSIGN_OR_RETURN(const std::string bytes, ExportGraphDef(*graph));
      WB_ASSIGN_OR_RETURN(session_, OpenLibrarySession(options_.library, options, bytes));
      return OkStatus();
    }
    if (options_.tasks > 1) return OpenOverTasks(options, std::move(graph));
    WB_ASSIGN_OR_RETURN(session_, Session::Create(options, std::move(graph)));
    return OkStatus();
  }

  SessionOptions SessionOptionsOfCase() const {
    SessionOptions options;
    options.cpu_devices = std::max({1, case_.cpu_devices(), options_.cpu_devices});
    options.simulated_gpus = options_.simulated_gpus;
    options.simulated_gpus_enqueue = options_.gpus_enqueue;
    options.simulated_gpu_kernels = options_.gpu_kernels;
    options.allow_soft_placement = case_.allow_soft_placement();
    options.passes = options_.passes;
    options.stress_seed = options_.stress_seed;
    options.intra_op_threads = options_.threads;
    options.deterministic = options_.deterministic;
    return options;
  }

  Status OpenOverTasks(const SessionOptions& options, std::shared_ptr<Graph> graph) {
    ScatterOverTasks(options_.tasks, options_.scatter_seed, graph.get());
    if (options_.by_messages) return OpenOverCluster(options, std::move(graph));
    TaskGroupOptions group;
    for (int task = 0; task < options_.tasks; ++task) group.tasks.emplace_back("localhost", task);
    group.session = options;
    WB_ASSIGN_OR_RETURN(session_, NewTaskGroupSession(group, std::move(graph)));
    return OkStatus();
  }

  Status OpenOverCluster(const SessionOptions& options, std::shared_ptr<Graph> graph) {
    std::vector<std::pair<std::string, int>> tasks;
    for (int task = 0; task < options_.tasks; ++task) tasks.emplace_back("localhost", task);
    WB_ASSIGN_OR_RETURN(cluster_, LocalCluster::Create(tasks, options));
    WB_ASSIGN_OR_RETURN(session_, cluster_->NewSession(std::move(graph)));
    return OkStatus();
  }

  StatusOr<OutputRef> FindOutput(const Graph& graph, const std::string& name) const {
    const size_t colon = name.rfind(':');
    const Node* node = graph.Find(name.substr(0, colon));
    if (node == nullptr) return NotFound("the case names '", name, "', which is not in its graph");
    return OutputRef{node->id(), colon == std::string::npos ? 0 : atoi(&name[colon + 1])};
  }

  Status AddCaseGradients(Graph* graph) {
    std::vector<OutputRef> ys;
    std::vector<OutputRef> xs;
    for (const std::string& y : case_.gradients().ys()) {
      WB_ASSIGN_OR_RETURN(OutputRef ref, FindOutput(*graph, y));
      ys.push_back(ref);
    }
    for (const std::string& x : case_.gradients().xs()) {
      WB_ASSIGN_OR_RETURN(OutputRef ref, FindOutput(*graph, x));
      xs.push_back(ref);
    }
    WB_ASSIGN_OR_RETURN(std::vector<GradientValue> gradients, AddGradients(*graph, ys, xs));
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].is_none()) continue;  // fetching it says that there is none
      WB_ASSIGN_OR_RETURN(OutputRef dense, ToDense(*graph, gradients[i]));
      gradients_[absl::StrCat(kGradient, i)] =
          absl::StrCat(graph->node(dense.node).name(), ":", dense.index);
    }
    return OkStatus();
  }

  std::string FetchName(const std::string& name) const {
    const auto it = gradients_.find(name);
    return it == gradients_.end() ? name : it->second;
  }

  // A graph that must be refused: when it was loaded, or by the first step.
  void CheckRefused(Status status) {
    if (status.ok() && case_.steps_size() > 0) {
      std::vector<Tensor> fetched;
      status = RunOnce(case_.steps(0), &fetched);
    }
    CheckCode("graph", case_.graph_error_code(), status);
  }

  void CheckCode(absl::string_view place, const std::string& want, const Status& got) {
    if (StatusCodeName(got.code()) == want) return;
    Differ(place, absl::StrCat("expected ", want, ", got ", got.ToString()));
  }

  void CheckPlacements() {
    if (case_.placements_size() == 0 || options_.tasks > 1) return;
    const auto report = session_->Placement();
    if (!report.ok()) return Differ("placement", report.status().ToString());
    std::map<std::string, std::string> assigned;
    for (const PlacementEntry& entry : report->nodes) assigned[entry.node] = entry.assigned;
    for (const auto& want : case_.placements()) {
      const auto it = assigned.find(want.node());
      if (it == assigned.end()) {
        Differ("placement", absl::StrCat("node '", want.node(), "' is not placed"));
      } else if (it->second != want.device()) {
        Differ("placement", absl::StrCat("node '", want.node(), "': got ", it->second,
                                         ", expected ", want.device()));
      }
    }
  }

  Status RunOnce(const conformance::Step& step, std::vector<Tensor>* fetched) {
    NamedTensors feeds;
    for (const auto& feed : step.feeds()) {
      WB_ASSIGN_OR_RETURN(Tensor tensor, ParseTensor(feed.tensor()));
      feeds.emplace_back(feed.name(), std::move(tensor));
    }
    std::vector<std::string> fetches;
    for (const auto& expected : step.expected()) fetches.push_back(FetchName(expected.name()));
    const std::vector<std::string> targets(step.targets().begin(), step.targets().end());
    RunOptions options;
    options.timeout_ms = options_.step_timeout_ms;
    return session_->Run(options, feeds, fetches, targets, fetched);
  }

  void RunStep(int index) {
    const conformance::Step& step = case_.steps(index);
    const std::string place = absl::StrCat("step ", index);
    std::vector<Tensor> fetched;
    const Status status = RunOnce(step, &fetched);
    if (options_.deterministic && IsFailedPrecondition(status) &&
        absl::StrContains(status.message(), "deterministic session")) {
      differences_ = {absl::StrCat(kRefused, status.message())};
      refused_ = true;
      return;
    }
    if (!step.error_code().empty()) return CheckCode(place, step.error_code(), status);
    if (!status.ok()) return Differ(place, status.ToString());
    if (static_cast<int>(fetched.size()) != step.expected_size()) {
      return Differ(place, absl::StrCat("got ", fetched.size(), " tensors for ",
                                        step.expected_size(), " fetches"));
    }
    for (int i = 0; i < step.expected_size(); ++i) {
      const conformance::Expectation& expected = step.expected(i);
      const Tensor& got = fetched[static_cast<size_t>(i)];
      if (!expected.has_stats()) {
        fetched_.emplace_back(absl::StrCat(place, ", fetch '", expected.name(), "'"), got);
      }
      const Status same = Compare(got, expected, step);
      if (!same.ok()) {
        Differ(absl::StrCat(place, ", fetch '", expected.name(), "'"),
               absl::string_view(same.message()));
      }
    }
  }

  static Status Compare(const Tensor& got, const conformance::Expectation& expected,
                        const conformance::Step& step) {
    WB_ASSIGN_OR_RETURN(Tensor want, ParseTensor(expected.tensor()));
    if (!expected.has_stats()) {
      return CompareTensors(WithoutTrailingZeros(got), WithoutTrailingZeros(want),
                            Tolerance{step.rtol(), step.atol()});
    }
    WB_RETURN_IF_ERROR(CompareForm(got, want));
    const conformance::Stats& stats = expected.stats();
    return CompareStatistics(got, {stats.mean(), stats.mean_tolerance(), stats.stddev(),
                                   stats.stddev_tolerance(), stats.min(), stats.max()});
  }

  const conformance::Case& case_;
  const CaseOptions& options_;
  std::unique_ptr<LocalCluster> cluster_;  // of a session by messages
  std::unique_ptr<Session> session_;
  std::map<std::string, std::string> gradients_;  // "gradient:0" to the name in the graph
  std::vector<std::string> differences_;
  bool refused_ = false;
  std::vector<std::pair<std::string, Tensor>> fetched_;
};

// Eight units in the last place.
Tolerance Ulps(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
    case DType::kComplex128:
      return {8 * std::ldexp(1.0, -52), 0};
    case DType::kHalf:
      return {8 * std::ldexp(1.0, -10), 0};
    case DType::kBFloat16:
      return {8 * std::ldexp(1.0, -7), 0};
    default:
      return {8 * std::ldexp(1.0, -23), 0};
  }
}

// How the second run of a case differs from the first; `with` says what was other.
void CompareRuns(const CaseRun& first, const CaseRun& second, const std::string& with, bool bits,
                 std::vector<std::string>* differences) {
  const auto &a = first.fetched(), &b = second.fetched();
  if (a.size() != b.size()) {
    differences->push_back(absl::StrCat(with, b.size(), " tensors were fetched, not ", a.size()));
    return;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    const Tolerance tolerance = bits ? Tolerance{0, 0} : Ulps(a[i].second.dtype());
    const Status same = CompareTensors(b[i].second, a[i].second, tolerance);
    if (same.ok()) continue;
    differences->push_back(absl::StrCat(with, a[i].first, ": ", std::string(same.message())));
  }
}

}  // namespace

std::vector<std::string> RunCase(absl::string_view wire_form, const CaseOptions& options) {
  conformance::Case parsed;
  if (!parsed.ParseFromArray(wire_form.data(), static_cast<int>(wire_form.size()))) {
    return {"the case does not parse"};
  }
  CaseRun run(parsed, options);
  std::vector<std::string> differences = run.Run();
  const auto run_again = [&](const CaseOptions& other, const std::string& with, bool bits) {
    CaseRun again(parsed, other);
    for (const std::string& difference : again.Run()) {
      differences.push_back(absl::StrCat(with, difference));
    }
    CompareRuns(run, again, with, bits, &differences);
  };
  if (options.deterministic && (differences.empty() || !IsRefused(differences[0]))) {
    CaseOptions other = options;
    other.threads = options.threads == 1 ? 3 : 1;
    run_again(other, absl::StrCat("with ", other.threads, " threads, "), /*bits=*/true);
  }
  if (!options.compared_passes.empty()) {
    CaseOptions other = options;
    other.passes = options.compared_passes;
    run_again(other, absl::StrCat("with the passes '", other.passes, "', "), /*bits=*/false);
  }
  return differences;
}

bool IsRefused(absl::string_view difference) { return absl::StartsWith(difference, kRefused); }

}  // namespace warpbeam
