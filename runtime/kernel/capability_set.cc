#include "runtime/kernel/capability_set.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

struct Word {
  const char* text;
  CapabilitySet set;
};
constexpr Word kWords[] = {{"read", {Capability::kReadFile}},
                           {"write", {Capability::kWriteFile}},
                           {"file", {Capability::kReadFile, Capability::kWriteFile}},
                           {"network", {Capability::kNetwork}},
                           {"all", CapabilitySet::All()},
                           {"none", {}}};

// The word for one capability.
const char* WordFor(Capability c) {
  return std::find_if(std::begin(kWords), std::end(kWords),
                      [&](const Word& w) { return w.set.Has(c); })
      ->text;
}

}  // namespace

StatusOr<CapabilitySet> CapabilitySet::Parse(absl::string_view text) {
  CapabilitySet set;
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const Word* const word = std::find_if(std::begin(kWords), std::end(kWords),
                                          [&](const Word& w) { return w.text == part; });
    if (word == std::end(kWords)) {
      return InvalidArgument("'", part,
                             "' is nothing that ops can be allowed: there are read, write, file "
                             "(both), network, all and none");
    }
    set.bits_ |= word->set.bits_;
  }
  return set;
}

std::string CapabilitySet::ToString() const {
  if (bits_ == 0) return "none";
  if (*this == All()) return "all";
  const Word& file = kWords[2];
  std::vector<const char*> words;
  if (HasAll(file.set)) {
    words.push_back(file.text);
  } else {
    for (const Word* word = kWords; word != &file; ++word) {
      if (HasAll(word->set)) words.push_back(word->text);
    }
  }
  if (Has(Capability::kNetwork)) words.push_back(WordFor(Capability::kNetwork));
  return absl::StrJoin(words, ",");
}

Status CapabilitySet::Check(const OpSchema& op) const {
  if (Has(op.capability)) return OkStatus();
  const char* const what = WordFor(op.capability);
  return PermissionDenied("the op needs '", what,
                          "', which the session does not allow (it allows: ", ToString(),
                          "); if you trust the graph, add '", what,
                          "' to SessionOptions::allow, or to --allow on the command line");
}

}  // namespace warpbeam
