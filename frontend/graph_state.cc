#include "frontend/graph_state.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace frontend {

GraphState::GraphState(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {
  if (place_.ref().get() == nullptr) {
    status_ = ResourceExhausted("four million graphs are held at once; let go of their Scopes");
  }
}

Status GraphState::CheckGrows(const std::string& name, const char* op) const {
  if (!finalized_) return OkStatus();
  return FailedPrecondition("the graph is finalized, '", name, "' (", op,
                            ") cannot be added to it; what a loop runs must be built before it");
}

// Nodes come from elsewhere too: importers, gradients.
void GraphState::NoteNewNodes() {
  for (; noted_nodes_ < graph_->num_nodes(); ++noted_nodes_) {
    names_.emplace(absl::AsciiStrToLower(graph_->node(noted_nodes_).name()), 1);
  }
}

std::string GraphState::UniqueName(const std::string& name) {
  NoteNewNodes();
  const std::string key = absl::AsciiStrToLower(name);
  const auto found = names_.find(key);
  if (found == names_.end()) {
    names_[key] = 1;
    return name;
  }
  int number = found->second;
  while (names_.count(absl::StrCat(key, "_", number)) > 0) ++number;
  names_[key] = number + 1;
  names_[absl::StrCat(key, "_", number)] = 1;
  return absl::StrCat(name, "_", number);
}

std::pair<int64_t, int64_t> GraphState::NextSeeds(const int64_t* op_seed) {
  constexpr int64_t kSeedOfNoGraph = 87654321;
  constexpr int64_t kModulus = 0x7fffffff;
  if (!has_seed_ && op_seed == nullptr) return {0, 0};
  const int64_t first = has_seed_ ? seed_ : kSeedOfNoGraph;
  const int64_t second = op_seed == nullptr ? seeds_given_++ : *op_seed;
  const auto reduced = [](int64_t seed) { return ((seed % kModulus) + kModulus) % kModulus; };
  // Two zeros would ask for seeds that differ from run to run.
  if (reduced(first) == 0 && reduced(second) == 0) return {0, kModulus};
  return {reduced(first), reduced(second)};
}

}  // namespace frontend
}  // namespace warpbeam
