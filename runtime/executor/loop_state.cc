#include "runtime/executor/loop_state.h"

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
    : plan_(plan), spare_loops_(plan.frames.size()), spare_iterations_(plan.frames.size()) {
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
  std::vector<Loop*>& spare = spare_loops_[frame];
  Loop* loop;
  if (spare.empty()) {
    loops_.push_back(std::make_unique<Loop>());
    loop = loops_.back().get();
    loop->frame = frame;
    loop->ring.resize(kFirstRing);
    spare.reserve(loops_.size());
  } else {
    loop = spare.back();
    spare.pop_back();
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
  loop->live_exits.clear();
  if (loop->straight != nullptr) loop->straight->Clear();
  spare_loops_[loop->frame].push_back(loop);
}

Iteration* LoopState::TakeIteration(Loop* loop, int64_t number) {
  const FrameLayout& layout = plan_.frames[loop->frame];
  std::vector<Iteration*>& spare = spare_iterations_[loop->frame];
  Iteration* it;
  if (spare.empty()) {
    iterations_.push_back(std::make_unique<Iteration>());
    it = iterations_.back().get();
    it->own_slots.resize(layout.num_slots);
    it->slots = it->own_slots.data();
    Prepare(layout, it);
    spare.reserve(iterations_.size());
  } else {
    it = spare.back();
    spare.pop_back();
  }
  CopyTemplate(layout, it);
  it->loop = loop;
  it->number = number;
  return it;
}

// What nobody has read, and what several might have read, is still there.
void LoopState::GiveBack(Iteration* iteration) {
  for (Slot& slot : iteration->own_slots) {
    if (slot.value.has_value()) slot.value.Reset();
    slot.ref = nullptr;
    slot.dead = false;
  }
  spare_iterations_[iteration->loop->frame].push_back(iteration);
  iteration->loop = nullptr;
  iteration->is_straight = false;
}

}  // namespace warpbeam
