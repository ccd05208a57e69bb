#include "graph/io/graph_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "graph/io/graph_export.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

// As many as a message may have.
constexpr size_t kMostFileBytes = INT32_MAX;

// Keeps the first error of a text and where it is.
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

bool IsTextFile(const std::string& path) {
  return absl::EndsWith(path, ".pbtxt") || absl::EndsWith(path, ".txt") ||
         absl::EndsWith(path, ".textproto");
}

// A binary file that is text after all has no control characters at its beginning.
bool LooksLikeText(const std::string& bytes) {
  for (size_t i = 0; i < bytes.size() && i < 256; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c < 32 && c != '\n' && c != '\t' && c != '\r') return false;
  }
  return !bytes.empty();
}

// A character of a text that cannot hold what is not ASCII, not even as an escape sequence.
bool IsPlainAscii(char c) { return c != '\\' && static_cast<signed char>(c) >= 0; }

Status FileError(const char* what, const std::string& path) {
  const int error = errno;
  const std::string message = absl::StrCat("cannot ", what, " '", path, "': ", strerror(error));
  return error == ENOENT ? NotFound(message) : FailedPrecondition(message);
}

}  // namespace

StatusOr<std::string> ReadFileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileError("open", path);
  // A hint only: pipes have no size, and others may grow meanwhile.
  std::error_code unknown;
  const uintmax_t size = std::filesystem::file_size(path, unknown);
  size_t chunk = size_t{1} << 16;
  if (!unknown) chunk = std::min<uintmax_t>(size, kMostFileBytes) + 1;
  std::string bytes;
  errno = 0;
  while (file && bytes.size() <= kMostFileBytes && (unknown || size <= kMostFileBytes)) {
    const size_t before = bytes.size();
    bytes.resize(before + chunk);
    file.read(&bytes[before], static_cast<std::streamsize>(chunk));
    bytes.resize(before + static_cast<size_t>(file.gcount()));
    chunk = std::max(bytes.size(), size_t{1} << 16);
  }
  // A directory opens, and only fails to be read.
  if (errno != 0) return FileError("read", path);
  if (file) {
    return ResourceExhausted(path, " holds more than the 2 GiB that a message may have");
  }
  return bytes;
}

Status ImportGraphText(absl::string_view text, const ImportOptions& options, Graph* graph) {
  if (text.size() > INT32_MAX) {
    return ResourceExhausted("a graph's text may have at most 2 GiB, this one has ", text.size(),
                             " bytes");
  }
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(100);
  tensorflow::GraphDef proto;
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, &proto)) {
    return InvalidArgument("this text is no GraphDef: ", error.text());
  }
  // Names must be UTF-8, which only the reader of bytes checks.
  if (std::all_of(text.begin(), text.end(), IsPlainAscii)) {
    return ImportGraphDef(proto, options, graph);
  }
  return ImportGraphDef(proto.SerializeAsString(), options, graph);
}

Status ImportGraphFile(const std::string& path, const ImportOptions& options, Graph* graph) {
  WB_ASSIGN_OR_RETURN(std::string bytes, ReadFileBytes(path));
  if (IsTextFile(path)) return Annotate(ImportGraphText(bytes, options, graph), path);
  Status status = ImportGraphDef(bytes, options, graph);
  if (!status.ok() && LooksLikeText(bytes)) {
    return InvalidArgument(path, ": the file looks like text; name it .pbtxt to have it read so");
  }
  return Annotate(status, path);
}

Status WriteGraphFile(const Graph& graph, const std::string& path) {
  auto bytes = IsTextFile(path) ? ExportGraphText(graph) : ExportGraphDef(graph);
  if (!bytes.ok()) return Annotate(bytes.status(), path);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) return FileError("create", path);
  file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  file.close();
  if (!file) return FileError("write", path);
  return OkStatus();
}

}  // namespace warpbeam
