// warpbeam bench: times the steps of a graph, as tools/benchmarks/README.md lays down.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "absl/strings/str_format.h"
#include "frontend/model/model.h"
#include "graph/io/graph_file.h"
#include "runtime/session/session.h"
#include "tools/benchmarks/disk.h"
#include "tools/benchmarks/measure.h"
#include "tools/benchmarks/process_stats.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_spec.h"
#include "tools/cli/input_runners.h"
#include "tools/cli/profile/trace_figures.h"

namespace warpbeam {
namespace cli {
namespace {

using benchmarks::Quantile;
using benchmarks::WallSeconds;

struct BenchFlags {
  double budget = 1;
  std::string passes = "default";
  std::string cost_profile;
  int devices = 0;
  int simulated_gpus = 0;
  int inter = 0;
  int intra = 0;
  int max_steps = 1'000'000;
  bool deterministic = false;
  bool clear_devices = false;
};

// Bytes that this process has read from files and the like, as the kernel counts them.
int64_t BytesReadFromFiles() {
  std::ifstream file("/proc/self/io");
  std::string key;
  int64_t bytes = 0;
  return file >> key >> bytes && key == "rchar:" ? bytes : 0;
}

class Bench {
 public:
  Bench(const BenchFlags& flags, GraphSpec spec, Console& console)
      : flags_(flags), spec_(std::move(spec)), console_(console) {}

  ~Bench() {
    if (!spec_.save.empty()) benchmarks::RemoveCheckpoint("model");
  }

  absl::Status Run() {
    WB_RETURN_IF_ERROR(Load());
    WB_RETURN_IF_ERROR(Prepare());
    return runners_.Explain(Measure());
  }

 private:
  absl::Status Measure() {
    if (!spec_.save.empty()) WB_RETURN_IF_ERROR(TimeSaves());
    WB_RETURN_IF_ERROR(FirstStep());
    if (flags_.budget > 0) {
      std::vector<double> seconds;
      for (int i = 0; i < 9; ++i) {
        const double before = WallSeconds();
        WB_RETURN_IF_ERROR(Step());
        seconds.push_back(WallSeconds() - before);
      }
      PrintFirstFetch("step10");
      WB_RETURN_IF_ERROR(TimeSteps(Quantile(seconds, 0.5)));
    }
    Print("rss_peak", benchmarks::ResidentMiB("VmHWM:"), "MiB");
    return flags_.budget > 0 ? TraceSteps() : absl::OkStatus();
  }

  void Print(const std::string& metric, double value, const char* unit) {
    console_.EndProgress();
    console_.out << absl::StreamFormat("%s\t%.10g\t%s\n", metric, value, unit) << std::flush;
  }

  SessionOptions Options() {
    SessionOptions options;
    num_devices_ = flags_.devices > 0 ? flags_.devices : spec_.devices;
    options.cpu_devices = num_devices_;
    options.simulated_gpus = flags_.simulated_gpus;
    options.inter_op_threads = flags_.inter;
    options.intra_op_threads = flags_.intra;
    options.passes = flags_.passes;
    options.cost_profile = flags_.cost_profile;
    options.deterministic = flags_.deterministic;
    return options;
  }

  absl::Status Load() {
    if (!spec_.saved_model.empty()) return LoadModel();
    console_.Progress(absl::StrCat("reading ", spec_.graph_path));
    WB_ASSIGN_OR_RETURN(std::string bytes, ReadFileBytes(spec_.graph_path));
    auto graph = std::make_shared<Graph>();
    double before = WallSeconds();
    ImportOptions import;
    import.clear_devices = flags_.clear_devices;
    WB_RETURN_IF_ERROR(Annotate(ImportGraphDef(bytes, import, graph.get()), spec_.graph_path));
    Print("parse", WallSeconds() - before, "s");
    Print("nodes", graph->num_nodes(), "count");
    bytes = std::string();
    before = WallSeconds();
    WB_ASSIGN_OR_RETURN(graph_session_, Session::Create(Options(), std::move(graph)));
    Print("create", WallSeconds() - before, "s");
    session_ = graph_session_.get();
    return absl::OkStatus();
  }

  absl::Status LoadModel() {
    console_.Progress(absl::StrCat("loading ", spec_.saved_model));
    const double before = WallSeconds();
    WB_ASSIGN_OR_RETURN(model_, frontend::LoadSavedModel(Options(), spec_.saved_model));
    Print("load", WallSeconds() - before, "s");
    session_ = &model_->session();
    return absl::OkStatus();
  }

  absl::Status Prepare() {
    console_.Progress("initialising");
    const double before = WallSeconds();
    for (const std::string& target : spec_.init) {
      WB_RETURN_IF_ERROR(RunTarget(target));
    }
    Print("init", WallSeconds() - before, "s");
    return runners_.Start(session_, spec_.queue_runners);
  }

  absl::Status RunTarget(const std::string& target) {
    return session_->Run(RunOptions(), {}, {}, {target}, nullptr);
  }

  // Writes the checkpoint "model" a few times, until it is on the disk.
  absl::Status TimeSaves() {
    constexpr int kSaves = 5;
    console_.Progress("saving");
    WB_RETURN_IF_ERROR(RunTarget(spec_.save));
    std::vector<double> seconds;
    const double before = benchmarks::CurrentUsage().cpu_seconds;
    for (int i = 0; i < kSaves; ++i) {
      const double start = WallSeconds();
      WB_RETURN_IF_ERROR(RunTarget(spec_.save));
      benchmarks::SyncCheckpoint("model");
      seconds.push_back(WallSeconds() - start);
    }
    Print("save", Quantile(seconds, 0.5), "s");
    Print("save_cpu", (benchmarks::CurrentUsage().cpu_seconds - before) / kSaves, "s");
    return absl::OkStatus();
  }

  absl::Status Step() {
    return session_->Run(RunOptions(), spec_.feeds, spec_.fetches, spec_.targets, &fetched_);
  }

  absl::Status FirstStep() {
    console_.Progress("first step");
    const double before = WallSeconds();
    WB_RETURN_IF_ERROR(Step());
    Print("first_run", WallSeconds() - before, "s");
    Print("start_to_first_step", benchmarks::SecondsSinceStart(), "s");
    Print("rss_first_step", benchmarks::ResidentMiB("VmRSS:"), "MiB");
    PrintFirstFetch("step1");
    return absl::OkStatus();
  }

  void PrintFirstFetch(const char* step) {
    if (fetched_.empty() || fetched_[0].dtype() != DType::kFloat ||
        fetched_[0].num_elements() != 1) {
      return;
    }
    Print(absl::StrCat(step, ".fetch.0"), static_cast<double>(fetched_[0].data<float>()[0]),
          "value");
  }

  absl::Status TimeSteps(double short_step) {
    // Steps shorter than this are timed several at once, so that reading the clock does not count.
    constexpr double kShortStepSeconds = 20e-6;
    const int at_once = short_step < kShortStepSeconds ? 16 : 1;
    console_.Progress(absl::StrFormat("timing for %g s", flags_.budget));
    const double warm_up_end = WallSeconds() + flags_.budget / 5;
    for (int i = 0; i < flags_.max_steps && WallSeconds() < warm_up_end; ++i) {
      WB_RETURN_IF_ERROR(Step());
    }
    std::vector<double> seconds;
    const benchmarks::Usage before = benchmarks::CurrentUsage();
    const double start = WallSeconds();
    for (int i = 0; i < flags_.max_steps && (i < 3 || WallSeconds() < start + flags_.budget);
         i += at_once) {
      const double step_start = WallSeconds();
      for (int j = 0; j < at_once; ++j) WB_RETURN_IF_ERROR(Step());
      seconds.push_back((WallSeconds() - step_start) / at_once);
    }
    const double wall = WallSeconds() - start;
    const benchmarks::Usage after = benchmarks::CurrentUsage();
    const double count = static_cast<double>(seconds.size()) * at_once;
    const double cpu = after.cpu_seconds - before.cpu_seconds;
    Print("step_median", Quantile(seconds, 0.5) * 1e6, "us");
    Print("step_p10", Quantile(seconds, 0.1) * 1e6, "us");
    Print("step_p90", Quantile(seconds, 0.9) * 1e6, "us");
    Print("cpu_step", cpu / count * 1e6, "us");
    Print("cores_busy", cpu / wall, "cores");
    Print("preemptions_step", (after.preemptions - before.preemptions) / count, "count");
    Print("steps", count, "count");
    return absl::OkStatus();
  }

  absl::Status TraceSteps() {
    constexpr int kTraced = 400;
    std::vector<double> input_waits, seconds, untraced;
    TraceFigures figures;
    RunMetadata metadata;
    int64_t read_from_files = 0;
    const double start = WallSeconds();
    for (int i = 0; i < kTraced && (i == 0 || WallSeconds() < start + 1); ++i) {
      // Each of the two follows an untraced step: the first one after a pause wakes threads and
      // fills caches.
      if (i > 0) {
        WB_RETURN_IF_ERROR(Step());
        const double untraced_start = WallSeconds();
        WB_RETURN_IF_ERROR(Step());
        untraced.push_back(WallSeconds() - untraced_start);
      }
      RunOptions options;
      options.trace = TraceLevel::kFull;
      metadata = RunMetadata();
      // Looking costs a read itself, which the first of two looks tells.
      const int64_t before_look = BytesReadFromFiles();
      const int64_t before = BytesReadFromFiles();
      const double step_start = WallSeconds();
      WB_RETURN_IF_ERROR(
          session_->Run(options, spec_.feeds, spec_.fetches, spec_.targets, &fetched_, &metadata));
      seconds.push_back(WallSeconds() - step_start);
      read_from_files = BytesReadFromFiles() - before - (before - before_look);
      figures = FiguresOf(metadata.step_stats);
      input_waits.push_back(figures.input_wait_us);
    }
    Print("traced_step", Quantile(seconds, 0.5) * 1e6, "us");
    if (!untraced.empty()) Print("untraced_step", Quantile(untraced, 0.5) * 1e6, "us");
    Print("nodes_executed", figures.nodes_executed, "count");
    for (const auto& [op, count] : figures.executed) {
      Print(absl::StrCat("executed.", op), count, "count");
    }
    Print("bytes_read",
          static_cast<double>(figures.bytes_read + std::max<int64_t>(0, read_from_files)), "bytes");
    Print("copied_bytes", static_cast<double>(metadata.bytes_copied), "bytes");
    Print("copies",
          static_cast<double>(metadata.host_to_device_copies + metadata.device_to_host_copies +
                              metadata.peer_copies),
          "count");
    if (figures.executed.count("IteratorGetNext") > 0) {
      Print("input_wait", Quantile(input_waits, 0.5), "us");
    }
    if (num_devices_ > 1) Print("device_overlap", figures.device_overlap, "%");
    return absl::OkStatus();
  }

  const BenchFlags& flags_;
  const GraphSpec spec_;
  Console& console_;
  int num_devices_ = 1;
  std::unique_ptr<Session> graph_session_;  // of a graph, or
  std::unique_ptr<frontend::Model> model_;  // what has a session of its own
  Session* session_ = nullptr;
  InputRunners runners_;
  std::vector<Tensor> fetched_;
};

}  // namespace

absl::StatusOr<Outcome> BenchGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam bench SPEC.json [--budget=SECONDS] [--passes=none] [--devices=N]",
      "Times the steps of a graph and prints lines metric<TAB>value<TAB>unit. SPEC.json names "
      "the graph\nand says what a step is; tools/benchmarks/README.md describes both.");
  BenchFlags flags;
  args.Double("budget", &flags.budget, "seconds of timing; 0: only the first step");
  args.String("passes", &flags.passes, "graph passes to run: default, none, or a list");
  args.String("cost_profile", &flags.cost_profile,
              "a file of warpbeam profile --save_costs: what nodes cost, for grouping them");
  args.Int("devices", &flags.devices, "CPU devices; 0: as many as the spec says");
  args.Int("simulated_gpus", &flags.simulated_gpus, "GPUs played by the CPU");
  args.Int("inter", &flags.inter, "threads that run nodes side by side; 0: as many as cores");
  args.Int("intra", &flags.intra, "threads that share one node's work; 0: as many as cores");
  args.Bool("deterministic", &flags.deterministic,
            "the same bits in every run, for any number of threads");
  args.Bool("clear_devices", &flags.clear_devices, "forget the devices that the graph asks for");
  args.Int("steps", &flags.max_steps, "at most so many timed steps");
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(InvalidArgument("one spec file is needed, got ", args.words().size()));
  }
  WB_ASSIGN_OR_RETURN(GraphSpec spec, ReadSpec(args.words()[0]));
  WB_RETURN_IF_ERROR(Bench(flags, std::move(spec), console).Run());
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
