// warpbeam inspect: what a model is, and whether it runs here.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "frontend/model/model_kind.h"
#include "frontend/model/object_restore.h"
#include "frontend/model/unset_variables.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "graph/io/graph_file.h"
#include "graph/io/meta_graph/meta_graph.h"
#include "graph/types/shown_name.h"
#include "proto/saved_model.pb.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "tools/cli/collections_text.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_summary.h"
#include "tools/cli/model_problems.h"
#include "tools/cli/model_steps.h"
#include "tools/cli/path_check.h"
#include "tools/cli/session_flags.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using frontend::CheckpointOf;
using frontend::KindOf;
using frontend::ModelKind;
using tensorflow::GraphDef;
using tensorflow::MetaGraphDef;

struct InspectFlags {
  SessionFlags session;
  std::vector<std::string> tags;
  std::string checkpoint;
  int rows = 20;

  void AddTo(Arguments& args) {
    args.Strings("tags", &tags, "which of the SavedModel's graphs; by default all");
    args.String("checkpoint", &checkpoint,
                "of a .meta file; by default that of the same name, 'none' restores nothing");
    args.Int("rows", &rows, "how many lines of a kind to print");
    session.AddTo(args);
    session.import.AddDevicesTo(args);
  }
};

int64_t FileSize(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

void PrintPorts(const char* kind, const std::map<std::string, TensorPort>& ports,
                Console& console) {
  for (const auto& [name, port] : ports) {
    console.out << "    " << kind << " " << Describe(NamedType{name, port.dtype, port.shape})
                << "  (" << ShownName(port.tensor)
                << (port.default_value.has_value() ? ", has a default" : "") << ")\n";
  }
}

// The importer has said already what is wrong with a text.
class Silence final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

bool ParseGraph(const std::string& path, const std::string& bytes, GraphDef* proto) {
  if (fs::path(path).extension() == ".pb" || bytes.size() > INT32_MAX) {
    return proto->ParseFromString(bytes);
  }
  Silence silence;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silence);
  parser.SetRecursionLimit(100);
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return parser.Parse(&stream, proto) || proto->ParseFromString(bytes);
}

// Prints one model and gathers what would keep it from running.
class Inspection {
 public:
  Inspection(const InspectFlags& flags, Console& console) : flags_(flags), console_(console) {}

  Status GraphFile(const std::string& path) {
    auto graph = std::make_shared<Graph>();
    const Status imported = ImportGraphFile(path, flags_.session.import.Options(), graph.get());
    // What is no graph at all cannot be summed up either.
    WB_ASSIGN_OR_RETURN(const GraphDef proto, ReadGraph(path, imported));
    console_.out << "GraphDef " << path << ", " << Bytes(FileSize(path)) << "\n";
    PrintGraph(proto, /*has_signatures=*/false);
    has_graph_ = true;
    if (!imported.ok()) {
      AppendLines(imported);
    } else if (const auto options = SessionOptionsOf(); options.ok()) {
      Take(CheckWholeGraph(graph, *options));
    }
    return OkStatus();
  }

  Status MetaGraphFile(const std::string& path) {
    MetaGraphDef proto;
    WB_RETURN_IF_ERROR(ReadMetaGraphFile(path, &proto));
    console_.out << "MetaGraphDef " << path << ", " << Bytes(FileSize(path)) << "\n";
    std::string prefix = flags_.checkpoint.empty() ? CheckpointOf(path) : flags_.checkpoint;
    if (prefix == "none") prefix.clear();
    WB_ASSIGN_OR_RETURN(MetaGraph meta, PrintMetaGraph(&proto));
    console_.out << CollectionsText(proto, flags_.rows);
    if (!prefix.empty() && meta.saver.restore_op.empty()) {
      problems_.emplace_back(
          "the graph was exported without a saver, so that it cannot restore a checkpoint: "
          "--checkpoint=none does without");
    }
    bool restores = false;
    WB_RETURN_IF_ERROR(CheckMetaGraph(prefix, !prefix.empty(), &proto, &meta, &restores));
    if (restores && !HasCheckpoint(prefix)) {
      problems_.push_back(absl::StrCat("there is no checkpoint ", prefix,
                                       ": --checkpoint names another, or 'none'"));
      return OkStatus();
    }
    return restores ? Checkpoint(prefix) : OkStatus();
  }

  Status SavedModelFolder(const std::string& directory) {
    tensorflow::SavedModel proto;
    WB_RETURN_IF_ERROR(ReadSavedModelFile(directory, &proto));
    console_.out << "SavedModel " << directory << ", " << Bytes(FolderSize(directory)) << "\n";
    int only = -1;
    if (!flags_.tags.empty()) {
      WB_ASSIGN_OR_RETURN(only, FindMetaGraph(proto, flags_.tags));
    }
    const std::string prefix = (fs::path(directory) / "variables" / "variables").string();
    const bool has_checkpoint = fs::exists(IndexFileName(prefix));
    bool restores = false;
    for (int i = 0; i < proto.meta_graphs_size(); ++i) {
      if (only >= 0 && i != only) continue;
      MetaGraphDef* graph = proto.mutable_meta_graphs(i);
      WB_ASSIGN_OR_RETURN(MetaGraph meta, PrintMetaGraph(graph));
      for (const AssetFile& asset : meta.assets) CheckAsset(directory, asset);
      bool restores_this = false;
      WB_RETURN_IF_ERROR(
          CheckMetaGraph(prefix, has_variables_ || has_checkpoint, graph, &meta, &restores_this));
      restores |= restores_this;
    }
    if (restores || has_checkpoint) return Checkpoint(prefix);
    return OkStatus();
  }

  Status Checkpoint(const std::string& prefix) {
    AppendCheckpointProblems(prefix, restored_, &problems_);
    const auto reader = BundleReader::Open(prefix);
    if (!reader.ok()) return OkStatus();  // the problem is on the list
    const std::vector<std::string> names = (*reader)->names();
    int64_t bytes = 0;
    std::vector<std::string> lines;
    for (const std::string& name : names) {
      const auto entry = (*reader)->Find(name);
      if (!entry.ok()) continue;
      const int64_t size =
          entry->shape.num_elements() * static_cast<int64_t>(DTypeSize(entry->dtype));
      bytes += IsPlainData(entry->dtype) ? size : entry->size;
      lines.push_back(absl::StrCat(Describe(NamedType{name, entry->dtype, entry->shape}), "  ",
                                   Bytes(IsPlainData(entry->dtype) ? size : entry->size),
                                   entry->slices.empty() ? "" : ", in slices"));
    }
    console_.out << "checkpoint " << prefix << ": " << names.size() << " tensors, " << Bytes(bytes)
                 << ", in " << (*reader)->header().num_shards << " data files\n";
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i == static_cast<size_t>(flags_.rows)) {
        console_.out << "    and " << lines.size() - i << " more\n";
        break;
      }
      console_.out << "    " << lines[i] << "\n";
    }
    return OkStatus();
  }

  // The end of the report: all problems, or that there are none.
  Status Verdict(const std::string& path) const {
    PrintLines("notes", notes_, 0);
    if (problems_.empty()) {
      console_.out << (has_graph_ ? "it runs here\n" : "the checkpoint is whole\n");
      return OkStatus();
    }
    PrintLines("problems", problems_, problems_not_told_);
    const size_t count = problems_.size() + problems_not_told_;
    return FailedPrecondition(path, ": ", count, count == 1 ? " problem keeps" : " problems keep",
                              " it from running");
  }

 private:
  static int64_t FolderSize(const std::string& directory) {
    int64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
      if (at->is_regular_file(error)) bytes += FileSize(at->path());
    }
    return bytes;
  }

  // `imported` is what the importer said of the file: it says why bytes are no graph.
  static StatusOr<GraphDef> ReadGraph(const std::string& path, const Status& imported) {
    auto bytes = ReadFileBytes(path);
    if (!bytes.ok()) return bytes.status();
    GraphDef proto;
    if (!ParseGraph(path, *bytes, &proto)) {
      return imported.ok() ? InvalidArgument(path, " is no GraphDef") : imported;
    }
    return proto;
  }

  void PrintGraph(const GraphDef& proto, bool has_signatures) {
    const GraphSummary summary = SummaryOf(proto);
    has_variables_ = !summary.variables.empty();
    console_.out << SummaryText(summary, flags_.rows, has_signatures);
  }

  StatusOr<MetaGraph> PrintMetaGraph(MetaGraphDef* proto) {
    WB_ASSIGN_OR_RETURN(MetaGraph meta, MetaGraphWithoutGraph(*proto));
    console_.out << "graph {" << absl::StrJoin(meta.tags, ", ") << "}";
    if (!meta.tensorflow_version.empty()) {
      console_.out << ", written by TensorFlow " << meta.tensorflow_version;
    }
    console_.out << "\n";
    PrintGraph(proto->graph_def(), !meta.signatures.empty());
    for (const auto& [name, signature] : meta.signatures) {
      console_.out << "  signature " << ShownName(name);
      if (!signature.method.empty()) console_.out << " (" << ShownName(signature.method) << ")";
      console_.out << "\n";
      PrintPorts("input ", signature.inputs, console_);
      PrintPorts("output", signature.outputs, console_);
    }
    if (!meta.init_op.empty()) {
      console_.out << "  run first   " << ShownName(meta.init_op) << "\n";
    }
    return meta;
  }

  // What runs of a graph, or all of it where it does not say.
  Status CheckMetaGraph(const std::string& checkpoint, bool has_values, MetaGraphDef* proto,
                        MetaGraph* meta, bool* restores) {
    has_graph_ = true;
    MetaGraphOptions importing;
    importing.graph = flags_.session.import.Options();
    if (const Status imported = ImportGraphOf(importing, proto, meta); !imported.ok()) {
      AppendLines(imported);
      return OkStatus();
    }
    // What is wrong with the checkpoint is said of it.
    (void)frontend::AddObjectRestore(checkpoint, meta);
    *restores = !meta->saver.restore_op.empty() && has_values;
    const std::vector<std::string> unset = frontend::UnsetVariables(*meta);
    problems_.insert(problems_.end(), unset.begin(), unset.end());
    const auto options = SessionOptionsOf();
    if (!options.ok()) return OkStatus();
    ModelFindings names;
    CheckNames(*meta, *restores, &names);
    Take(std::move(names));
    const std::vector<ModelStep> steps = StepsOf(*meta, *restores);
    if (!steps.empty()) Take(CheckSteps(meta->graph, *options, steps));
    if (meta->signatures.empty()) Take(CheckWholeGraph(meta->graph, *options));
    return OkStatus();
  }

  void CheckAsset(const std::string& directory, const AssetFile& asset) {
    const fs::path path = fs::path(directory) / "assets" / asset.filename;
    console_.out << "  asset       " << ShownName(asset.filename) << ", " << Bytes(FileSize(path))
                 << "\n";
    if (!fs::exists(path)) {
      problems_.push_back(absl::StrCat("the asset ", path.string(), " is missing: copy it again"));
    } else if (const std::string foreign = ForeignFile(path.string());
               absl::StartsWith(foreign, "a Git LFS")) {
      problems_.push_back(absl::StrCat("the asset ", path.string(), " is ", foreign));
    }
  }

  static bool HasCheckpoint(const std::string& prefix) {
    std::error_code error;
    return fs::exists(IndexFileName(prefix), error) || fs::is_regular_file(prefix, error);
  }

  StatusOr<SessionOptions> SessionOptionsOf() {
    auto options = flags_.session.Options(console_);
    if (!options.ok()) problems_.emplace_back(options.status().message());
    return options;
  }

  void Take(ModelFindings found) {
    // Several graphs and steps may have the same to say.
    const auto add = [](const std::vector<std::string>& from, std::vector<std::string>* to) {
      std::set<std::string> known(to->begin(), to->end());
      for (const std::string& line : from) {
        if (known.insert(line).second) to->push_back(line);
      }
    };
    add(found.problems, &problems_);
    add(found.notes, &notes_);
    restored_.insert(found.restored.begin(), found.restored.end());
  }

  // Each problem of the importer's report for itself.
  void AppendLines(const Status& imported) {
    std::vector<std::string> lines = absl::StrSplit(imported.message(), "\n  ");
    if (lines.size() > 1) lines.erase(lines.begin());  // that there are several
    absl::string_view last = lines.back();
    size_t more = 0;
    if (absl::ConsumePrefix(&last, "… and ") && absl::ConsumeSuffix(&last, " more") &&
        absl::SimpleAtoi(last, &more)) {
      lines.pop_back();
      problems_not_told_ += more;
    }
    problems_.insert(problems_.end(), lines.begin(), lines.end());
  }

  // `not_told`: how many more there are.
  void PrintLines(const char* title, const std::vector<std::string>& lines, size_t not_told) const {
    if (lines.empty()) return;
    console_.out << title << " (" << lines.size() + not_told << ")\n";
    const size_t shown = std::min(lines.size(), static_cast<size_t>(flags_.rows));
    for (size_t i = 0; i < shown; ++i) console_.out << "  - " << ShownMessage(lines[i]) << "\n";
    const size_t more = lines.size() + not_told - shown;
    if (more > 0) console_.out << "  and " << more << " more\n";
  }

  const InspectFlags& flags_;
  Console& console_;
  std::vector<std::string> problems_;
  std::vector<std::string> notes_;
  std::map<std::string, DType> restored_;
  size_t problems_not_told_ = 0;  // of the importer's report
  bool has_graph_ = false;
  bool has_variables_ = false;
};

Status Inspect(const InspectFlags& flags, const std::string& path, Console& console) {
  WB_RETURN_IF_ERROR(CheckPath(path, Wanted::kGraphOrCheckpoint));
  Inspection inspection(flags, console);
  switch (KindOf(path)) {
    case ModelKind::kSavedModel:
      WB_RETURN_IF_ERROR(inspection.SavedModelFolder(path));
      break;
    case ModelKind::kMetaGraph:
      WB_RETURN_IF_ERROR(inspection.MetaGraphFile(path));
      break;
    case ModelKind::kCheckpoint:
      WB_RETURN_IF_ERROR(inspection.Checkpoint(path));
      break;
    case ModelKind::kGraph:
      WB_RETURN_IF_ERROR(inspection.GraphFile(path));
      break;
  }
  return inspection.Verdict(path);
}

}  // namespace

StatusOr<Outcome> InspectModel(const std::vector<std::string>& words, Console& console) {
  Arguments args("warpbeam inspect MODEL [--flags]",
                 "Shows what a model is and everything that would keep it from running here. MODEL "
                 "is a\nSavedModel's folder, a graph (.pb, .pbtxt), a .meta file, or the name of a "
                 "checkpoint (without\n.index). Nothing of it is run.");
  InspectFlags flags;
  flags.AddTo(args);
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  if (args.words().size() != 1) {
    return WrongCall(InvalidArgument("one model is needed, got ", args.words().size()));
  }
  if (flags.rows < 0) return WrongCall(InvalidArgument("--rows must not be negative"));
  WB_RETURN_IF_ERROR(Inspect(flags, args.words()[0], console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
