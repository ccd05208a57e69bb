#include "runtime/compile/lifetimes.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr int32_t kUnread = -1, kFixed = -2;

class Lifetimes {
 public:
  explicit Lifetimes(Program* program)
      : program_(*program),
        task_of_(program->items.size()),
        last_(program->num_slots, kUnread),
        readers_(program->num_slots, 0),
        in_one_task_(program->num_slots, 1),
        released_by_(program->num_slots, kUnread) {
    for (size_t t = 0; t < program_.tasks.size(); ++t) {
      const Range items = program_.tasks[t].items;
      for (int32_t i = items.begin; i < items.end; ++i) task_of_[i] = static_cast<int32_t>(t);
    }
  }

  void Run(const absl::flat_hash_set<int32_t>& kept) {
    for (const auto& constant : program_.constants) last_[constant.first] = kFixed;
    for (const PlanFeed& feed : program_.feeds) last_[feed.slot] = kFixed;
    for (int32_t slot : kept) last_[slot] = kFixed;
    for (int32_t i = 0; i < static_cast<int32_t>(program_.items.size()); ++i) FindLast(i);
    for (int32_t s = 0; s < program_.num_slots; ++s) {
      if (last_[s] >= 0 && IsCounted(s)) program_.counted.emplace_back(s, readers_[s]);
    }
    for (int32_t i = 0; i < static_cast<int32_t>(program_.items.size()); ++i) Assign(i);
  }

 private:
  template <typename Visit>
  void ForReads(const PlanItem& item, Visit visit) const {
    for (int32_t j = 0; j < item.info.num_inputs; ++j) {
      visit(program_.input_slots[item.input_begin + j]);
    }
    for (int32_t d = item.derefs.begin; d < item.derefs.end; ++d) visit(program_.derefs[d].ref);
  }
  bool IsCounted(int32_t slot) const { return readers_[slot] > 1 && in_one_task_[slot] == 0; }

  void FindLast(int32_t i) {
    const PlanItem& item = program_.items[i];
    for (int32_t o = 0; o < item.info.num_outputs; ++o) {
      int32_t& last = last_[item.info.output_start + o];
      if (last == kUnread) last = i;  // until somebody reads it, its writer is the last
    }
    ForReads(item, [&](int32_t slot) {
      if (last_[slot] == kFixed) return;
      if (readers_[slot] > 0 && last_[slot] == i) return;  // read twice by one item
      if (readers_[slot] > 0 && task_of_[last_[slot]] != task_of_[i]) in_one_task_[slot] = 0;
      last_[slot] = i;
      ++readers_[slot];
    });
  }

  void Assign(int32_t i) {
    PlanItem& item = program_.items[i];
    std::vector<int32_t>& lists = program_.slot_lists;
    item.clear.begin = static_cast<int32_t>(lists.size());
    released_.clear();
    ForReads(item, [&](int32_t slot) {
      if (last_[slot] == kFixed) return;
      if (!IsCounted(slot)) {
        if (last_[slot] == i) lists.push_back(slot);
      } else if (released_by_[slot] != i) {
        released_by_[slot] = i;
        released_.push_back(slot);
      }
    });
    for (int32_t o = 0; o < item.info.num_outputs; ++o) {
      if (last_[item.info.output_start + o] == i) lists.push_back(item.info.output_start + o);
    }
    item.clear.end = static_cast<int32_t>(lists.size());
    for (int32_t j = 0; j < std::min(item.info.num_inputs, 64); ++j) {
      const int32_t slot = program_.input_slots[item.input_begin + j];
      if (last_[slot] == i && !IsCounted(slot)) item.info.forwardable_inputs |= uint64_t{1} << j;
    }
    item.release.begin = item.clear.end;
    lists.insert(lists.end(), released_.begin(), released_.end());
    item.release.end = static_cast<int32_t>(lists.size());
  }

  Program& program_;
  std::vector<int32_t> task_of_;
  std::vector<int32_t> last_;     // item, kUnread or kFixed
  std::vector<int32_t> readers_;  // items
  std::vector<uint8_t> in_one_task_;
  std::vector<int32_t> released_by_;  // the last item that has the slot in its list
  std::vector<int32_t> released_;
};

}  // namespace

void AddLifetimes(const absl::flat_hash_set<int32_t>& kept, Program* program) {
  Lifetimes(program).Run(kept);
}

}  // namespace warpbeam
