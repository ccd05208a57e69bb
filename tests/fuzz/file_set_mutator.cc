#include "tests/fuzz/file_set_mutator.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/saved_model.pb.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/file_set.h"
#include "tests/fuzz/file_set.pb.h"
#include "tests/fuzz/message_mutator.h"
#include "tests/fuzz/record_image.h"
#include "tests/fuzz/table_image.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using files::Change;
using files::Command;
using files::FileSet;

constexpr int kMostChanges = 8;
constexpr int kMostWords = 12;

// The change of the path, if need be a new one.
Change* ChangeOf(const std::string& path, FileSet* set) {
  for (Change& change : *set->mutable_changes()) {
    if (change.path() == path) return &change;
  }
  Change* const change = set->add_changes();
  change->set_path(path);
  return change;
}

void SetContent(const std::string& path, std::string content, FileSet* set) {
  Change* const change = ChangeOf(path, set);
  change->set_kind(Change::CONTENT);
  change->set_content(std::move(content));
}

template <class Message>
std::string MutatedMessage(RandomSource& random, std::string content, size_t longest) {
  Message message;
  if (random.OneIn(8) || !message.ParseFromString(content)) {
    MutateBytes(random, longest, &content);
    return content;
  }
  MutateMessage(random, &message);
  return WireForm(message);
}

// An index whose entries, or whose data, changed; mostly with the checksums that go with them.
void MutateCheckpoint(RandomSource& random, const std::string& index, const Contents& contents,
                      FileSet* set) {
  const std::string prefix = index.substr(0, index.size() - std::string(".index").size());
  const auto data = std::find_if(contents.begin(), contents.end(), [&](const auto& file) {
    return absl::StartsWith(file.first, prefix + ".data-");
  });
  TableImage table;
  if (data == contents.end() || !table.Parse(contents.at(index))) return;
  std::string bytes = data->second;
  if (random.OneIn(2)) {
    MutateBytes(random, bytes.size(), &bytes);
    SetContent(data->first, bytes, set);
  } else {
    table.Mutate(random);
  }
  // With several data files the checksums would be another's.
  if (absl::EndsWith(data->first, "-of-00001") && !random.OneIn(4)) table.SetChecksums(bytes);
  SetContent(index, table.Bytes(), set);
}

void ChangeContent(RandomSource& random, size_t longest, const std::string& path,
                   const Contents& contents, FileSet* set) {
  std::string content = contents.at(path);
  if (absl::EndsWith(path, "saved_model.pb")) {
    content = MutatedMessage<tensorflow::SavedModel>(random, content, longest);
  } else if (absl::EndsWith(path, ".meta")) {
    content = MutatedMessage<tensorflow::MetaGraphDef>(random, content, longest);
  } else if (absl::EndsWith(path, ".index") && !random.OneIn(8)) {
    return MutateCheckpoint(random, path, contents, set);
  } else if (absl::StrContains(path, "tfevents") || absl::EndsWith(path, ".tfrecord")) {
    content = MutateRecords(random, content, longest);
  } else {
    MutateBytes(random, longest, &content);
  }
  if (content.size() <= longest) SetContent(path, std::move(content), set);
}

// What stands in the place of a file.
void ChangeKind(RandomSource& random, const std::string& path, const std::string& other,
                const Contents& contents, FileSet* set) {
  static constexpr const char* kTargets[] = {"",        ".",         "..",
                                             "nowhere", "/dev/null", "/proc/self/mem"};
  static constexpr int64_t kSizes[] = {
      1, 100, 1 << 20, 1 << 28, int64_t{1} << 31, int64_t{1} << 33, int64_t{1} << 40};
  // What has no end is for ops that read pieces; whole messages are read up to 2 GiB.
  static constexpr const char* kEndless = "/dev/full";
  const bool in_pieces = absl::EndsWith(path, ".tfrecord") || absl::EndsWith(path, ".txt");
  Change* const change = ChangeOf(path, set);
  switch (random.Below(7)) {
    case 0:
      return change->set_kind(Change::GONE);
    case 1:
      return change->set_kind(Change::FOLDER);
    case 2:
      change->set_kind(Change::LINK);
      if (in_pieces && random.OneIn(3)) return change->set_content(kEndless);
      return change->set_content(random.OneIn(2) ? path : random.Pick(kTargets));
    case 3:
      change->set_kind(Change::SPARSE);
      return change->set_size(random.Pick(kSizes));
    case 4:
      return SetContent(path, contents.at(path).substr(0, random.Below(contents.at(path).size())),
                        set);
    case 5:
      SetContent(other, contents.at(path), set);
      return SetContent(path, contents.at(other), set);
    default:
      return SetContent(path, random.OneIn(2) ? contents.at(other) : "", set);
  }
}

void ChangeWords(RandomSource& random, FileSet* set) {
  static constexpr const char* kWords[] = {"--signature=",
                                           "--signature=lookup",
                                           "--tags=",
                                           "--tags=serve,small",
                                           "--checkpoint=x",
                                           "--checkpoint=.",
                                           "--fetch=",
                                           "--fetch=x:0",
                                           "--fetch=y:1",
                                           "--feed=x=",
                                           "--feed=x=[1",
                                           "--input=x=nan",
                                           "--input=x=[[]]",
                                           "--input=x=.",
                                           "--init=init",
                                           "--target=save/restore_all",
                                           "--format=svg",
                                           "--format=text",
                                           "--values=-1",
                                           "--values=2147483647",
                                           "--rows=0",
                                           "--passes=x",
                                           "--devices=cpu:0",
                                           "--clear_devices",
                                           "--strict_placement",
                                           "--deterministic",
                                           "--log_device_placement",
                                           "--simulated_gpus=2",
                                           "--smoothing=1",
                                           "--help",
                                           "--",
                                           "",
                                           "variables/variables",
                                           "saved_model.pb",
                                           "model.ckpt-3.data-00000-of-00001"};
  if (set->commands().empty()) set->add_commands()->add_words("inspect");
  Command* const command = set->mutable_commands(random.IntBelow(set->commands_size()));
  const int size = command->words_size();
  const int at = size > 1 ? 1 + random.IntBelow(size - 1) : 0;
  if (size < 2 || (random.OneIn(3) && size < kMostWords)) {
    command->add_words(random.Pick(kWords));
  } else if (random.OneIn(3)) {
    command->mutable_words()->DeleteSubrange(at, 1);
  } else if (random.OneIn(3)) {
    command->set_words(at, random.Pick(kWords));
  } else {
    std::string word = command->words(at);
    MutateBytes(random, 1000, &word);
    // A field of text that is no UTF-8 would cost the whole input.
    if (std::all_of(word.begin(), word.end(), [](char c) { return c > 0; })) {
      command->set_words(at, word);
    }
  }
}

}  // namespace

void MutateFiles(RandomSource& random, size_t longest, FileSet* set) {
  const Contents contents = ContentsOf(*set);
  if (contents.empty() || random.OneIn(6)) return ChangeWords(random, set);
  std::vector<std::string> paths;
  for (const auto& file : contents) paths.push_back(file.first);
  const std::string path = random.Pick(paths);
  if (set->changes_size() >= kMostChanges) {
    set->mutable_changes()->DeleteSubrange(random.IntBelow(set->changes_size()), 1);
  } else if (random.OneIn(4)) {
    ChangeKind(random, path, random.Pick(paths), contents, set);
  } else {
    ChangeContent(random, longest, path, contents, set);
  }
}

}  // namespace fuzz
}  // namespace warpbeam
