#include "tests/fuzz/corpus.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "graph/io/graph_file.h"
#include "tests/fuzz/target.h"

namespace warpbeam {
namespace fuzz {
namespace {

namespace fs = std::filesystem;

Status ListFiles(const std::string& path, std::vector<std::string>* files) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) return NotFound("there is no corpus at ", path);
    files->push_back(path);
    return OkStatus();
  }
  fs::recursive_directory_iterator it(path, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_regular_file(error)) files->push_back(it->path().string());
  }
  return error ? FailedPrecondition("cannot list ", path, ": ", error.message()) : OkStatus();
}

void Add(std::string input, size_t max_size, Corpus* corpus) {
  if (input.size() > max_size) {
    ++corpus->num_too_long;
  } else {
    corpus->inputs.push_back(std::move(input));
  }
}

}  // namespace

StatusOr<Corpus> LoadCorpus(const std::vector<std::string>& paths, size_t max_size) {
  std::vector<std::string> files;
  for (const std::string& path : paths) WB_RETURN_IF_ERROR(ListFiles(path, &files));
  std::sort(files.begin(), files.end());
  const auto packs = std::stable_partition(files.begin(), files.end(), [](const std::string& f) {
    return ReadSeedPack == nullptr || !absl::EndsWith(f, ".gz");
  });
  Corpus corpus;
  for (auto it = files.begin(); it != packs; ++it) {
    WB_ASSIGN_OR_RETURN(std::string input, ReadFileBytes(*it));
    Add(std::move(input), max_size, &corpus);
  }
  corpus.num_files = corpus.inputs.size();
  for (auto it = packs; it != files.end(); ++it) {
    WB_ASSIGN_OR_RETURN(std::vector<std::string> inputs, ReadSeedPack(*it));
    for (std::string& input : inputs) Add(std::move(input), max_size, &corpus);
  }
  return corpus;
}

}  // namespace fuzz
}  // namespace warpbeam
