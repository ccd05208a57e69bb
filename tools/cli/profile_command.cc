// warpbeam profile: runs traced steps of a graph and shows where their time went.
#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "runtime/compile/cost_profile.h"
#include "runtime/session/session.h"
#include "runtime/session/step_compiler.h"
#include "runtime/trace/chrome_trace.h"
#include "runtime/trace/run_metadata_proto.h"
#include "tools/benchmarks/measure.h"
#include "tools/cli/command.h"
#include "tools/cli/profile/profile.h"
#include "tools/cli/profile/profile_svg.h"
#include "tools/cli/session_flags.h"
#include "tools/cli/simulation/measured_costs.h"
#include "tools/cli/step/timed_step.h"

namespace warpbeam {
namespace cli {
namespace {

// Of fewer steps a median says little.
constexpr int kLeastMeasured = 5;

struct ProfileFlags {
  SessionFlags session;
  StepFlags step;
  int steps = 20;
  int warm_up = 20;
  int rows = 10;
  bool overhead = false;
  std::string svg, timeline, metadata, save_costs;
};

Status WriteText(const std::string& path, const std::string& text) {
  if (path.empty()) return OkStatus();
  std::ofstream file(path, std::ios::trunc | std::ios::binary);
  file << text;
  file.close();
  return file ? OkStatus() : FailedPrecondition("cannot write ", path);
}

class Profiling {
 public:
  Profiling(const ProfileFlags& flags, TimedStep step, Console& console)
      : flags_(flags), step_(std::move(step)), console_(console) {}

  Status Run() {
    WB_RETURN_IF_ERROR(Open());
    return step_.Explain(TraceSteps());
  }

 private:
  Status TraceSteps() {
    console_.Progress("warming up");
    for (int i = 0; i < flags_.warm_up; ++i) WB_RETURN_IF_ERROR(Step(TraceLevel::kNone, nullptr));
    console_.Progress("tracing");
    std::vector<StepStats> steps;
    RunMetadata last;
    for (int i = 0; i < flags_.steps; ++i) {
      last = RunMetadata();
      // CPU times are of use for costs, and cost a little themselves.
      const TraceLevel level =
          flags_.save_costs.empty() ? TraceLevel::kSoftware : TraceLevel::kFull;
      WB_RETURN_IF_ERROR(Step(level, &last, i + 1 == flags_.steps));
      steps.push_back(last.step_stats);
    }
    console_.EndProgress();
    const Profile profile = ProfileOf(steps);
    console_.out << ProfileText(profile, flags_.rows);
    if (!flags_.save_costs.empty()) {
      WB_RETURN_IF_ERROR(SaveCosts(steps));
    }
    // The picture shows a typical step.
    std::sort(steps.begin(), steps.end(), [](const StepStats& a, const StepStats& b) {
      return a.end_ns - a.start_ns < b.end_ns - b.start_ns;
    });
    const StepStats& typical = steps[steps.size() / 2];
    WB_RETURN_IF_ERROR(WriteText(flags_.svg, ProfileSvg(profile, typical)));
    WB_RETURN_IF_ERROR(WriteText(flags_.timeline, ChromeTrace(typical)));
    if (!flags_.metadata.empty()) {
      WB_ASSIGN_OR_RETURN(std::string bytes, SerializeRunMetadata(last.step_stats, last.cost_graph,
                                                                  last.partition_graphs));
      WB_RETURN_IF_ERROR(WriteText(flags_.metadata, bytes));
    }
    return flags_.overhead ? MeasureOverhead() : OkStatus();
  }

  // By node, for grouping them, and by op, for simulating.
  Status SaveCosts(const std::vector<StepStats>& steps) {
    const GraphSpec& spec = step_.spec();
    const Graph& graph = step_.runnable().graph();
    StepNames names{{}, spec.fetches, spec.targets};
    int64_t unknown_extent = kDefaultUnknownExtent;
    for (const auto& [feed, value] : spec.feeds) {
      names.feeds.push_back(feed);
      WB_ASSIGN_OR_RETURN(const OutputRef output, ParseOutput(graph, feed, "feed"));
      const PartialShape& shape = graph.node(output.node).output_shape(output.index);
      for (int i = 0; i < shape.rank() && i < value.shape().rank(); ++i) {
        if (shape.dim(i) < 0) unknown_extent = value.shape().dim(i);
      }
    }
    OpCosts costs;
    WB_RETURN_IF_ERROR(AddMeasured(graph, options_, names, unknown_extent, steps, &costs));
    return WriteText(flags_.save_costs, CostProfile::Of(steps).ToText() + costs.ToText());
  }

  Status Open() {
    WB_ASSIGN_OR_RETURN(SessionOptions options, flags_.session.Options(console_));
    options.cpu_devices = std::max(options.cpu_devices, step_.cpu_devices());
    options_ = options;
    WB_RETURN_IF_ERROR(step_.Open(options, flags_.session.import.Options(), console_));
    return step_.Initialise(console_);
  }

  Status Step(TraceLevel level, RunMetadata* metadata, bool with_graphs = false) {
    RunOptions options;
    options.trace = level;
    options.cost_graph = options.partition_graphs = with_graphs && !flags_.metadata.empty();
    return step_.Run(options, metadata);
  }

  // Steps of each kind in turn, so that whatever else the machine does hits all of them.
  Status MeasureOverhead() {
    constexpr TraceLevel kLevels[] = {TraceLevel::kNone, TraceLevel::kSoftware, TraceLevel::kFull};
    constexpr int kRounds = 400;
    std::vector<double> seconds[3];
    console_.Progress("measuring what tracing costs");
    RunMetadata metadata;
    for (int i = 0; i < kRounds; ++i) {
      for (int level = 0; level < 3; ++level) {
        const double before = benchmarks::WallSeconds();
        WB_RETURN_IF_ERROR(Step(kLevels[level], &metadata));
        seconds[level].push_back(benchmarks::WallSeconds() - before);
      }
    }
    console_.EndProgress();
    // The fast steps are those that nothing else on the machine has disturbed.
    for (const auto& [name, share] : {std::pair{"median", 0.5}, std::pair{"fastest tenth", 0.1}}) {
      const double off = benchmarks::Quantile(seconds[0], share);
      const double software = benchmarks::Quantile(seconds[1], share);
      const double full = benchmarks::Quantile(seconds[2], share);
      console_.out << absl::StreamFormat(
          "\ntracing, %s: %.1f us off, %.1f us software (%+.1f %%), %.1f us full (%+.1f %%)\n",
          name, off * 1e6, software * 1e6, 100 * (software / off - 1), full * 1e6,
          100 * (full / off - 1));
    }
    return OkStatus();
  }

  const ProfileFlags& flags_;
  SessionOptions options_;
  TimedStep step_;
  Console& console_;
};

}  // namespace

StatusOr<Outcome> ProfileGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam profile MODEL [--feed=NAME=VALUE] [--fetch=NAME] [--svg=FILE] [--timeline=FILE]\n"
      "warpbeam profile SPEC.json [--svg=FILE] [--timeline=FILE] [--devices=gpu:N]",
      "Runs steps of a graph and shows where their time goes: the ops that take longest, the "
      "largest\ncopies between devices, and how long each device was busy, busy together with "
      "another one, and\nidle. SPEC.json names the graph and says what a step is; "
      "tools/benchmarks/README.md describes it.");
  ProfileFlags flags;
  args.Int("steps", &flags.steps, "traced steps, whose average is shown");
  args.Int("warm_up", &flags.warm_up, "steps before the first one that counts");
  args.Int("rows", &flags.rows, "how many ops and copies to list");
  args.String("svg", &flags.svg, "a file for a picture of a typical step and the figures");
  args.String("timeline", &flags.timeline, "a file for that step in Chrome's trace format");
  args.String("metadata", &flags.metadata,
              "a file for the last step as a serialized tensorflow.RunMetadata");
  args.String(
      "save_costs", &flags.save_costs,
      "a file for what each node and op costs, for --cost_profile of later runs and --costs "
      "of simulate and place");
  args.Bool("overhead", &flags.overhead, "measure what tracing costs, too");
  flags.step.AddTo(args);
  flags.session.AddTo(args);
  flags.session.import.AddDevicesTo(args);
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(
        InvalidArgument("one model or spec file is needed, got ", args.words().size()));
  }
  if (flags.steps < 1) return WrongCall(InvalidArgument("--steps must be at least 1"));
  if (!flags.save_costs.empty() && flags.steps < kLeastMeasured) {
    return WrongCall(InvalidArgument("--save_costs needs medians of at least ", kLeastMeasured,
                                     " steps, not --steps=", flags.steps));
  }
  WB_ASSIGN_OR_RETURN(TimedStep step, TimedStep::Read(flags.step, args.words()[0]));
  WB_RETURN_IF_ERROR(Profiling(flags, std::move(step), console).Run());
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
