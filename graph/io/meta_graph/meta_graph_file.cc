// The files that MetaGraphs are read from.
#include <filesystem>

#include "absl/strings/match.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "graph/io/graph_file.h"
#include "graph/io/meta_graph/meta_graph.h"
#include "proto/meta_graph.pb.h"
#include "proto/saved_model.pb.h"

namespace warpbeam {
namespace {

constexpr char kBinaryName[] = "saved_model.pb";
constexpr char kTextName[] = "saved_model.pbtxt";

std::string Join(const std::string& directory, const char* name) {
  return (std::filesystem::path(directory) / name).string();
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Status ReadMessage(const std::string& path, const char* kind, google::protobuf::Message* message) {
  WB_ASSIGN_OR_RETURN(const std::string bytes, ReadFileBytes(path));
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  if (absl::EndsWith(path, ".pbtxt")) {
    FirstError error;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&error);
    parser.SetRecursionLimit(100);
    if (parser.Parse(&stream, message)) return OkStatus();
    return InvalidArgument(path, ": this text is no ", kind, ": ", error.text());
  }
  google::protobuf::io::CodedInputStream in(&stream);
  if (!message->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) {
    return InvalidArgument(path, ": these ", bytes.size(), " bytes are no ", kind,
                           ": damaged, or cut off; copy the file again");
  }
  return OkStatus();
}

}  // namespace

bool IsSavedModel(const std::string& directory) {
  return Exists(Join(directory, kBinaryName)) || Exists(Join(directory, kTextName));
}

Status ReadMetaGraphFile(const std::string& path, tensorflow::MetaGraphDef* proto) {
  WB_RETURN_IF_ERROR(ReadMessage(path, "MetaGraphDef", proto));
  if (proto->graph_def().node_size() > 0) return OkStatus();
  return InvalidArgument(path, ": there is no graph in this MetaGraphDef");
}

Status ReadSavedModelFile(const std::string& directory, tensorflow::SavedModel* proto) {
  if (Exists(Join(directory, kBinaryName))) {
    WB_RETURN_IF_ERROR(ReadMessage(Join(directory, kBinaryName), "SavedModel", proto));
  } else if (Exists(Join(directory, kTextName))) {
    WB_RETURN_IF_ERROR(ReadMessage(Join(directory, kTextName), "SavedModel", proto));
  } else if (!Exists(directory)) {
    return NotFound("there is no folder '", directory, "'");
  } else {
    return NotFound("'", directory, "' is no SavedModel: there is neither ", kBinaryName, " nor ",
                    kTextName, " in it");
  }
  if (proto->meta_graphs_size() == 0) {
    return InvalidArgument(directory, ": there is no graph in this SavedModel");
  }
  return OkStatus();
}

}  // namespace warpbeam
