// warpbeam run: runs a graph or a model and prints or saves what it gives.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "frontend/model/model.h"
#include "graph/io/graph_file.h"
#include "runtime/session/step_compiler.h"
#include "runtime/step/feed_check.h"
#include "runtime/trace/chrome_trace.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_ends.h"
#include "tools/cli/model_input.h"
#include "tools/cli/model_kind.h"
#include "tools/cli/npy.h"
#include "tools/cli/path_check.h"
#include "tools/cli/session_flags.h"

namespace warpbeam {
namespace cli {
namespace {

using frontend::LoadMetaGraph;
using frontend::LoadSavedModel;
using frontend::Model;

struct RunFlags {
  SessionFlags session;
  std::string saved_model;
  std::vector<std::string> tags;
  std::string checkpoint;
  std::string signature;
  std::vector<std::string> inputs;
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
    args.String("saved_model", &saved_model, "a SavedModel's folder, instead of GRAPH");
    args.Strings("tags", &tags, "which of the SavedModel's graphs, if there are several");
    args.String("checkpoint", &checkpoint,
                "of a .meta file; by default that of the same name, 'none' restores nothing");
    args.String("signature", &signature, "what to run of a model; 'serving_default' if there is");
    args.WholeStrings("input", &inputs,
                      "NAME=FILE (.npy, .png, .jpg) or NAME=VALUE ([1,2,3]) of the signature "
                      "(repeatable)");
    args.Strings("init", &init, "nodes to run first, one after the other (repeatable)");
    args.WholeStrings("feed", &feeds,
                      "NAME=FILE or NAME=VALUE, as for --input, a tensor to feed (repeatable)");
    args.Strings("fetch", &fetches, "tensors to fetch, NODE or NODE:OUTPUT (repeatable)");
    args.Strings("target", &targets, "nodes to run besides (repeatable)");
    args.Int("steps", &steps, "how many times to run; the last one's fetches count");
    args.String("save", &save, "a folder: fetches go there as .npy files, not to the screen");
    args.Int("values", &values, "how many values of a tensor to print");
    args.String("timeline", &timeline,
                "a file for the last step's times, in Chrome's trace format");
    args.Int("timeout_ms", &timeout_ms,
             "how long a step may take, those of loading a model too; 0: for ever");
    session.AddTo(args);
    session.import.AddDevicesTo(args);
  }
  bool names_nodes() const { return !fetches.empty() || !targets.empty(); }
  bool names_signature() const { return !signature.empty() || !inputs.empty(); }
};

// What is run, again and again.
struct Step {
  NamedTensors feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> names;  // of the fetches, as they are shown
};

// A session, of a model or of a graph alone.
struct Runnable {
  std::unique_ptr<Model> model;
  std::shared_ptr<Graph> own_graph;
  std::unique_ptr<Session> own;
  const Graph& graph() const { return model != nullptr ? model->graph() : *own_graph; }
  Session& session() const { return model != nullptr ? model->session() : *own; }
};

// What a tensor of the graph is fed with is read as what an input of its dtype and shape would be.
absl::StatusOr<NamedTensors> ReadFeeds(const std::vector<std::string>& feeds, const Graph& graph) {
  NamedTensors tensors;
  for (const std::string& feed : feeds) {
    const size_t equals = feed.find('=');
    if (equals == std::string::npos || equals == 0) {
      return WrongCall(
          InvalidArgument("--feed=", feed, ": a feed is NAME=FILE or NAME=VALUE, as in x=[1,2]"));
    }
    const std::string name = feed.substr(0, equals);
    WB_ASSIGN_OR_RETURN(const OutputRef output, ParseOutput(graph, name, "feed"));
    TensorPort port;
    port.tensor = name;
    port.dtype = BaseType(graph.node(output.node).output_type(output.index));
    port.shape = graph.node(output.node).output_shape(output.index);
    auto tensor = ReadInput(feed.substr(equals + 1), port);
    if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("feed '", name, "'"));
    WB_RETURN_IF_ERROR(CheckFeed(name, port.dtype, *tensor));
    WB_RETURN_IF_ERROR(CheckFedShape(name, FedShape(graph.node(output.node)), *tensor));
    tensors.emplace_back(name, *std::move(tensor));
  }
  return tensors;
}

// The file of a fetch, without its ending: "tower/loss:0" is "tower_loss", "split:1" is "split_1".
std::string FileName(absl::string_view fetch) {
  constexpr size_t kLongest = 200;  // a file system takes 255 bytes
  if (absl::EndsWith(fetch, ":0")) fetch.remove_suffix(2);
  return absl::StrReplaceAll(fetch.substr(0, kLongest), {{"/", "_"}, {":", "_"}});
}

// The path of each fetch. Where two would be the same, as of "split:1" and "split_1", the second
// gets a number.
absl::StatusOr<std::vector<std::string>> SavePaths(const std::string& folder,
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

absl::Status WriteTimeline(const StepStats& stats, const std::string& path) {
  std::ofstream file(path, std::ios::trunc);
  file << ChromeTrace(stats);
  file.close();
  return file ? absl::OkStatus() : FailedPrecondition("cannot write ", path);
}

absl::StatusOr<Runnable> Load(const RunFlags& flags, const std::string& file, Console& console) {
  console.Progress(absl::StrCat("reading ", file));
  Runnable runnable;
  MetaGraphOptions options;
  options.graph = flags.session.import.Options();
  WB_ASSIGN_OR_RETURN(SessionOptions session, flags.session.Options(console));
  // Also for the steps that restore and initialise a model.
  session.operation_timeout_ms = flags.timeout_ms;
  switch (flags.saved_model.empty() ? KindOf(file) : ModelKind::kSavedModel) {
    case ModelKind::kSavedModel: {
      WB_ASSIGN_OR_RETURN(runnable.model, LoadSavedModel(session, file, flags.tags, options));
      return runnable;
    }
    case ModelKind::kMetaGraph: {
      std::string checkpoint = flags.checkpoint;
      if (checkpoint.empty()) checkpoint = CheckpointOf(file);
      if (checkpoint == "none") checkpoint.clear();
      WB_ASSIGN_OR_RETURN(runnable.model, LoadMetaGraph(session, file, checkpoint, options));
      return runnable;
    }
    default: {
      runnable.own_graph = std::make_shared<Graph>();
      WB_RETURN_IF_ERROR(ImportGraphFile(file, options.graph, runnable.own_graph.get()));
      WB_ASSIGN_OR_RETURN(runnable.own, Session::Create(session, runnable.own_graph));
      return runnable;
    }
  }
}

// The signature to run: the one named, else the usual one, else the only one.
std::string SignatureOf(const RunFlags& flags, const Model& model) {
  constexpr char kUsual[] = "serving_default";
  if (!flags.signature.empty()) return flags.signature;
  const auto& all = model.signatures();
  return all.size() == 1 && all.count(kUsual) == 0 ? all.begin()->first : kUsual;
}

absl::StatusOr<Step> StepOf(const RunFlags& flags, const Runnable& runnable) {
  Step step;
  if (flags.names_nodes()) {
    WB_ASSIGN_OR_RETURN(step.feeds, ReadFeeds(flags.feeds, runnable.graph()));
    step.names = step.fetches = flags.fetches;
    step.targets = flags.targets;
    return step;
  }
  // Whoever only says what to run first wants no signature.
  if (!flags.init.empty() && !flags.names_signature()) return step;
  if (runnable.model == nullptr ||
      (runnable.model->signatures().empty() && !flags.names_signature())) {
    return WrongCall(InvalidArgument("there is nothing to run: give --fetch, --target or --init. ",
                                     GraphEnds(runnable.graph())));
  }
  const std::string name = SignatureOf(flags, *runnable.model);
  WB_ASSIGN_OR_RETURN(const Signature* signature, runnable.model->FindSignature(name));
  WB_ASSIGN_OR_RETURN(const NamedTensors inputs, ReadInputs(flags.inputs, *signature));
  WB_ASSIGN_OR_RETURN(Model::Step of_model, runnable.model->StepOf(name, inputs));
  step.feeds = std::move(of_model.feeds);
  step.fetches = std::move(of_model.fetches);
  step.names = std::move(of_model.outputs);
  return step;
}

absl::Status RunSteps(const RunFlags& flags, const Step& step, const Runnable& runnable,
                      std::vector<Tensor>* fetched, Console& console) {
  Session& session = runnable.session();
  RunOptions options;
  options.timeout_ms = flags.timeout_ms;
  for (const std::string& target : flags.init) {
    console.Progress(absl::StrCat("running ", target));
    const NamedTensors feeds =
        runnable.model == nullptr ? NamedTensors() : runnable.model->assets();
    WB_RETURN_IF_ERROR(session.Run(options, feeds, {}, {target}, nullptr));
  }
  const int steps = step.fetches.empty() && step.targets.empty() ? 0 : flags.steps;
  for (int i = 1; i <= steps; ++i) {
    if (steps > 1) console.Progress(absl::StrCat("step ", i, " of ", steps));
    const bool traced = i == steps && !flags.timeline.empty();
    options.trace = traced ? TraceLevel::kFull : TraceLevel::kNone;
    RunMetadata metadata;
    WB_RETURN_IF_ERROR(
        session.Run(options, step.feeds, step.fetches, step.targets, fetched, &metadata));
    if (traced) WB_RETURN_IF_ERROR(WriteTimeline(metadata.step_stats, flags.timeline));
  }
  console.EndProgress();
  return absl::OkStatus();
}

absl::Status CheckFlags(const RunFlags& flags, const std::string& file) {
  const bool has_signatures = !flags.saved_model.empty() ||
                              KindOf(file) == ModelKind::kSavedModel ||
                              KindOf(file) == ModelKind::kMetaGraph;
  if (!has_signatures && flags.names_signature()) {
    return InvalidArgument("a graph has no signatures: use --feed and --fetch");
  }
  if (flags.names_signature() && (flags.names_nodes() || !flags.feeds.empty())) {
    return InvalidArgument(
        "--signature and --input run a signature; --feed, --fetch and --target run nodes: not "
        "both");
  }
  if (flags.steps < 1) return InvalidArgument("--steps must be at least 1");
  return absl::OkStatus();
}

absl::Status Run(const RunFlags& flags, const std::string& file, Console& console) {
  WB_RETURN_IF_ERROR(WrongCall(CheckFlags(flags, file)));
  WB_RETURN_IF_ERROR(CheckPath(file, Wanted::kGraph));
  WB_ASSIGN_OR_RETURN(const Runnable runnable, Load(flags, file, console));
  WB_ASSIGN_OR_RETURN(const Step step, StepOf(flags, runnable));
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SavePaths(flags.save, step.names));
  std::vector<Tensor> fetched;
  WB_RETURN_IF_ERROR(RunSteps(flags, step, runnable, &fetched, console));
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (!paths.empty()) {
      WB_RETURN_IF_ERROR(WriteNpy(fetched[i], paths[i]));
      console.out << step.names[i] << " -> " << paths[i] << "\n";
    } else {
      console.out << step.names[i] << " = " << fetched[i].ToString(flags.values) << "\n";
    }
  }
  return runnable.session().Close();
}

}  // namespace

absl::StatusOr<Outcome> RunGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam run GRAPH [--feed=NAME=FILE|VALUE] [--fetch=NAME] [--target=NAME] …\n"
      "warpbeam run --saved_model=FOLDER [--signature=NAME] [--input=NAME=FILE|VALUE] …",
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
