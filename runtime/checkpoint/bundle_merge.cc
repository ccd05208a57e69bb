#include "runtime/checkpoint/bundle_merge.h"

#include <limits>
#include <map>

#include "absl/strings/match.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/bundle_replacement.h"
#include "runtime/checkpoint/bundle_writer.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

struct Merge {
  std::map<std::string, BundleEntry> entries;
  std::vector<std::string> data_files;  // of shard i
  bool is_big_endian = false;

  Status Add(const std::string& prefix);
  Status AddEntry(const std::string& prefix, const std::string& key, BundleEntry entry);
};

Status Merge::Add(const std::string& prefix) {
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<BundleReader> reader, BundleReader::Open(prefix));
  const BundleHeader& header = reader->header();
  if (!data_files.empty() && header.is_big_endian != is_big_endian) {
    return InvalidArgument("the checkpoints to merge are of different byte orders: ", prefix);
  }
  is_big_endian = header.is_big_endian;
  WB_ASSIGN_OR_RETURN(auto added, reader->AllEntries());
  // Only shards that hold something have a file and get a number.
  std::map<int32_t, int32_t> shard_of;
  for (auto& [key, entry] : added) {
    if (entry.slices.empty()) {
      if (entry.shard >= header.num_shards) {
        return DataLoss("tensor '", key, "' lies in shard ", entry.shard, " of ", header.num_shards,
                        " of ", prefix);
      }
      const auto [at, is_new] =
          shard_of.emplace(entry.shard, static_cast<int32_t>(data_files.size()));
      if (is_new) data_files.push_back(DataFileName(prefix, entry.shard, header.num_shards));
      entry.shard = at->second;
    }
    WB_RETURN_IF_ERROR(AddEntry(prefix, key, std::move(entry)));
  }
  return OkStatus();
}

Status Merge::AddEntry(const std::string& prefix, const std::string& key, BundleEntry entry) {
  auto at = entries.find(key);
  if (at == entries.end()) {
    entries.emplace(key, std::move(entry));
    return OkStatus();
  }
  BundleEntry& known = at->second;
  if (known.slices.empty() || entry.slices.empty()) {
    return InvalidArgument("Duplicate tensor keyed by ", key,
                           " encountered, when merging prefix: ", prefix);
  }
  if (known.dtype != entry.dtype || known.shape != entry.shape) {
    return InvalidArgument("the slices of ", key, " disagree: ", DTypeName(known.dtype),
                           known.shape.ToString(), " and, in ", prefix, ", ",
                           DTypeName(entry.dtype), entry.shape.ToString());
  }
  known.slices.insert(known.slices.end(), entry.slices.begin(), entry.slices.end());
  return OkStatus();
}

// A saver of shards writes them into folders of its own, "PREFIX_temp…/part-…", which the killed
// one has never merged. Those that hold nothing else go with them.
void RemoveLeftPartsBehind(const std::string& merged) {
  const std::string directory = DirectoryOf(merged);
  const std::string begin = merged.substr(merged.rfind('/') + 1) + "_temp";
  const auto beside = files::List(directory);
  if (!beside.ok()) return;
  for (const std::string& name : *beside) {
    if (!absl::StartsWith(name, begin)) continue;
    const std::string folder = absl::StrCat(directory, "/", name);
    bool has_left = false;
    const auto parts = files::List(folder);
    for (const std::string& part : parts.ok() ? *parts : std::vector<std::string>()) {
      has_left |= IsLeftBehind(absl::StrCat(folder, "/", part));
    }
    if (!has_left) continue;  // another saver may have made it just now
    RemoveLeftBehind(folder + "/");
    files::RemoveDirectory(folder);
  }
}

}  // namespace

Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& merged,
                    bool allow_missing) {
  Merge merge;
  std::vector<std::string> indices;
  for (const std::string& prefix : prefixes) {
    if (!files::Exists(IndexFileName(prefix))) {
      if (allow_missing) continue;
      return InvalidArgument("allow_missing_files was set to false and ", prefix,
                             " did not exist: there is no ", IndexFileName(prefix));
    }
    WB_RETURN_IF_ERROR(merge.Add(prefix));
    indices.push_back(IndexFileName(prefix));
  }
  if (indices.empty()) {
    return InvalidArgument("At least one prefix checkpoint file must exist, but none existed.");
  }
  WB_RETURN_IF_ERROR(MakeDirectoryOf(merged));
  RemoveLeftBehind(merged);
  RemoveLeftPartsBehind(merged);
  BundleHeader header;
  header.num_shards = ShardCountBeside(merged, static_cast<int32_t>(merge.data_files.size()));
  header.is_big_endian = merge.is_big_endian;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DurableFile> index,
                      WriteIndex(merged, header, merge.entries));
  int32_t shard = 0;
  for (const std::string& file : merge.data_files) {
    WB_RETURN_IF_ERROR(RenameFile(file, DataFileName(merged, shard++, header.num_shards)));
  }
  WB_RETURN_IF_ERROR(SyncDirectoryOf(merged));
  WB_RETURN_IF_ERROR(index->Commit());
  WB_RETURN_IF_ERROR(SyncDirectoryOf(merged));
  WB_RETURN_IF_ERROR(RemoveOtherData(merged, header.num_shards));
  // The old indices name files that have moved.
  for (const std::string& old : indices) {
    if (old != IndexFileName(merged)) files::Unlink(old);
  }
  return OkStatus();
}

}  // namespace warpbeam
