#include "runtime/step/loop_state.h"

#include <set>

#include "gtest/gtest.h"
#include "runtime/step/frame_unit.h"

namespace warpbeam {
namespace {

// Frame 1 is a loop outside of all others, frame 2 one inside of it.
FramePlan NestedFrames() {
  FramePlan plan;
  plan.frames.resize(3);
  plan.frames[0].num_children = 1;
  plan.frames[0].states = {{1, 0, -1}};
  plan.frames[0].readers = {2, 0};
  plan.frames[1].num_children = 1;
  plan.frames[1].num_enters = 2;
  plan.frames[1].num_exits = 3;
  plan.frames[1].num_slots = 4;
  plan.frames[1].states = {{2, 0, -1}, {1, 0, -1}};
  plan.frames[1].readers = {0, 3, 0, 0};
  plan.frames[2].parent = 1;
  plan.frames[2].num_enters = 1;
  plan.frames[2].num_slots = 1;
  return plan;
}

class LoopStateTest : public ::testing::Test {
 protected:
  std::set<const Iteration*> Alive() const {
    std::set<const Iteration*> alive;
    state_.ForEachIteration([&](const Iteration& it) { alive.insert(&it); });
    return alive;
  }

  const FramePlan plan_ = NestedFrames();
  Slot root_slots_[2];
  LoopState state_{plan_, root_slots_};
};

TEST_F(LoopStateTest, WhatIsOutsideUsesTheSlotsThatItIsGiven) {
  Iteration* root = state_.root();
  EXPECT_EQ(root->slots, root_slots_);
  EXPECT_EQ(root->states[0].pending, 1);
  EXPECT_EQ(root->readers, plan_.frames[0].readers);
  EXPECT_EQ(root->children.size(), 1u);
  EXPECT_EQ(root->loop->parent, nullptr);
  EXPECT_TRUE(root->IsIdle());
  EXPECT_EQ(Alive(), std::set<const Iteration*>{root});
}

TEST_F(LoopStateTest, ALoopBeginsWithItsFirstIteration) {
  Loop* loop = state_.StartLoop(1, state_.root());
  EXPECT_EQ(loop->frame, 1);
  EXPECT_EQ(loop->pending_enters, 2);
  EXPECT_EQ(loop->num_alive(), 1);
  EXPECT_EQ(loop->has_left, std::vector<uint8_t>(3, 0));
  EXPECT_EQ(state_.root()->children[0], loop);
  EXPECT_FALSE(state_.root()->IsIdle());
  Iteration* first = loop->at(0);
  EXPECT_EQ(first->number, 0);
  EXPECT_EQ(first->loop, loop);
  EXPECT_EQ(first->own_slots.size(), 4u);
  EXPECT_EQ(first->states[0].pending, 2);
  state_.DropFirst(loop);
  EXPECT_EQ(loop->num_alive(), 0);
  state_.EndLoop(loop);
  EXPECT_TRUE(state_.root()->IsIdle());
  EXPECT_EQ(state_.root()->children[0], nullptr);
}

// More are alive than the ring has places for, at any offset in it.
TEST_F(LoopStateTest, TheRingGrowsAroundThoseThatAreAlive) {
  Loop* loop = state_.StartLoop(1, state_.root());
  for (int offset = 0; offset < 11; ++offset) {
    state_.AddIteration(loop);
    state_.DropFirst(loop);
  }
  std::vector<Iteration*> alive = {loop->at(11)};
  while (alive.size() < 200) alive.push_back(state_.AddIteration(loop));
  EXPECT_EQ(loop->num_alive(), 200);
  for (size_t i = 0; i < alive.size(); ++i) {
    const auto number = static_cast<int64_t>(i) + 11;
    EXPECT_EQ(loop->at(number), alive[i]);
    EXPECT_EQ(alive[i]->number, number);
  }
  EXPECT_EQ(std::set<Iteration*>(alive.begin(), alive.end()).size(), 200u);
}

// A long loop takes as many iterations as are alive at a time.
TEST_F(LoopStateTest, IterationsAreUsedAgain) {
  std::set<const Iteration*> seen;
  std::set<const Loop*> loops;
  for (int round = 0; round < 3; ++round) {
    Loop* loop = state_.StartLoop(1, state_.root());
    loops.insert(loop);
    seen.insert(loop->at(0));
    for (int i = 0; i < 1000; ++i) {
      seen.insert(state_.AddIteration(loop));
      if (loop->num_alive() > 4) state_.DropFirst(loop);
    }
    while (loop->num_alive() > 0) state_.DropFirst(loop);
    state_.EndLoop(loop);
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(loops.size(), 1u);
}

// Used again, an iteration and a loop are as new.
TEST_F(LoopStateTest, NothingIsLeftOfAFormerUse) {
  const Tensor value = Tensor::Scalar(1.0f);
  Loop* loop = state_.StartLoop(1, state_.root());
  Iteration* it = loop->at(0);
  it->slots[0].value = value;
  it->slots[1].dead = true;
  it->states[0] = {-5, 3, 1};
  it->readers[1] = 0;
  it->outstanding = 7;
  it->is_straight = true;
  loop->has_left[1] = 1;
  loop->dead_exits = {3};
  loop->constants.emplace_back(2, Slot{value, nullptr, false});
  EXPECT_FALSE(value.IsUnique());
  it->outstanding = 0;
  state_.DropFirst(loop);
  state_.EndLoop(loop);
  EXPECT_TRUE(value.IsUnique());
  Loop* again = state_.StartLoop(1, state_.root());
  ASSERT_EQ(again, loop);
  EXPECT_EQ(again->has_left, std::vector<uint8_t>(3, 0));
  EXPECT_TRUE(again->dead_exits.empty());
  EXPECT_TRUE(again->constants.empty());
  ASSERT_EQ(again->at(0), it);
  EXPECT_FALSE(it->slots[0].value.has_value());
  EXPECT_FALSE(it->slots[1].dead);
  EXPECT_EQ(it->states[0].pending, 2);
  EXPECT_EQ(it->states[0].dead, 0);
  EXPECT_EQ(it->states[0].live_input, -1);
  EXPECT_EQ(it->readers[1], 3);
  EXPECT_FALSE(it->is_straight);
  EXPECT_TRUE(it->IsIdle());
}

// A step that was stopped leaves loops in loops behind.
TEST_F(LoopStateTest, ResetEndsWhateverRuns) {
  const Tensor value = Tensor::Scalar(1.0f);
  for (int round = 0; round < 3; ++round) {
    Loop* outer = state_.StartLoop(1, state_.root());
    for (int i = 0; i < 3; ++i) state_.AddIteration(outer);
    for (int64_t n = 0; n < 4; ++n) {
      Iteration* it = outer->at(n);
      it->slots[3].value = value;
      Loop* inner = state_.StartLoop(2, it);
      state_.AddIteration(inner);
      inner->at(1)->slots[0].value = value;
      inner->deferred.emplace_back(1, Slot{value, nullptr, false});
      inner->constants.emplace_back(1, Slot{value, nullptr, false});
    }
    state_.root()->states[0].pending = 0;
    EXPECT_EQ(Alive().size(), 1 + 4 + 4 * 2u);
    state_.Reset();
    EXPECT_EQ(Alive().size(), 1u);
    EXPECT_TRUE(value.IsUnique());
    EXPECT_TRUE(state_.root()->IsIdle());
    EXPECT_EQ(state_.root()->states[0].pending, 1);
    EXPECT_EQ(state_.root()->children[0], nullptr);
  }
}

// A ring that grows at any place of its head gives out what was put in, in the order of putting.
TEST(FrameWorkQueueTest, IsFirstInFirstOut) {
  for (int ahead = 0; ahead < 130; ahead += 7) {
    FrameWorkQueue queue;
    int32_t in = 0, out = 0;
    for (int i = 0; i < ahead; ++i) {
      queue.Push({in++, nullptr});
      EXPECT_EQ(queue.Pop().item, out++);
    }
    for (int i = 0; i < 300; ++i) {
      queue.Push({in++, nullptr});
      if (i % 5 == 0) {
        EXPECT_EQ(queue.Pop().item, out++);
      }
    }
    while (!queue.empty()) ASSERT_EQ(queue.Pop().item, out++);
    EXPECT_EQ(in, out);
  }
}

}  // namespace
}  // namespace warpbeam
