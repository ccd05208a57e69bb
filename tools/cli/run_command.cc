// warpbeam run: runs a graph or a model and prints or saves what it gives.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "runtime/trace/chrome_trace.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_to_place.h"
#include "tools/cli/npy.h"
#include "tools/cli/path_check.h"
#include "tools/cli/session_flags.h"
#include "tools/cli/simulation/auto_placement_flags.h"
#include "tools/cli/step/model_step.h"

namespace warpbeam {
namespace cli {
namespace {

struct RunFlags {
  SessionFlags session;
  StepFlags step;
  AutoPlacementFlags placement;
  std::string saved_model;
  std::string save;
  std::string timeline;
  int steps = 1;
  int timeout_ms = 0;
  int values = 20;
  bool memory = false;
  std::string record_schedule;
  std::string replay_schedule;

  void AddTo(Arguments& args) {
    args.String("saved_model", &saved_model, "a SavedModel's folder, instead of MODEL");
    step.AddTo(args);
    args.Int("steps", &steps, "how many times to run; the last one's fetches count");
    args.String("save", &save, "a folder: fetches go there as .npy files, not to the screen");
    args.Int("values", &values, "how many values of a tensor to print");
    args.Bool("memory", &memory,
              "tell what the last step needed of each memory, and what was "
              "predicted");
    args.String("record_schedule", &record_schedule,
                "a file for the order in which the last step's nodes began on each device");
    args.String("replay_schedule", &replay_schedule, "such a file: the steps keep to its order");
    args.String("timeline", &timeline,
                "a file for the last step's times, in Chrome's trace format");
    args.Int("timeout_ms", &timeout_ms,
             "how long a step may take, those of loading a model too; 0: for ever");
    session.AddTo(args);
    placement.AddTo(args);
    session.import.AddDevicesTo(args);
  }
};

// The file of a fetch, without its ending: "tower/loss:0" is "tower_loss", "split:1" is "split_1".
std::string FileName(absl::string_view fetch) {
  constexpr size_t kLongest = 200;  // a file system takes 255 bytes
  if (absl::EndsWith(fetch, ":0")) fetch.remove_suffix(2);
  return absl::StrReplaceAll(fetch.substr(0, kLongest), {{"/", "_"}, {":", "_"}});
}

// The path of each fetch. Where two would be the same, as of "split:1" and "split_1", the second
// gets a number.
StatusOr<std::vector<std::string>> SavePaths(const std::string& folder,
                                             const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  if (folder.empty()) return paths;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return FailedPrecondition("cannot make the folder ", folder, ": ", error.message());
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const std::string own = FileName(name);
    std::string file = own;
    for (int i = 2; !taken.insert(file).second; ++i) file = absl::StrCat(own, "_", i);
    paths.push_back((std::filesystem::path(folder) / (file + ".npy")).string());
  }
  return paths;
}

// "CPU:0: 12 MiB at most of 8.0 GiB, 13 MiB predicted", a line for each memory.
std::string MemoryText(const std::vector<DeviceMemory>& memory) {
  std::string text;
  for (const DeviceMemory& of : memory) {
    absl::StrAppend(&text, of.device, ": ", BytesText(of.peak_bytes), " at most of ",
                    BytesText(of.limit_bytes));
    if (of.predicted_peak_bytes >= 0) {
      absl::StrAppend(&text, ", ", BytesText(of.predicted_peak_bytes), " predicted");
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

Status RunSteps(const RunFlags& flags, const NamedStep& step, const Runnable& runnable,
                std::vector<Tensor>* fetched, std::string* memory, Console& console) {
  Session& session = runnable.session();
  RunOptions options;
  options.timeout_ms = flags.timeout_ms;
  WB_RETURN_IF_ERROR(runnable.Initialise(flags.step.init, options, console));
  if (!flags.replay_schedule.empty()) {
    WB_ASSIGN_OR_RETURN(Schedule recorded, Schedule::Read(flags.replay_schedule));
    options.replay_schedule = std::make_shared<const Schedule>(std::move(recorded));
  }
  const int steps = step.fetches.empty() && step.targets.empty() ? 0 : flags.steps;
  for (int i = 1; i <= steps; ++i) {
    if (steps > 1) console.Progress(absl::StrCat("step ", i, " of ", steps));
    const bool traced = i == steps && !flags.timeline.empty();
    options.memory = i == steps && flags.memory;
    options.record_schedule = i == steps && !flags.record_schedule.empty();
    options.trace = traced ? TraceLevel::kFull : TraceLevel::kNone;
    RunMetadata metadata;
    WB_RETURN_IF_ERROR(
        session.Run(options, step.feeds, step.fetches, step.targets, fetched, &metadata));
    if (traced)
      WB_RETURN_IF_ERROR(WriteText(ChromeTrace(metadata.step_stats), flags.timeline, console));
    if (options.memory) *memory = MemoryText(metadata.memory);
    if (options.record_schedule) {
      WB_RETURN_IF_ERROR(WriteText(metadata.schedule.ToText(), flags.record_schedule, console));
    }
  }
  console.EndProgress();
  return OkStatus();
}

Status Run(const RunFlags& flags, const std::string& file, Console& console) {
  WB_RETURN_IF_ERROR(flags.step.Check(file));
  if (flags.steps < 1) return WrongCall(InvalidArgument("--steps must be at least 1"));
  WB_RETURN_IF_ERROR(CheckPath(file, Wanted::kGraph));
  WB_ASSIGN_OR_RETURN(SessionOptions session, flags.session.Options(console));
  WB_ASSIGN_OR_RETURN(session.auto_placement,
                      flags.placement.Options(flags.step.fetches, flags.step.targets));
  if (flags.memory && session.memory_forecast == MemoryForecastUse::kNone) {
    session.memory_forecast = MemoryForecastUse::kTell;
  }
  // Also for the steps that restore and initialise a model.
  session.operation_timeout_ms = flags.timeout_ms;
  WB_ASSIGN_OR_RETURN(const Runnable runnable,
                      flags.step.Open(file, session, flags.session.import.Options(), console));
  WB_ASSIGN_OR_RETURN(const NamedStep step, flags.step.StepOf(runnable));
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SavePaths(flags.save, step.names));
  std::vector<Tensor> fetched;
  std::string memory;
  WB_RETURN_IF_ERROR(RunSteps(flags, step, runnable, &fetched, &memory, console));
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (!paths.empty()) {
      WB_RETURN_IF_ERROR(WriteNpy(fetched[i], paths[i]));
      console.out << step.names[i] << " -> " << paths[i] << "\n";
    } else {
      console.out << step.names[i] << " = " << fetched[i].ToString(flags.values) << "\n";
    }
  }
  console.out << memory;
  return runnable.session().Close();
}

}  // namespace

StatusOr<Outcome> RunGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam run MODEL [--feed=NAME=FILE|VALUE] [--fetch=NAME] [--target=NAME] …\n"
      "warpbeam run MODEL [--signature=NAME] [--input=NAME=FILE|VALUE] …",
      "Runs a graph (.pb: a serialized GraphDef, .pbtxt: the same as text, .meta: a MetaGraphDef "
      "beside\nits checkpoint) or a signature of a SavedModel, and prints or saves what it gives.");
  RunFlags flags;
  flags.AddTo(args);
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  std::vector<std::string> files = args.words();
  if (!flags.saved_model.empty()) files.push_back(flags.saved_model);
  if (files.size() != 1) {
    return WrongCall(
        InvalidArgument("one graph file or --saved_model is needed, got ", files.size()));
  }
  WB_RETURN_IF_ERROR(Run(flags, files[0], console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
