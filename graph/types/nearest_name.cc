#include "graph/types/nearest_name.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

constexpr size_t kLongest = 128;
constexpr int kMostComparisons = 100'000;

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

bool IsScoped(absl::string_view name, absl::string_view wanted) {
  return name.size() > wanted.size() && absl::EndsWith(name, wanted) &&
         name[name.size() - wanted.size() - 1] == '/';
}

}  // namespace

NearestName::NearestName(absl::string_view wanted)
    : wanted_(wanted.substr(0, kLongest + 1)), best_(std::min<size_t>(3, wanted.size() / 3 + 1)) {}

void NearestName::Offer(absl::string_view name) {
  if (wanted_.empty() || wanted_.size() > kLongest) return;
  if (IsScoped(name, wanted_)) {
    // The outermost of several is what was most likely meant.
    if (scoped_.empty() || name.size() < scoped_.size() ||
        (name.size() == scoped_.size() && name < scoped_)) {
      scoped_ = std::string(name);
    }
    return;
  }
  if (name.size() > wanted_.size() + best_ || wanted_.size() > name.size() + best_) return;
  if (comparisons_ == kMostComparisons) return;
  ++comparisons_;
  const size_t distance = EditDistance(wanted_, name);
  if (distance < best_ || (distance == best_ && (nearest_.empty() || name < nearest_))) {
    best_ = distance;
    nearest_ = std::string(name);
  }
}

std::string NearestName::Question() const {
  return name().empty() ? "" : absl::StrCat("; did you mean '", ShownName(name()), "'?");
}

}  // namespace warpbeam
