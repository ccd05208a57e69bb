// warpbeam run: runs a graph and prints or saves what it gives.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "graph/io/graph_file.h"
#include "runtime/session/session.h"
#include "runtime/trace/chrome_trace.h"
#include "tools/cli/command.h"
#include "tools/cli/npy.h"
#include "tools/cli/session_flags.h"

namespace warpbeam {
namespace cli {
namespace {

struct RunFlags {
  SessionFlags session;
  std::vector<std::string> init;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::string save;
  std::string timeline;
  int steps = 1;
  int timeout_ms = 0;
  int values = 20;

  void AddTo(Arguments& args) {
    args.Strings("init", &init, "nodes to run first, one after the other (repeatable)");
    args.Strings("feed", &feeds, "NAME=FILE.npy, a tensor to feed (repeatable)");
    args.Strings("fetch", &fetches, "tensors to fetch, NODE or NODE:OUTPUT (repeatable)");
    args.Strings("target", &targets, "nodes to run besides (repeatable)");
    args.Int("steps", &steps, "how many times to run; the last one's fetches count");
    args.String("save", &save, "a folder: fetches go there as .npy files, not to the screen");
    args.Int("values", &values, "how many values of a tensor to print");
    args.String("timeline", &timeline,
                "a file for the last step's times, in Chrome's trace format");
    args.Int("timeout_ms", &timeout_ms, "how long a step may take; 0: for ever");
    session.AddTo(args);
  }
};

absl::StatusOr<NamedTensors> ReadFeeds(const std::vector<std::string>& feeds) {
  NamedTensors tensors;
  for (const std::string& feed : feeds) {
    const size_t equals = feed.find('=');
    if (equals == std::string::npos || equals == 0) {
      return WrongCall(InvalidArgument("--feed=", feed, ": a feed is NAME=FILE.npy"));
    }
    WB_ASSIGN_OR_RETURN(Tensor tensor, ReadNpy(feed.substr(equals + 1)));
    tensors.emplace_back(feed.substr(0, equals), std::move(tensor));
  }
  return tensors;
}

// The file of a fetch: "tower/loss:0" is "tower_loss.npy", "split:1" is "split_1.npy".
std::string FileName(absl::string_view fetch) {
  if (absl::EndsWith(fetch, ":0")) fetch.remove_suffix(2);
  return absl::StrCat(absl::StrReplaceAll(fetch, {{"/", "_"}, {":", "_"}}), ".npy");
}

// The path of each fetch; two fetches may not want the same one.
absl::StatusOr<std::vector<std::string>> SavePaths(const RunFlags& flags) {
  std::vector<std::string> paths;
  if (flags.save.empty()) return paths;
  std::error_code error;
  std::filesystem::create_directories(flags.save, error);
  if (error)
    return FailedPrecondition("cannot make the folder ", flags.save, ": ", error.message());
  for (const std::string& fetch : flags.fetches) {
    paths.push_back((std::filesystem::path(flags.save) / FileName(fetch)).string());
    if (std::count(paths.begin(), paths.end(), paths.back()) > 1) {
      return WrongCall(InvalidArgument("two fetches would be saved as ", paths.back()));
    }
  }
  return paths;
}

absl::Status WriteTimeline(const StepStats& stats, const std::string& path) {
  std::ofstream file(path, std::ios::trunc);
  file << ChromeTrace(stats);
  file.close();
  return file ? absl::OkStatus() : FailedPrecondition("cannot write ", path);
}

absl::Status RunSteps(const RunFlags& flags, const NamedTensors& feeds, Session& session,
                      std::vector<Tensor>* fetched, Console& console) {
  RunOptions options;
  options.timeout_ms = flags.timeout_ms;
  for (const std::string& target : flags.init) {
    console.Progress(absl::StrCat("running ", target));
    WB_RETURN_IF_ERROR(session.Run(options, {}, {}, {target}, nullptr));
  }
  for (int step = 1; step <= flags.steps; ++step) {
    if (flags.steps > 1) console.Progress(absl::StrCat("step ", step, " of ", flags.steps));
    const bool traced = step == flags.steps && !flags.timeline.empty();
    options.trace = traced ? TraceLevel::kFull : TraceLevel::kNone;
    RunMetadata metadata;
    WB_RETURN_IF_ERROR(
        session.Run(options, feeds, flags.fetches, flags.targets, fetched, &metadata));
    if (traced) WB_RETURN_IF_ERROR(WriteTimeline(metadata.step_stats, flags.timeline));
  }
  console.EndProgress();
  return absl::OkStatus();
}

absl::Status Run(const RunFlags& flags, const std::string& file, Console& console) {
  if (flags.fetches.empty() && flags.targets.empty() && flags.init.empty()) {
    return WrongCall(InvalidArgument("there is nothing to run: give --fetch, --target or --init"));
  }
  if (flags.steps < 1) return WrongCall(InvalidArgument("--steps must be at least 1"));
  WB_ASSIGN_OR_RETURN(NamedTensors feeds, ReadFeeds(flags.feeds));
  WB_ASSIGN_OR_RETURN(std::vector<std::string> paths, SavePaths(flags));
  console.Progress(absl::StrCat("reading ", file));
  auto graph = std::make_shared<Graph>();
  WB_RETURN_IF_ERROR(ImportGraphFile(file, ImportOptions(), graph.get()));
  WB_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                      Session::Create(flags.session.Options(console), std::move(graph)));
  std::vector<Tensor> fetched;
  RunFlags steps = flags;
  if (flags.fetches.empty() && flags.targets.empty()) steps.steps = 0;
  WB_RETURN_IF_ERROR(RunSteps(steps, feeds, *session, &fetched, console));
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (!paths.empty()) {
      WB_RETURN_IF_ERROR(WriteNpy(fetched[i], paths[i]));
      console.out << flags.fetches[i] << " -> " << paths[i] << "\n";
    } else {
      console.out << flags.fetches[i] << " = " << fetched[i].ToString(flags.values) << "\n";
    }
  }
  return session->Close();
}

}  // namespace

absl::StatusOr<Outcome> RunGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam run GRAPH [--feed=NAME=FILE.npy] [--fetch=NAME] [--target=NAME] …",
      "Runs a graph (.pb: a serialized GraphDef, .pbtxt: the same as text) and prints or "
      "saves what it\ngives.");
  RunFlags flags;
  flags.AddTo(args);
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(InvalidArgument("one graph file is needed, got ", args.words().size()));
  }
  WB_RETURN_IF_ERROR(Run(flags, args.words()[0], console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
