// step_prediction SPEC.json: how long simulated steps of a graph take beside real ones, on one and
// on two CPU devices of one core each, and how much memory; metric lines as `warpbeam bench`
// prints.
//
//   one, two        the placer's rules on one and two devices: predicted and real time (us) and
//                   peak (MiB), and errors in per cent of what was real
//   analytic.error  the same of the time on one device, from a calibrated machine's rates alone
//   random          of placements at random on two devices: errors, and Kendall's tau between the
//                   predicted and the real times
//   searched        the placement that a search finds for two devices, with nothing pinned: its
//                   expected of the graph's own nodes, predicted of what passes make of them, real,
//                   and how many times as fast it is as one device
//   delayed         how long a thread waited for a core, in per cent of the time: where others keep
//                   the machine busy, times of two devices mean little
//
// Costs of ops are measured on one device, as `warpbeam profile --save_costs` does, rates as
// `warpbeam calibrate` does. The time of a step on one device is its CPU time, as long as one
// thread computes; that on two is the wall's. Steps of all placements run in turn, and medians
// count; the real peak is the most that the allocator had handed out, beyond what it had before.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <utility>

#include "graph/io/graph_file.h"
#include "graph/types/block_sizes.h"
#include "placement/cost/op_costs.h"
#include "placement/search/movable_groups.h"
#include "placement/search/searched_step.h"
#include "placement/simulate/simulator.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/session/step_compiler.h"
#include "tools/benchmarks/measure.h"
#include "tools/cli/simulation/calibration.h"
#include "tools/cli/simulation/measured_costs.h"
#include "tools/cli/simulation/planned_step.h"
#include "tools/cli/step/graph_spec.h"

namespace warpbeam {
namespace benchmarks {
namespace {

using cli::GraphSpec;
using cli::PlannedStep;

constexpr int kWarmUp = 3;
constexpr int kSteps = 9;  // traced, for costs
// How often the steps of all placements are timed in turn, long ones and those of less than 50 ms.
constexpr int kRounds = 5, kShortRounds = 15;
constexpr int kPlacements = 30;
constexpr double kMiB = 1 << 20;

double CpuSeconds() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// Of all threads of the process: how long they were ready and had no core.
double DelaySeconds() {
  std::ifstream file("/proc/self/schedstat");
  double ran = 0, waited = 0;
  file >> ran >> waited;
  return waited * 1e-9;
}

SessionOptions OneCoreEach(int devices) {
  SessionOptions options;
  options.cpu_devices = devices;
  options.gpus = 0;
  options.inter_op_threads = options.intra_op_threads = devices;
  options.lend_idle_threads = false;  // a device is as fast as its own core
  options.allow = CapabilitySet({Capability::kReadFile});
  return options;
}

// What is told of one placement.
struct Predicted {
  double step_s = 0;
  double peak_bytes = 0;
};

// A session of the graph, and steps of it.
class RealSteps {
 public:
  RealSteps(const GraphSpec& spec, int devices) : RealSteps(spec, OneCoreEach(devices)) {}
  RealSteps(const GraphSpec& spec, SessionOptions options)
      : spec_(spec), options_(std::move(options)) {}

  Status Open(const Graph& graph) {
    before_ = PoolAllocator::Process().stats().bytes_in_use;
    WB_ASSIGN_OR_RETURN(session_, Session::Create(options_, graph.Clone()));
    for (const std::string& target : spec_.init) {
      WB_RETURN_IF_ERROR(session_->Run(RunOptions(), {}, {}, {target}, nullptr));
    }
    for (int i = 0; i < kWarmUp; ++i) WB_RETURN_IF_ERROR(Run());
    return OkStatus();
  }
  Status Run(RunMetadata* metadata = nullptr) {
    RunOptions run;
    if (metadata != nullptr) run.trace = TraceLevel::kFull;
    return session_->Run(run, spec_.feeds, spec_.fetches, spec_.targets, &fetched_, metadata);
  }
  // Short steps are timed several at once.
  Status TimeOnce() {
    const int times = fastest_ < 2e-3 ? 10 : 1;
    const double cpu = CpuSeconds(), wall = WallSeconds();
    for (int i = 0; i < times; ++i) WB_RETURN_IF_ERROR(Run());
    wall_.push_back((WallSeconds() - wall) / times);
    cpu_.push_back((CpuSeconds() - cpu) / times);
    fastest_ = std::min(fastest_, cpu_.back());
    return OkStatus();
  }
  StatusOr<double> PeakBytes() {
    fetched_.clear();
    PoolAllocator::Process().ResetPeak();
    WB_RETURN_IF_ERROR(Run());
    return static_cast<double>(PoolAllocator::Process().peak_bytes() - before_);
  }
  double wall() const { return Quantile(wall_, 0.5); }
  double cpu() const { return Quantile(cpu_, 0.5); }

 private:
  const GraphSpec& spec_;
  const SessionOptions options_;
  int64_t before_ = 0;
  double fastest_ = 1e9;
  std::unique_ptr<Session> session_;
  std::vector<Tensor> fetched_;
  std::vector<double> wall_, cpu_;
};

class Comparison {
 public:
  explicit Comparison(GraphSpec spec) : spec_(std::move(spec)) {}

  Status Run() {
    WB_RETURN_IF_ERROR(ImportGraphFile(spec_.graph_path, ImportOptions(), &graph_));
    WB_RETURN_IF_ERROR(Calibrate());
    const double begin = WallSeconds(), delay = DelaySeconds();
    WB_RETURN_IF_ERROR(CompareRules(1, "one"));
    WB_RETURN_IF_ERROR(CompareRules(2, "two"));
    // Of nodes that are on two devices no passes make one.
    WB_RETURN_IF_ERROR(MeasureWithoutPasses());
    WB_RETURN_IF_ERROR(CompareRandom());
    WB_RETURN_IF_ERROR(CompareSearched());
    PrintMetric("delayed", 100 * (DelaySeconds() - delay) / (WallSeconds() - begin), "%");
    return OkStatus();
  }

 private:
  Status Calibrate() {
    std::ostringstream unread;
    cli::Console console{unread, unread, /*is_terminal=*/false};
    cli::CalibrationOptions options;
    options.session = OneCoreEach(2);
    WB_ASSIGN_OR_RETURN(measured_devices_, cli::Calibrate(options, console));
    return OkStatus();
  }

  StatusOr<Machine> MachineWith(int devices) const {
    std::vector<MachineDevice> all;
    for (int d = 0; d < devices; ++d) {
      all.push_back(measured_devices_[0]);
      all.back().name.id = d;
    }
    return Machine::Create(std::move(all), {});
  }

  StatusOr<StepPart> PartOf(const Graph& graph) const {
    std::vector<OutputRef> feeds;
    for (const auto& [name, value] : spec_.feeds) {
      WB_ASSIGN_OR_RETURN(const OutputRef feed, ParseOutput(graph, name, "feed"));
      feeds.push_back(feed);
    }
    return StepPart::Named(graph, std::move(feeds), spec_.fetches, spec_.targets);
  }

  // As `warpbeam simulate` does.
  StatusOr<Predicted> Predict(const Graph& graph, int devices, const OpCosts* costs) const {
    WB_ASSIGN_OR_RETURN(const Machine machine, MachineWith(devices));
    const std::shared_ptr<Graph> copy = graph.Clone();
    Placer placer(&KernelRegistry::Global(), machine.names(), PlacerOptions());
    WB_RETURN_IF_ERROR(placer.Place(*copy));
    WB_ASSIGN_OR_RETURN(const StepPart part, PartOf(*copy));
    WB_ASSIGN_OR_RETURN(const auto planned,
                        PlannedStep::Make(copy, placer.sites(), part, machine, "default"));
    StepGraphOptions options;
    options.costs = costs;
    options.before_passes = &planned->before();
    options.host_block = &BlockSizes::Rounded;
    for (const auto& [name, value] : spec_.feeds) {
      if (value.shape().rank() > 0) options.unknown_extent = value.shape().dim(0);
    }
    WB_ASSIGN_OR_RETURN(const StepGraph step,
                        StepGraph::Make(planned->graph(), planned->bounds(),
                                        KernelRegistry::Global(), machine, options));
    Simulator simulator(&step, &machine);
    Predicted predicted;
    predicted.step_s = simulator.Run(step.Devices(planned->graph().sites()));
    predicted.peak_bytes = simulator.memories()[0].peak_bytes;
    return predicted;
  }

  static double ErrorOf(double predicted, double real) { return 100 * (predicted / real - 1); }

  Status AddCosts(const SessionOptions& options, const std::vector<StepStats>& traces) {
    cli::StepNames names{{}, spec_.fetches, spec_.targets};
    int64_t extent = kDefaultUnknownExtent;
    for (const auto& [feed, value] : spec_.feeds) {
      names.feeds.push_back(feed);
      if (value.shape().rank() > 0) extent = value.shape().dim(0);
    }
    return cli::AddMeasured(graph_, options, names, extent, traces, &costs_);
  }

  // Of the graph's own nodes, which a search moves, beside those that passes have made of them.
  Status MeasureWithoutPasses() {
    SessionOptions options = OneCoreEach(1);
    options.passes = "none";
    RealSteps real(spec_, options);
    WB_RETURN_IF_ERROR(real.Open(graph_));
    std::vector<StepStats> traces;
    for (int i = 0; i < kSteps; ++i) {
      RunMetadata metadata;
      WB_RETURN_IF_ERROR(real.Run(&metadata));
      traces.push_back(std::move(metadata.step_stats));
    }
    return AddCosts(options, traces);
  }

  Status CompareRules(int devices, const std::string& name) {
    RealSteps real(spec_, devices);
    WB_RETURN_IF_ERROR(real.Open(graph_));
    WB_ASSIGN_OR_RETURN(const double peak, real.PeakBytes());
    std::vector<StepStats> traces;
    for (int i = 0; i < kSteps; ++i) {
      WB_RETURN_IF_ERROR(real.TimeOnce());
      if (devices > 1) continue;
      RunMetadata metadata;
      WB_RETURN_IF_ERROR(real.Run(&metadata));
      traces.push_back(std::move(metadata.step_stats));
    }
    if (devices == 1) WB_RETURN_IF_ERROR(AddCosts(OneCoreEach(1), traces));
    WB_ASSIGN_OR_RETURN(const Predicted predicted, Predict(graph_, devices, &costs_));
    const double real_s = devices == 1 ? real.cpu() : real.wall();
    PrintMetric(name + ".predicted", predicted.step_s * 1e6, "us");
    PrintMetric(name + ".real", real_s * 1e6, "us");
    PrintMetric(name + ".error", ErrorOf(predicted.step_s, real_s), "%");
    if (devices == 1) {
      WB_ASSIGN_OR_RETURN(const Predicted analytic, Predict(graph_, devices, nullptr));
      PrintMetric("analytic.error", ErrorOf(analytic.step_s, real_s), "%");
    }
    PrintMetric(name + ".peak.predicted", predicted.peak_bytes / kMiB, "MiB");
    PrintMetric(name + ".peak.real", peak / kMiB, "MiB");
    PrintMetric(name + ".peak.error", ErrorOf(predicted.peak_bytes, peak), "%");
    return OkStatus();
  }

  // The graph without what it asks for.
  std::unique_ptr<Graph> Freed() const {
    std::unique_ptr<Graph> freed = graph_.Clone();
    for (NodeId id = 0; id < freed->num_nodes(); ++id) freed->SetDevice(id, "");
    return freed;
  }

  // Graphs in which every group of the step is pinned to one of two devices. Each has its own share
  // for the second one, so that they differ in more than chance.
  StatusOr<std::vector<std::unique_ptr<Graph>>> RandomPlacements() const {
    WB_ASSIGN_OR_RETURN(const Machine machine, MachineWith(2));
    const std::unique_ptr<Graph> freed = Freed();
    Placer placer(&KernelRegistry::Global(), machine.names(), PlacerOptions());
    WB_RETURN_IF_ERROR(placer.Place(*freed));
    WB_ASSIGN_OR_RETURN(const StepPart part, PartOf(*freed));
    WB_ASSIGN_OR_RETURN(const StepGraph step,
                        StepGraph::Make(*freed, part.bounds(), KernelRegistry::Global(), machine,
                                        StepGraphOptions()));
    WB_ASSIGN_OR_RETURN(const MovableGroups groups,
                        MovableGroups::Find(*freed, part.bounds(), step, KernelRegistry::Global(),
                                            machine.names(), PlacerOptions(), placer.sites()));
    std::mt19937_64 random(1);
    const auto chance = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    std::vector<std::unique_ptr<Graph>> placed;
    for (int i = 0; i < kPlacements; ++i) {
      const double share = chance();
      std::vector<int> device;
      for (int g = 0; g < groups.size(); ++g) device.push_back(chance() < share ? 1 : 0);
      placed.push_back(freed->Clone());
      for (NodeId id = 0; id < freed->num_nodes(); ++id) {
        const int group = groups.group_of[id];
        const std::vector<int>& allowed = groups.allowed[group];
        const int wanted = device[group] < static_cast<int>(allowed.size()) ? device[group] : 0;
        placed.back()->SetDevice(id, machine.device(allowed[wanted]).name.ToString());
      }
    }
    return placed;
  }

  Status CompareRandom() {
    WB_ASSIGN_OR_RETURN(const auto placed, RandomPlacements());
    std::vector<double> predicted, errors, real;
    std::vector<std::unique_ptr<RealSteps>> sessions;
    for (const std::unique_ptr<Graph>& graph : placed) {
      WB_ASSIGN_OR_RETURN(const Predicted told, Predict(*graph, 2, &costs_));
      predicted.push_back(told.step_s);
      sessions.push_back(std::make_unique<RealSteps>(spec_, 2));
      WB_RETURN_IF_ERROR(sessions.back()->Open(*graph));
    }
    const int rounds = Quantile(predicted, 0.5) < 0.05 ? kShortRounds : kRounds;
    for (int round = 0; round < rounds; ++round) {
      for (const auto& session : sessions) WB_RETURN_IF_ERROR(session->TimeOnce());
    }
    for (size_t i = 0; i < sessions.size(); ++i) {
      real.push_back(sessions[i]->wall());
      errors.push_back(std::abs(ErrorOf(predicted[i], real[i])));
    }
    PrintMetric("random.median_error", Quantile(errors, 0.5), "%");
    PrintMetric("random.worst_error", Quantile(errors, 1), "%");
    PrintMetric("random.tau", KendallsTau(predicted, real), "");
    return OkStatus();
  }

  Status CompareSearched() {
    WB_ASSIGN_OR_RETURN(const Machine machine, MachineWith(2));
    const std::unique_ptr<Graph> placed = Freed();
    Placer placer(&KernelRegistry::Global(), machine.names(), PlacerOptions());
    WB_RETURN_IF_ERROR(placer.Place(*placed));
    WB_ASSIGN_OR_RETURN(const StepPart part, PartOf(*placed));
    StepSearch search{KernelRegistry::Global(), machine, {}, {}, {}};
    search.step.costs = &costs_;
    WB_ASSIGN_OR_RETURN(const SearchedStep searched,
                        SearchedStep::Of(search, *placed, part.bounds(), placer.sites(), 0));
    const std::vector<Site> sites = searched.found.Sites(searched.groups);
    for (NodeId id = 0; id < placed->num_nodes(); ++id) {
      placed->SetDevice(id, machine.device(sites[id]).name.ToString());
    }
    RealSteps one(spec_, 1), two(spec_, 2);
    WB_RETURN_IF_ERROR(one.Open(*Freed()));
    WB_RETURN_IF_ERROR(two.Open(*placed));
    for (int i = 0; i < kSteps; ++i) {
      WB_RETURN_IF_ERROR(one.TimeOnce());
      WB_RETURN_IF_ERROR(two.TimeOnce());
    }
    WB_ASSIGN_OR_RETURN(const Predicted predicted, Predict(*placed, 2, &costs_));
    PrintMetric("searched.expected", searched.found.step_s * 1e6, "us");
    PrintMetric("searched.predicted", predicted.step_s * 1e6, "us");
    PrintMetric("searched.real", two.wall() * 1e6, "us");
    PrintMetric("searched.error", ErrorOf(predicted.step_s, two.wall()), "%");
    PrintMetric("searched.times_as_fast", one.wall() / two.wall(), "x");
    return OkStatus();
  }

  static double KendallsTau(const std::vector<double>& a, const std::vector<double>& b) {
    int agree = 0, pairs = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const double product = (a[i] - a[j]) * (b[i] - b[j]);
        agree += product > 0 ? 1 : product < 0 ? -1 : 0;
        ++pairs;
      }
    }
    return static_cast<double>(agree) / pairs;
  }

  const GraphSpec spec_;
  Graph graph_;
  std::vector<MachineDevice> measured_devices_;
  OpCosts costs_;
};

Status Main(int argc, char** argv) {
  if (argc != 2) return InvalidArgument("usage: step_prediction SPEC.json");
  WB_ASSIGN_OR_RETURN(GraphSpec spec, cli::ReadSpec(argv[1]));
  return Comparison(std::move(spec)).Run();
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) {
  const warpbeam::Status status = warpbeam::benchmarks::Main(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "step_prediction: %s\n", std::string(status.message()).c_str());
  return 1;
}
