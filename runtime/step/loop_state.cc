#include "runtime/step/loop_state.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr size_t kFirstRing = 16;

void CopyTemplate(const FrameLayout& layout, Iteration* it) {
  std::copy(layout.states.begin(), layout.states.end(), it->states.begin());
  std::copy(layout.readers.begin(), layout.readers.end(), it->readers.begin());
  std::fill(it->children.begin(), it->children.end(), nullptr);
  it->outstanding = 0;
  it->live_children = 0;
}

void Prepare(const FrameLayout& layout, Iteration* it) {
  it->states.resize(layout.states.size());
  it->readers.resize(layout.readers.size());
  it->children.resize(layout.num_children);
}

}  // namespace

LoopState::LoopState(const FramePlan& plan, Slot* root_slots)
    : plan_(plan), loop_pools_(plan.frames.size()), iteration_pools_(plan.frames.size()) {
  Prepare(plan.frames[0], &root_);
  root_.slots = root_slots;
  root_.loop = &root_loop_;
  CopyTemplate(plan.frames[0], &root_);
}

void LoopState::Reset() {
  // A step that was stopped leaves loops behind.
  for (const auto& iteration : iterations_) {
    if (iteration->loop != nullptr) GiveBack(iteration.get());
  }
  for (const auto& loop : loops_) {
    if (loop->parent == nullptr) continue;
    loop->deferred.clear();
    EndLoop(loop.get());
  }
  CopyTemplate(plan_.frames[0], &root_);
}

void LoopState::ForEachIteration(absl::FunctionRef<void(const Iteration&)> visit) const {
  visit(root_);
  for (const auto& iteration : iterations_) {
    if (iteration->loop != nullptr) visit(*iteration);
  }
}

Loop* LoopState::StartLoop(int32_t frame, Iteration* parent) {
  const FrameLayout& layout = plan_.frames[frame];
  Pool<Loop>& pool = loop_pools_[frame];
  Loop* loop;
  if (pool.spare.empty()) {
    loops_.push_back(std::make_unique<Loop>());
    loop = loops_.back().get();
    loop->frame = frame;
    loop->ring.resize(kFirstRing);
    loop->has_left.resize(layout.num_exits);
    pool.Grow();
  } else {
    loop = pool.spare.back();
    pool.spare.pop_back();
  }
  loop->parent = parent;
  loop->first = 0;
  loop->last = 0;
  loop->pending_enters = layout.num_enters;
  loop->at(0) = TakeIteration(loop, 0);
  parent->children[layout.child_index] = loop;
  ++parent->live_children;
  return loop;
}

Iteration* LoopState::AddIteration(Loop* loop) {
  ++loop->last;
  if (loop->num_alive() > static_cast<int64_t>(loop->ring.size())) {
    std::vector<Iteration*> larger(loop->ring.size() * 2);
    for (int64_t i = loop->first; i < loop->last; ++i) {
      larger[static_cast<size_t>(i) & (larger.size() - 1)] = loop->at(i);
    }
    loop->ring = std::move(larger);
  }
  return loop->at(loop->last) = TakeIteration(loop, loop->last);
}

void LoopState::DropFirst(Loop* loop) { GiveBack(loop->at(loop->first++)); }

void LoopState::EndLoop(Loop* loop) {
  Iteration* parent = loop->parent;
  parent->children[plan_.frames[loop->frame].child_index] = nullptr;
  --parent->live_children;
  loop->parent = nullptr;
  loop->constants.clear();
  loop->dead_exits.clear();
  std::fill(loop->has_left.begin(), loop->has_left.end(), 0);
  if (loop->straight != nullptr) loop->straight->Clear();
  loop_pools_[loop->frame].spare.push_back(loop);
}

Iteration* LoopState::TakeIteration(Loop* loop, int64_t number) {
  const FrameLayout& layout = plan_.frames[loop->frame];
  Pool<Iteration>& pool = iteration_pools_[loop->frame];
  Iteration* it;
  if (pool.spare.empty()) {
    iterations_.push_back(std::make_unique<Iteration>());
    it = iterations_.back().get();
    it->own_slots.resize(layout.num_slots);
    it->slots = it->own_slots.data();
    Prepare(layout, it);
    pool.Grow();
  } else {
    it = pool.spare.back();
    pool.spare.pop_back();
  }
  CopyTemplate(layout, it);
  it->loop = loop;
  it->number = number;
  return it;
}

// What several might have read, or nobody has read because its readers were dead, is still there.
void LoopState::GiveBack(Iteration* iteration) {
  for (Slot& slot : iteration->own_slots) {
    if (slot.value.has_value()) slot.value.Reset();
    slot.ref = nullptr;
    slot.dead = false;
  }
  iteration_pools_[iteration->loop->frame].spare.push_back(iteration);
  iteration->loop = nullptr;
  iteration->is_straight = false;
}

}  // namespace warpbeam
