#include "runtime/compile/cost_profile.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

constexpr char kHeader[] = "warpbeam costs 1";
// What may follow in the same file: costs by op, for those who simulate
// (placement/cost/op_costs.h).
constexpr char kNextHeader[] = "warpbeam op costs ";

// FNV-1a.
uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

CostProfile CostProfile::Of(const std::vector<StepStats>& steps) {
  struct Sum {
    absl::string_view op;
    int64_t ns = 0;
    int64_t times = 0;
  };
  std::map<absl::string_view, Sum> sums;
  for (const StepStats& step : steps) {
    for (const NodeStats& node : step.nodes) {
      if (node.is_copy || node.op == "_Border" || node.end_ns < node.start_ns) continue;
      Sum& sum = sums[node.node];
      sum.op = node.op;
      sum.ns += node.end_ns - node.start_ns;
      ++sum.times;
    }
  }
  CostProfile profile;
  for (const auto& [node, sum] : sums) {
    profile.costs_[std::string(node)] = {std::string(sum.op), sum.ns / sum.times};
  }
  return profile;
}

StatusOr<CostProfile> CostProfile::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("the cost profile ", path, " cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return Parse(text, path);
}

StatusOr<CostProfile> CostProfile::Parse(absl::string_view text, const std::string& name) {
  CostProfile profile;
  profile.name_ = name;
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const auto refuse = [&](size_t line, const std::string& why) {
    return InvalidArgument("the cost profile ", name, ", line ", line + 1, ": ", why,
                           "; write it anew with warpbeam profile --save_costs");
  };
  if (lines[0] != kHeader) {
    return refuse(0, absl::StrCat("a cost profile begins with '", kHeader, "'"));
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<absl::string_view> words = absl::StrSplit(lines[i], ' ');
    int64_t number = 0;
    if (words.size() == 2 && words[0] == "end") {
      const bool is_whole = absl::SimpleAtoi(words[1], &number) &&
                            number == static_cast<int64_t>(profile.costs_.size()) &&
                            i + 1 < lines.size() &&
                            (absl::StartsWith(lines[i + 1], kNextHeader) ||
                             (i + 2 == lines.size() && lines[i + 1].empty()));
      if (!is_whole) return refuse(i, "there are more or fewer nodes than it says");
      return profile;
    }
    if (words.size() != 3 || !absl::SimpleAtoi(words[0], &number) || number < 0 ||
        words[1].empty() || words[2].empty()) {
      return refuse(i, "it is not of the form 'NANOSECONDS OP NODE'");
    }
    if (!profile.costs_.try_emplace(std::string(words[2]), Cost{std::string(words[1]), number})
             .second) {
      return refuse(i, absl::StrCat("the node '", words[2], "' stands there twice"));
    }
  }
  return refuse(lines.size() - 1, "the line 'end COUNT' is missing");
}

std::optional<int64_t> CostProfile::Find(const Node& node) const {
  const auto found = costs_.find(node.name());
  if (found == costs_.end() || found->second.op != node.op_name()) return std::nullopt;
  return found->second.ns;
}

std::string CostProfile::ToText() const {
  std::string text = absl::StrCat(kHeader, "\n");
  for (const auto& [node, cost] : costs_) {
    absl::StrAppend(&text, cost.ns, " ", cost.op, " ", node, "\n");
  }
  absl::StrAppend(&text, "end ", costs_.size(), "\n");
  return text;
}

std::string CostProfile::ToString() const {
  return absl::StrFormat("%s, %d nodes, hash %016x", name_, costs_.size(), HashOf(ToText()));
}

}  // namespace warpbeam
