// Checkpoints of both versions. An input is the length of the first file (four bytes,
// little-endian), that file (an index, or a whole version 1 checkpoint), and what follows is the
// index's data file.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/slice_file_reader.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/table_image.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr size_t kMostTensors = 64;

struct Files {
  std::string index;
  std::string data;
};

Files SplitInput(absl::string_view input) {
  Files files;
  uint32_t length = 0;
  if (input.size() < sizeof length) return files;
  memcpy(&length, input.data(), sizeof length);
  input.remove_prefix(sizeof length);
  files.index = std::string(input.substr(0, length));
  files.data = std::string(input.substr(files.index.size()));
  return files;
}

std::string JoinInput(const Files& files) {
  const auto length = static_cast<uint32_t>(files.index.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + files.index +
         files.data;
}

// A checkpoint's files have names that belong together: links in a folder lead to both.
class CheckpointFiles {
 public:
  CheckpointFiles() {
    const char* const base = getenv("TEST_TMPDIR");
    folder_ = absl::StrCat(base != nullptr ? base : "/tmp", "/bundle_XXXXXX");
    if (mkdtemp(&folder_[0]) == nullptr ||
        symlink(index_.path().c_str(), (prefix() + kIndex).c_str()) != 0 ||
        symlink(data_.path().c_str(), (prefix() + kData).c_str()) != 0) {
      perror(folder_.c_str());
      abort();
    }
  }
  ~CheckpointFiles() {
    unlink((prefix() + kIndex).c_str());
    unlink((prefix() + kData).c_str());
    rmdir(folder_.c_str());
  }
  std::string prefix() const { return folder_ + "/b"; }
  std::string index() const { return prefix() + kIndex; }
  void Set(const Files& files) {
    index_.Set(files.index);
    data_.Set(files.data);
  }

 private:
  static constexpr char kIndex[] = ".index";
  static constexpr char kData[] = ".data-00000-of-00001";
  MemoryFile index_;
  MemoryFile data_;
  std::string folder_;
};

Status ReadBundle(const std::string& prefix) {
  WB_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(prefix));
  reader->AllEntries().status().IgnoreError();
  std::vector<std::string> names = reader->names();
  names.resize(std::min(names.size(), kMostTensors));
  for (const std::string& name : names) {
    reader->Read(name).status().IgnoreError();
    const StatusOr<BundleEntry> entry = reader->Find(name);
    if (!entry.ok()) continue;
    reader->ReadSlice(name, TensorSlice::Whole(entry->shape.rank())).status().IgnoreError();
    for (const TensorSlice& slice : entry->slices) {
      reader->ReadSlice(name, slice).status().IgnoreError();
    }
  }
  return OkStatus();
}

Status ReadSlices(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const auto reader, SliceFileReader::Open(path));
  size_t count = 0;
  for (const auto& [name, stored] : reader->tensors()) {
    if (++count > kMostTensors) break;
    reader->Read(name, TensorSlice::Whole(stored.full.rank())).status().IgnoreError();
    for (const auto& part : stored.parts) reader->Read(name, part.slice).status().IgnoreError();
  }
  return OkStatus();
}

void MutateFiles(RandomSource& random, size_t max_size, Files* files) {
  TableImage table;
  if (random.OneIn(4)) {
    MutateBytes(random, max_size, &files->index);
  } else if (table.Parse(files->index)) {
    if (random.OneIn(4)) {
      MutateBytes(random, max_size, &files->data);
    } else {
      table.Mutate(random);
    }
    if (!random.OneIn(4)) table.SetChecksums(files->data);
    files->index = table.Bytes();
  } else {
    MutateBytes(random, max_size, &files->data);
  }
}

}  // namespace
}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpbeam::fuzz;
  const Files files = SplitInput({reinterpret_cast<const char*>(data), size});
  static CheckpointFiles checkpoint;  // its folder goes away at exit
  checkpoint.Set(files);
  ReadBundle(checkpoint.prefix()).IgnoreError();
  ReadSlices(checkpoint.index()).IgnoreError();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  using namespace warpbeam::fuzz;
  RandomSource random(seed);
  Files files = SplitInput({reinterpret_cast<const char*>(data), size});
  MutateFiles(random, max_size, &files);
  std::string made = JoinInput(files);
  made.resize(std::min(made.size(), max_size));
  memcpy(data, made.data(), made.size());
  return made.size();
}
