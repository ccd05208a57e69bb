// warpbeam bench: times the steps of a graph, as tools/benchmarks/README.md lays down.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "absl/strings/str_format.h"
#include "runtime/session/session.h"
#include "tools/benchmarks/disk.h"
#include "tools/benchmarks/measure.h"
#include "tools/benchmarks/process_stats.h"
#include "tools/cli/command.h"
#include "tools/cli/device_counts.h"
#include "tools/cli/profile/trace_figures.h"
#include "tools/cli/simulation/auto_placement_flags.h"
#include "tools/cli/step/timed_step.h"

namespace warpbeam {
namespace cli {
namespace {

using benchmarks::Quantile;
using benchmarks::WallSeconds;

struct BenchFlags {
  double budget = 1;
  std::string passes = "default";
  std::string cost_profile;
  StepFlags step;
  std::string devices;
  int simulated_gpus = 0;
  int inter = 0;
  int intra = 0;
  int max_steps = 1'000'000;
  bool deterministic = false;
  bool clear_devices = false;
  AutoPlacementFlags placement;
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
  Bench(const BenchFlags& flags, TimedStep step, Console& console)
      : flags_(flags), step_(std::move(step)), console_(console) {}

  ~Bench() {
    if (!step_.save().empty()) benchmarks::RemoveCheckpoint("model");
  }

  Status Run() {
    WB_RETURN_IF_ERROR(Load());
    WB_RETURN_IF_ERROR(Prepare());
    return step_.Explain(Measure());
  }

 private:
  Status Measure() {
    if (!step_.save().empty()) WB_RETURN_IF_ERROR(TimeSaves());
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
    return flags_.budget > 0 ? TraceSteps() : OkStatus();
  }

  void Print(const std::string& metric, double value, const char* unit) {
    console_.EndProgress();
    console_.out << absl::StreamFormat("%s\t%.10g\t%s\n", metric, value, unit) << std::flush;
  }

  StatusOr<SessionOptions> Options() {
    SessionOptions options;
    options.cpu_devices = step_.cpu_devices();
    WB_ASSIGN_OR_RETURN(const DeviceCounts counts, ParseDeviceCounts(flags_.devices));
    WB_RETURN_IF_ERROR(counts.ApplyTo(&options));
    if (flags_.simulated_gpus > 0) options.simulated_gpus = flags_.simulated_gpus;
    num_devices_ = options.cpu_devices;
    options.inter_op_threads = flags_.inter;
    options.intra_op_threads = flags_.intra;
    options.passes = flags_.passes;
    options.cost_profile = flags_.cost_profile;
    options.deterministic = flags_.deterministic;
    WB_ASSIGN_OR_RETURN(options.auto_placement,
                        flags_.placement.Options(step_.spec().fetches, step_.spec().targets));
    return options;
  }

  Status Load() {
    const double before = WallSeconds();
    ImportOptions import;
    import.clear_devices = flags_.clear_devices;
    WB_ASSIGN_OR_RETURN(const SessionOptions options, Options());
    WB_RETURN_IF_ERROR(step_.Open(options, import, console_));
    const Runnable& opened = step_.runnable();
    if (opened.model != nullptr) {
      Print("load", WallSeconds() - before, "s");
    } else {
      Print("parse", opened.parse_seconds, "s");
      Print("create", opened.create_seconds, "s");
    }
    Print("nodes", opened.graph().num_nodes(), "count");
    return OkStatus();
  }

  Status Prepare() {
    console_.Progress("initialising");
    const double before = WallSeconds();
    WB_RETURN_IF_ERROR(step_.Initialise(console_));
    Print("init", WallSeconds() - before, "s");
    return OkStatus();
  }

  // Writes the checkpoint "model" a few times, until it is on the disk.
  Status TimeSaves() {
    constexpr int kSaves = 5;
    console_.Progress("saving");
    WB_RETURN_IF_ERROR(step_.RunTarget(step_.save()));
    std::vector<double> seconds;
    const double before = benchmarks::CurrentUsage().cpu_seconds;
    for (int i = 0; i < kSaves; ++i) {
      const double start = WallSeconds();
      WB_RETURN_IF_ERROR(step_.RunTarget(step_.save()));
      benchmarks::SyncCheckpoint("model");
      seconds.push_back(WallSeconds() - start);
    }
    Print("save", Quantile(seconds, 0.5), "s");
    Print("save_cpu", (benchmarks::CurrentUsage().cpu_seconds - before) / kSaves, "s");
    return OkStatus();
  }

  Status Step() { return step_.Run(RunOptions(), nullptr); }

  Status FirstStep() {
    console_.Progress("first step");
    const double before = WallSeconds();
    WB_RETURN_IF_ERROR(Step());
    Print("first_run", WallSeconds() - before, "s");
    Print("start_to_first_step", benchmarks::SecondsSinceStart(), "s");
    Print("rss_first_step", benchmarks::ResidentMiB("VmRSS:"), "MiB");
    PrintFirstFetch("step1");
    return OkStatus();
  }

  void PrintFirstFetch(const char* step) {
    const std::vector<Tensor>& fetched = step_.fetched();
    if (fetched.empty() || fetched[0].dtype() != DType::kFloat || fetched[0].num_elements() != 1) {
      return;
    }
    Print(absl::StrCat(step, ".fetch.0"), static_cast<double>(fetched[0].data<float>()[0]),
          "value");
  }

  Status TimeSteps(double short_step) {
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
    return OkStatus();
  }

  Status TraceSteps() {
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
      WB_RETURN_IF_ERROR(step_.Run(options, &metadata));
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
    return OkStatus();
  }

  const BenchFlags& flags_;
  TimedStep step_;
  Console& console_;
  int num_devices_ = 1;
};

}  // namespace

StatusOr<Outcome> BenchGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam bench MODEL [--feed=NAME=VALUE] [--fetch=NAME] [--init=NAME] [--budget=SECONDS]\n"
      "warpbeam bench SPEC.json [--budget=SECONDS] [--passes=none] [--devices=cpu:N]",
      "Times the steps of a graph and prints lines metric<TAB>value<TAB>unit. SPEC.json names "
      "the graph\nand says what a step is; tools/benchmarks/README.md describes both.");
  BenchFlags flags;
  args.Double("budget", &flags.budget, "seconds of timing; 0: only the first step");
  args.String("passes", &flags.passes, "graph passes to run: default, none, or a list");
  args.String("cost_profile", &flags.cost_profile,
              "a file of warpbeam profile --save_costs: what nodes cost, for grouping them");
  args.String("devices", &flags.devices, kDevicesHelp);
  args.Int("simulated_gpus", &flags.simulated_gpus, "GPUs played by the CPU");
  args.Int("inter", &flags.inter, "threads that run nodes side by side; 0: as many as cores");
  args.Int("intra", &flags.intra, "threads that share one node's work; 0: as many as cores");
  args.Bool("deterministic", &flags.deterministic,
            "the same bits in every run, for any number of threads");
  args.Bool("clear_devices", &flags.clear_devices, "forget the devices that the graph asks for");
  args.Int("steps", &flags.max_steps, "at most so many timed steps");
  flags.placement.AddTo(args);
  flags.step.AddTo(args);
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(
        InvalidArgument("one model or spec file is needed, got ", args.words().size()));
  }
  WB_ASSIGN_OR_RETURN(TimedStep step, TimedStep::Read(flags.step, args.words()[0]));
  WB_RETURN_IF_ERROR(Bench(flags, std::move(step), console).Run());
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
