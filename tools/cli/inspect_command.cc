// warpbeam inspect: what a model is, and whether it runs here.
#include <filesystem>

#include "absl/strings/str_join.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "graph/io/graph_file.h"
#include "graph/io/meta_graph/meta_graph.h"
#include "proto/saved_model.pb.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "tools/cli/command.h"
#include "tools/cli/graph_summary.h"
#include "tools/cli/model_kind.h"
#include "tools/cli/model_problems.h"
#include "tools/cli/session_flags.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using tensorflow::GraphDef;
using tensorflow::MetaGraphDef;

struct InspectFlags {
  SessionFlags session;
  std::vector<std::string> tags;
  bool clear_devices = false;
  int rows = 20;

  void AddTo(Arguments& args) {
    args.Strings("tags", &tags, "which of the SavedModel's graphs; by default all");
    args.Bool("clear_devices", &clear_devices, "forget the devices that the model asks for");
    args.Int("rows", &rows, "how many lines of a kind to print");
    session.AddTo(args);
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
                << "  (" << port.tensor << (port.default_value.has_value() ? ", has a default" : "")
                << ")\n";
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

  absl::Status GraphFile(const std::string& path) {
    auto graph = std::make_shared<Graph>();
    const absl::Status imported = ImportGraphFile(path, ImportOptions(), graph.get());
    // What is no graph at all cannot be summed up either.
    WB_ASSIGN_OR_RETURN(const GraphDef proto, ReadGraph(path, imported));
    console_.out << "GraphDef " << path << ", " << Bytes(FileSize(path)) << "\n";
    PrintGraph(proto, /*has_signatures=*/false);
    Check(imported, graph);
    return absl::OkStatus();
  }

  absl::Status MetaGraphFile(const std::string& path) {
    MetaGraphDef proto;
    WB_RETURN_IF_ERROR(ReadMetaGraphFile(path, &proto));
    console_.out << "MetaGraphDef " << path << ", " << Bytes(FileSize(path)) << "\n";
    WB_ASSIGN_OR_RETURN(const MetaGraph meta, PrintMetaGraph(&proto));
    const std::string prefix = CheckpointOf(path);
    if (fs::exists(IndexFileName(prefix))) {
      WB_RETURN_IF_ERROR(Checkpoint(prefix));
    } else {
      console_.out << "no checkpoint " << prefix << " beside it\n";
    }
    if (meta.saver.restore_op.empty()) {
      console_.out << "it has no saver: it cannot restore a checkpoint\n";
    }
    return absl::OkStatus();
  }

  absl::Status SavedModelFolder(const std::string& directory) {
    tensorflow::SavedModel proto;
    WB_RETURN_IF_ERROR(ReadSavedModelFile(directory, &proto));
    console_.out << "SavedModel " << directory << ", " << Bytes(FolderSize(directory)) << "\n";
    int only = -1;
    if (!flags_.tags.empty()) {
      WB_ASSIGN_OR_RETURN(only, FindMetaGraph(proto, flags_.tags));
    }
    bool restores = false;
    for (int i = 0; i < proto.meta_graphs_size(); ++i) {
      if (only >= 0 && i != only) continue;
      WB_ASSIGN_OR_RETURN(const MetaGraph meta, PrintMetaGraph(proto.mutable_meta_graphs(i)));
      restores |= !meta.saver.restore_op.empty() && has_variables_;
      for (const AssetFile& asset : meta.assets) CheckAsset(directory, asset);
    }
    const std::string prefix = (fs::path(directory) / "variables" / "variables").string();
    if (restores || fs::exists(IndexFileName(prefix))) return Checkpoint(prefix);
    return absl::OkStatus();
  }

  absl::Status Checkpoint(const std::string& prefix) {
    AppendCheckpointProblems(prefix, &problems_);
    const auto reader = BundleReader::Open(prefix);
    if (!reader.ok()) return absl::OkStatus();  // the problem is on the list
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
    return absl::OkStatus();
  }

  // The end of the report: all problems, or that there are none.
  absl::Status Verdict(const std::string& path) const {
    if (problems_.empty()) {
      console_.out << (has_graph_ ? "it runs here\n" : "the checkpoint is whole\n");
      return absl::OkStatus();
    }
    console_.out << "problems (" << problems_.size() << ")\n";
    for (const std::string& problem : problems_) console_.out << "  - " << problem << "\n";
    return FailedPrecondition(path, ": ", problems_.size(),
                              problems_.size() == 1 ? " problem keeps" : " problems keep",
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
  static absl::StatusOr<GraphDef> ReadGraph(const std::string& path, const absl::Status& imported) {
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

  absl::StatusOr<MetaGraph> PrintMetaGraph(MetaGraphDef* proto) {
    WB_ASSIGN_OR_RETURN(MetaGraph meta, MetaGraphWithoutGraph(*proto));
    console_.out << "graph {" << absl::StrJoin(meta.tags, ", ") << "}";
    if (!meta.tensorflow_version.empty()) {
      console_.out << ", written by TensorFlow " << meta.tensorflow_version;
    }
    console_.out << "\n";
    PrintGraph(proto->graph_def(), !meta.signatures.empty());
    for (const auto& [name, signature] : meta.signatures) {
      console_.out << "  signature " << name;
      if (!signature.method.empty()) console_.out << " (" << signature.method << ")";
      console_.out << "\n";
      PrintPorts("input ", signature.inputs, console_);
      PrintPorts("output", signature.outputs, console_);
    }
    if (!meta.init_op.empty()) console_.out << "  run first   " << meta.init_op << "\n";
    MetaGraphOptions options;
    options.clear_devices = flags_.clear_devices;
    const absl::Status imported = ImportGraphOf(options, proto, &meta);
    Check(imported, meta.graph);
    return meta;
  }

  void CheckAsset(const std::string& directory, const AssetFile& asset) {
    const fs::path path = fs::path(directory) / "assets" / asset.filename;
    console_.out << "  asset       " << asset.filename << ", " << Bytes(FileSize(path)) << "\n";
    if (!fs::exists(path)) {
      problems_.push_back(absl::StrCat("the asset ", path.string(), " is missing: copy it again"));
    }
  }

  void Check(const absl::Status& imported, const std::shared_ptr<Graph>& graph) {
    has_graph_ = true;
    if (!imported.ok()) {
      problems_.emplace_back(imported.message());
      return;
    }
    const absl::StatusOr<SessionOptions> options = flags_.session.Options(console_);
    if (!options.ok()) {
      problems_.emplace_back(options.status().message());
      return;
    }
    const std::vector<std::string> found = GraphProblems(graph, *options);
    problems_.insert(problems_.end(), found.begin(), found.end());
  }

  const InspectFlags& flags_;
  Console& console_;
  std::vector<std::string> problems_;
  bool has_graph_ = false;
  bool has_variables_ = false;
};

absl::Status Inspect(const InspectFlags& flags, const std::string& path, Console& console) {
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

absl::StatusOr<Outcome> InspectModel(const std::vector<std::string>& words, Console& console) {
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
