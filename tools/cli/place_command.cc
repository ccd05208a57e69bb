// warpbeam place: on which device each node of a graph or a model goes, and why.
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "graph/io/graph_file.h"
#include "graph/io/meta_graph/meta_graph.h"
#include "placement/placer.h"
#include "runtime/kernel/kernel_registry.h"
#include "tools/cli/command.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/model_kind.h"
#include "tools/cli/path_check.h"

namespace warpbeam {
namespace cli {
namespace {

struct PlaceFlags {
  ImportFlags import;
  std::string devices = "cpu:1";
  std::string format = "text";
  std::string output;
  std::vector<std::string> tags;
  bool soft = true;
  bool strict = false;
};

// "cpu:1,gpu:4" as the names of one CPU and four GPUs; no machine needs to have them.
absl::StatusOr<std::vector<DeviceName>> ParseDevices(const std::string& text) {
  constexpr int kMost = 1024;
  int counts[kNumDeviceTypes] = {};
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(part, ':');
    int count = 0;
    if (words.size() != 2 || !absl::SimpleAtoi(words[1], &count) || count < 0 || count > kMost) {
      return InvalidArgument("--devices=", text, ": '", part,
                             "' is not TYPE:NUMBER, as in cpu:1,gpu:4");
    }
    const std::string type = absl::AsciiStrToUpper(words[0]);
    if (type != "CPU" && type != "GPU") {
      return InvalidArgument("--devices=", text, ": there are devices of type cpu and gpu, not '",
                             words[0], "'");
    }
    counts[static_cast<int>(type == "CPU" ? DeviceType::kCpu : DeviceType::kGpu)] = count;
  }
  // Placement counts on a CPU: whatever has no other kernel runs there.
  int& cpus = counts[static_cast<int>(DeviceType::kCpu)];
  if (cpus == 0) cpus = 1;
  std::vector<DeviceName> names;
  for (DeviceType type : {DeviceType::kCpu, DeviceType::kGpu}) {
    for (int i = 0; i < counts[static_cast<int>(type)]; ++i) {
      names.push_back(DeviceName::Local(type, i));
    }
  }
  return names;
}

using Formatter = std::string (PlacementReport::*)() const;

absl::StatusOr<Formatter> ParseFormat(const std::string& format) {
  if (format == "log") return &PlacementReport::ToLog;
  if (format == "text") return &PlacementReport::ToText;
  if (format == "json") return &PlacementReport::ToJson;
  if (format == "dot") return &PlacementReport::ToDot;
  if (format == "svg") return &PlacementReport::ToSvg;
  return InvalidArgument("--format=", format, ": it is one of log, text, json, dot and svg");
}

absl::Status Write(const std::string& text, const std::string& path, Console& console) {
  if (path.empty()) {
    console.out << text;
    return absl::OkStatus();
  }
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  return file ? absl::OkStatus() : FailedPrecondition("cannot write ", path);
}

absl::StatusOr<std::shared_ptr<Graph>> ReadGraph(const PlaceFlags& flags, const std::string& path) {
  MetaGraphOptions options;
  options.graph = flags.import.Options();
  const ModelKind kind = KindOf(path);
  if (kind == ModelKind::kSavedModel) {
    WB_ASSIGN_OR_RETURN(MetaGraph meta, ImportSavedModel(path, flags.tags, options));
    return std::move(meta.graph);
  }
  if (kind == ModelKind::kMetaGraph) {
    WB_ASSIGN_OR_RETURN(MetaGraph meta, ImportMetaGraphFile(path, options));
    return std::move(meta.graph);
  }
  auto graph = std::make_shared<Graph>();
  WB_RETURN_IF_ERROR(ImportGraphFile(path, options.graph, graph.get()));
  return graph;
}

absl::Status Place(const PlaceFlags& flags, const std::string& file, Console& console) {
  auto devices = ParseDevices(flags.devices);
  if (!devices.ok()) return WrongCall(devices.status());
  const auto format = ParseFormat(flags.format);
  if (!format.ok()) return WrongCall(format.status());
  WB_RETURN_IF_ERROR(CheckPath(file, Wanted::kGraph));
  console.Progress(absl::StrCat("reading ", file));
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<Graph> read, ReadGraph(flags, file));
  Graph& graph = *read;
  console.Progress(absl::StrCat("placing ", graph.num_nodes(), " nodes"));
  PlacerOptions options;
  options.allow_soft_placement = flags.soft;
  options.strict = flags.strict;
  Placer placer(&KernelRegistry::Global(), *std::move(devices), options);
  WB_RETURN_IF_ERROR(placer.Place(graph));
  const PlacementReport report = placer.Report(graph);
  console.EndProgress();
  return Write((report.**format)(), flags.output, console);
}

}  // namespace

absl::StatusOr<Outcome> PlaceGraph(const std::vector<std::string>& words, Console& console) {
  Arguments args(
      "warpbeam place MODEL [--devices=cpu:1,gpu:4] [--format=log|text|json|dot|svg]",
      "Shows on which device each node of a graph goes and why: node, op, device requested, "
      "device\nassigned, reason. MODEL is a SavedModel's folder, a graph (.pb, .pbtxt) or a .meta "
      "file. The devices need\nnot be there.");
  PlaceFlags flags;
  flags.import.AddTo(args);
  flags.import.AddDevicesTo(args);
  args.String("devices", &flags.devices, "how many devices of each type there are");
  args.String("format", &flags.format,
              "log (one line a node, as TensorFlow logs it), text, json, dot or svg (a picture)");
  args.String("output", &flags.output, "a file to write instead of the screen");
  args.Strings("tags", &flags.tags, "which of the SavedModel's graphs, if there are several");
  args.Bool("soft", &flags.soft, "a node asked onto a device that cannot run it goes elsewhere");
  args.Bool("strict", &flags.strict, "every such fall-back is an error");
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(InvalidArgument("one model is needed, got ", args.words().size()));
  }
  WB_RETURN_IF_ERROR(Place(flags, args.words()[0], console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
