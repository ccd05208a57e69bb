#include "graph/passes/update_order.h"

#include <algorithm>

namespace warpbeam {
namespace {

using Update = ReferenceViews::Update;

constexpr size_t kWordBits = 64;

bool ByVariable(const Update& a, const Update& b) { return a.variable < b.variable; }

}  // namespace

UpdateOrder::UpdateOrder(const Components& components, const std::vector<Update>& updates)
    : components_(components), updates_(updates) {
  CountUpdates();
}

void UpdateOrder::CountUpdates() {
  has_update_.assign(components_.size(), false);
  for (const Update& u : updates_) {
    const int32_t component = components_.of(u.node);
    has_update_[component] = true;
    if (components_.IsCyclic(component)) on_rings_.insert({component, u.variable});
  }
  depth_.assign(components_.size(), 0);
  for (const NodeId id : components_.order()) {
    const int32_t to = components_.of(id);
    components_.ForPredecessors(id, [&](NodeId before) {
      const int32_t from = components_.of(before);
      if (from != to) depth_[to] = std::max(depth_[to], depth_[from] + (has_update_[from] ? 1 : 0));
    });
  }
}

void UpdateOrder::Ask(NodeId reader, NodeId in, int32_t variable, bool read_at_in) {
  questions_.push_back({components_.of(reader), components_.of(in), variable, read_at_in});
}

std::vector<bool> UpdateOrder::Answer() {
  late_.assign(questions_.size(), false);
  for (size_t i = 0; i < questions_.size(); ++i) {
    const Question& q = questions_[i];
    // On a ring each node comes after every other.
    if (on_rings_.contains({q.reader, q.variable})) {
      late_[i] = true;
    } else if (depth_[q.reader] > 0) {
      open_.push_back(i);
    }
  }
  std::stable_sort(open_.begin(), open_.end(), [&](size_t a, size_t b) {
    return questions_[a].variable < questions_[b].variable;
  });
  FindCandidates();
  words_ = std::min(kMostWords, (candidates_.size() + kWordBits - 1) / kWordBits);
  const size_t batch = words_ * kWordBits;
  for (size_t begin = 0; begin < candidates_.size(); begin += batch) {
    AnswerBatch(begin, std::min(begin + batch, candidates_.size()));
  }
  return std::move(late_);
}

// An update may come before a reader only where more updates in a row come before the reader.
void UpdateOrder::FindCandidates() {
  absl::flat_hash_map<int32_t, int32_t> deepest;  // by variable: of the readers
  for (const size_t i : open_) {
    int32_t& depth = deepest[questions_[i].variable];
    depth = std::max(depth, depth_[questions_[i].reader]);
  }
  for (const Update& u : updates_) {
    const auto found = deepest.find(u.variable);
    if (found != deepest.end() && depth_[components_.of(u.node)] < found->second) {
      candidates_.push_back(u);
    }
  }
}

void UpdateOrder::AnswerBatch(size_t begin, size_t end) {
  Flow(begin, end);
  const auto first = std::lower_bound(
      open_.begin(), open_.end(), candidates_[begin].variable,
      [&](size_t i, int32_t variable) { return questions_[i].variable < variable; });
  for (auto it = first; it != open_.end(); ++it) {
    const Question& q = questions_[*it];
    if (q.variable > candidates_[end - 1].variable) break;
    if (!late_[*it] && IsLate(q, begin, end)) late_[*it] = true;
  }
}

// Bit b of a component: candidate begin + b comes before it. What is in a component comes before
// all that follow, not before the component itself.
void UpdateOrder::Flow(size_t begin, size_t end) {
  before_.assign(static_cast<size_t>(components_.size()) * words_, 0);
  repeated_.assign(words_, 0);
  std::vector<std::pair<int32_t, size_t>> own;  // component, bit
  for (size_t c = begin; c < end; ++c) {
    const int32_t component = components_.of(candidates_[c].node);
    own.emplace_back(component, c - begin);
    if (!components_.IsCyclic(component)) continue;
    repeated_[(c - begin) / kWordBits] |= uint64_t{1} << ((c - begin) % kWordBits);
  }
  std::sort(own.begin(), own.end());
  std::vector<int32_t> own_begin;
  for (const NodeId id : components_.order()) {
    const int32_t to = components_.of(id);
    uint64_t* const into = &before_[static_cast<size_t>(to) * words_];
    components_.ForPredecessors(id, [&](NodeId before) {
      const int32_t from = components_.of(before);
      if (from == to) return;
      const uint64_t* const of = &before_[static_cast<size_t>(from) * words_];
      for (size_t w = 0; w < words_; ++w) into[w] |= of[w];
      if (!has_update_[from]) return;
      for (auto it = std::lower_bound(own.begin(), own.end(), std::make_pair(from, size_t{0}));
           it != own.end() && it->first == from; ++it) {
        into[it->second / kWordBits] |= uint64_t{1} << (it->second % kWordBits);
      }
    });
  }
}

bool UpdateOrder::IsLate(const Question& q, size_t begin, size_t end) const {
  const auto range = std::equal_range(candidates_.begin() + begin, candidates_.begin() + end,
                                      Update{kNoNode, q.variable}, ByVariable);
  const size_t first = static_cast<size_t>(range.first - candidates_.begin()) - begin;
  const size_t last = static_cast<size_t>(range.second - candidates_.begin()) - begin;
  const uint64_t* const reader = &before_[static_cast<size_t>(q.reader) * words_];
  const uint64_t* const in = &before_[static_cast<size_t>(q.in) * words_];
  for (size_t w = first / kWordBits; w * kWordBits < last; ++w) {
    uint64_t updates = reader[w] & ~(q.read_at_in ? in[w] & ~repeated_[w] : 0);
    if (w == first / kWordBits) updates &= ~uint64_t{0} << (first % kWordBits);
    if (last - w * kWordBits < kWordBits) updates &= (uint64_t{1} << (last % kWordBits)) - 1;
    if (updates != 0) return true;
  }
  return false;
}

}  // namespace warpbeam
