// Folders of models, checkpoints, records and event files, given to the program's own commands as
// the command line gives them. An input is a file set (file_set.proto), as text or as bytes.
#include <google/protobuf/text_format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "absl/strings/str_format.h"
#include "runtime/memory/pool_allocator.h"
#include "tests/fuzz/file_set.h"
#include "tests/fuzz/file_set.pb.h"
#include "tests/fuzz/file_set_mutator.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_form.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace fuzz {
namespace {

using files::Command;
using files::FileSet;

constexpr int64_t kPoolBytes = 64 << 20;
constexpr int kMostCommands = 8;
constexpr size_t kLongestFile = 1 << 15;
// Whatever the files hold, what is printed can be read by somebody.
constexpr size_t kLongestOutput = 256 << 10;

struct Counts {
  int64_t all = 0;
  int64_t good = 0;
};
std::map<std::string, Counts>& Counted() {
  static std::map<std::string, Counts> counted;
  return counted;
}

FileSet Parse(absl::string_view input) {
  FileSet set;
  if (google::protobuf::TextFormat::ParseFromString(std::string(input), &set)) return set;
  set.Clear();
  if (!set.ParseFromArray(input.data(), static_cast<int>(input.size()))) set.Clear();
  return set;
}

// Those that end by themselves.
bool MayRun(const Command& command) {
  static constexpr const char* kNames[] = {"inspect", "run", "place", "report"};
  return !command.words().empty() &&
         std::find(std::begin(kNames), std::end(kNames), command.words(0)) != std::end(kNames);
}

void Run(const Command& command) {
  std::vector<std::string> words(command.words().begin(), command.words().end());
  // The last of a flag counts.
  if (words[0] == "run") words.insert(words.end(), {"--timeout_ms=250", "--steps=2"});
  std::ostringstream out, err;
  cli::Console console{out, err, /*is_terminal=*/false};
  const int code = cli::RunProgram(words, console);
  Counts& counts = Counted()[words[0]];
  ++counts.all;
  counts.good += code == 0 ? 1 : 0;
  // What a run fetches is as long as it is.
  const std::string told = (words[0] == "run" ? "" : out.str()) + err.str();
  if (told.size() <= kLongestOutput) return;
  fprintf(stderr, "%s prints %zu bytes: %.1000s...\n", words[0].c_str(), told.size(), told.c_str());
  abort();
}

void Run(absl::string_view input) {
  static const char* const start = [] {
    PoolAllocator::Process().set_limit(kPoolBytes);
    return getcwd(nullptr, 0);
  }();
  static ScratchFolder folder;  // it goes away at exit
  const FileSet set = Parse(input);
  folder.Fill(set);
  if (start == nullptr || chdir(folder.path().c_str()) != 0) abort();
  for (int i = 0; i < std::min(kMostCommands, set.commands_size()); ++i) {
    if (MayRun(set.commands(i))) Run(set.commands(i));
  }
  if (chdir(start) != 0) abort();
}

}  // namespace

bool SummarizeRuns(std::string* text) {
  // Runs that find nothing because nothing can be read would look like good ones.
  constexpr double kLeastShare = 0.1;
  int64_t all = 0, good = 0;
  for (const auto& [name, counts] : Counted()) {
    all += counts.all;
    good += counts.good;
    const double share = static_cast<double>(counts.good) / static_cast<double>(counts.all);
    absl::StrAppendFormat(text, "  %7d %5.1f %% went well  %s\n", counts.all, 100 * share, name);
  }
  const bool enough =
      all < 100 || static_cast<double>(good) >= kLeastShare * static_cast<double>(all);
  if (!enough) absl::StrAppendFormat(text, "less than %.0f %% went well\n", 100 * kLeastShare);
  return enough;
}

}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  files::FileSet set = warpbeam::fuzz::Parse({reinterpret_cast<const char*>(data), size});
  warpbeam::fuzz::MutateFiles(random, warpbeam::fuzz::kLongestFile, &set);
  const std::string made = warpbeam::fuzz::WireForm(set);
  if (made.size() > max_size) return size;
  memcpy(data, made.data(), made.size());
  return made.size();
}
