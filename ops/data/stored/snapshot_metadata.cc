#include "ops/data/stored/snapshot_metadata.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "absl/strings/ascii.h"
#include "graph/io/dtype_io.h"
#include "ops/data/wire_message.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/record/file.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

constexpr char kFile[] = "snapshot.metadata";
constexpr size_t kMostBytes = size_t{1} << 20;

// The numbers of the message's fields.
enum Field { kGraphHash = 1, kRunId = 2, kCreated = 3, kVersion = 4, kTypes = 5, kElements = 6 };
constexpr int kFinalized = 1000;

bool IsName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isalnum);
}

Status AddType(uint64_t number, SnapshotMetadata* metadata) {
  const auto type = DTypeFromNumber(number > 1000 ? -1 : static_cast<int>(number));
  if (!type.ok() || *type == DType::kInvalid) return DataLoss("it names the type ", number);
  metadata->types.push_back(*type);
  return OkStatus();
}

StatusOr<SnapshotMetadata> Parse(absl::string_view bytes) {
  SnapshotMetadata metadata;
  metadata.version = 0;
  MessageReader reader(bytes);
  MessageField field;
  while (reader.Next(&field)) {
    const auto number = static_cast<int64_t>(field.number);
    if (field.id == kGraphHash) metadata.graph_hash = std::string(field.bytes);
    if (field.id == kRunId) metadata.run_id = std::string(field.bytes);
    if (field.id == kCreated) metadata.creation_timestamp = number;
    if (field.id == kVersion) metadata.version = number;
    if (field.id == kElements) metadata.num_elements = number;
    if (field.id == kFinalized) metadata.is_complete = number != 0;
    if (field.id != kTypes) continue;
    if (!field.is_bytes) {
      WB_RETURN_IF_ERROR(AddType(field.number, &metadata));
      continue;
    }
    while (!field.bytes.empty()) {
      uint64_t type = 0;
      if (!MessageReader::Varint(&field.bytes, &type))
        return DataLoss("a list of types ends early");
      WB_RETURN_IF_ERROR(AddType(type, &metadata));
    }
  }
  if (reader.is_damaged()) return DataLoss("it is no message");
  if (!IsName(metadata.run_id)) return DataLoss("the run's name is not of letters and digits");
  if (metadata.num_elements < 0)
    return DataLoss("it tells of ", metadata.num_elements, " elements");
  return metadata;
}

}  // namespace

std::string NewRunId() {
  std::random_device device;
  return absl::StrCat(static_cast<uint64_t>(device()) << 32 | device());
}

int64_t NowMicros() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

StatusOr<SnapshotMetadata> ReadSnapshotMetadata(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/", kFile);
  if (!files::Exists(path)) {
    return NotFound("Could not find metadata file [", files::Shown(path), "]");
  }
  WB_ASSIGN_OR_RETURN(const std::string bytes, ReadFileToString(path, kMostBytes));
  StatusOr<SnapshotMetadata> metadata = Parse(bytes);
  if (metadata.ok()) return metadata;
  return Annotate(metadata.status(), absl::StrCat("the metadata file ", path, " is damaged"));
}

Status WriteSnapshotMetadata(const std::string& folder, const SnapshotMetadata& metadata) {
  std::string types;
  for (const DType type : metadata.types) MessageWriter::Varint(NumberOf(type), &types);
  MessageWriter writer;
  writer.Bytes(kGraphHash, metadata.graph_hash);
  writer.Bytes(kRunId, metadata.run_id);
  writer.Number(kCreated, metadata.creation_timestamp);
  writer.Number(kVersion, metadata.version);
  writer.Bytes(kTypes, types);
  writer.Number(kElements, metadata.num_elements);
  writer.Number(kFinalized, metadata.is_complete ? 1 : 0);
  WB_RETURN_IF_ERROR(files::MakeDirectories(folder));
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<DurableFile> file,
                      DurableFile::Create(absl::StrCat(folder, "/", kFile)));
  WB_RETURN_IF_ERROR(file->Append(writer.message()));
  return file->Commit();
}

}  // namespace warpbeam
