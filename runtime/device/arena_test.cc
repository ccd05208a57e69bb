#include "runtime/device/arena.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// Counts what is taken and given back, and has no more than its limit.
class Counted final : public Allocator {
 public:
  const char* name() const override { return "counted"; }
  BufferRef Allocate(size_t bytes) override {
    if (taken_ + bytes > limit_) return BufferRef();
    taken_ += bytes;
    return BufferRef(new Block(this, bytes));
  }
  size_t taken() const { return taken_; }
  void set_limit(size_t bytes) { limit_ = bytes; }

 private:
  class Block final : public Buffer {
   public:
    Block(Counted* from, size_t bytes) : Buffer(nullptr, bytes), memory_(bytes), from_(from) {
      data_ = memory_.data();
    }

   protected:
    void Release() override {
      from_->taken_ -= bytes_;
      delete this;
    }

   private:
    std::vector<char> memory_;
    Counted* const from_;
  };
  size_t taken_ = 0;
  size_t limit_ = size_t{1} << 30;
};

TEST(Arena, GivesMemoryOutAgainAndAllBackInTheEnd) {
  Counted device;
  std::shared_ptr<Arena> arena = Arena::Create(device, 1 << 20);
  BufferRef a = arena->Allocate(1000);
  BufferRef b = arena->Allocate(3000);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->data(), b->data());
  const size_t held = arena->bytes_held();
  EXPECT_EQ(device.taken(), held);
  void* const at = a->data();
  a = BufferRef();
  a = arena->Allocate(900);
  EXPECT_EQ(a->data(), at);
  EXPECT_EQ(arena->bytes_held(), held);
  arena = nullptr;
  EXPECT_EQ(device.taken(), held);  // buffers keep it
  a = b = BufferRef();
  EXPECT_EQ(device.taken(), 0u);
}

TEST(Arena, TakesNoMoreThanIsNeededWhereThereIsLittle) {
  Counted device;
  device.set_limit(5000);
  const std::shared_ptr<Arena> arena = Arena::Create(device, 1 << 20);
  BufferRef a = arena->Allocate(1000);
  EXPECT_TRUE(a);
  EXPECT_EQ(arena->bytes_held(), 1024u);
  EXPECT_FALSE(arena->Allocate(8000));
  EXPECT_TRUE(arena->Allocate(3000));
}

TEST(Arena, TakesFirstWhatWasAskedForAndLittleBeyond) {
  Counted device;
  const std::shared_ptr<Arena> arena = Arena::Create(device, 32 << 20);
  EXPECT_EQ(device.taken(), 0u);  // until something is wanted
  const BufferRef a = arena->Allocate(20 << 20);
  const BufferRef b = arena->Allocate(12 << 20);
  EXPECT_EQ(arena->pieces(), 1);
  EXPECT_EQ(device.taken(), size_t{32} << 20);
  const BufferRef c = arena->Allocate(1000);
  EXPECT_EQ(arena->pieces(), 2);
  EXPECT_EQ(device.taken(), size_t{36} << 20);
}

TEST(SizingAllocator, WhatIsLetGoIsPlacedAgainAndWhatStaysByItself) {
  const auto sizing = SizingAllocator::Create(HostAllocator());
  BufferRef a = sizing->Allocate(1000);
  const BufferRef b = sizing->Allocate(2000);
  EXPECT_EQ(b->bytes(), 2000u);
  a = BufferRef();
  BufferRef c = sizing->Allocate(900);
  c = BufferRef();
  sizing->AddResident(500);
  const ArenaPlan use = sizing->plan();
  EXPECT_EQ(use.own_bytes, 2048u + 512u);
  EXPECT_EQ(use.scratch_bytes, 1024u);
  EXPECT_EQ(use.most_in_use, 2048u + 1024u);
  std::vector<bool> stays;
  for (const ArenaPlan::Block& block : use.blocks) stays.push_back(block.stays);
  EXPECT_EQ(stays, (std::vector<bool>{false, true, false, true}));
}

TEST(SizingAllocator, BuffersMayOutliveIt) {
  auto sizing = SizingAllocator::Create(HostAllocator());
  BufferRef a = sizing->Allocate(100);
  sizing = nullptr;
  static_cast<char*>(a->data())[99] = 1;
  a = BufferRef();
}

// Takes and lets go in an order that the seed says; returns what is left.
std::vector<BufferRef> Use(Allocator& memory, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BufferRef> held;
  for (int i = 0; i < 2000; ++i) {
    if (held.size() > 40 || (!held.empty() && random() % 3 == 0)) {
      std::swap(held[random() % held.size()], held.back());
      held.pop_back();
    } else {
      held.push_back(memory.Allocate(size_t{1} << (random() % 20)));
      EXPECT_TRUE(held.back());
    }
  }
  return held;
}

ArenaPlan UseOf(unsigned seed) {
  const auto sizing = SizingAllocator::Create(HostAllocator());
  const std::vector<BufferRef> left = Use(*sizing, seed);
  return sizing->plan();
}

TEST(SizingAllocator, AnArenaServesTheSameInOnePieceAndTheScratch) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ArenaPlan use = UseOf(seed);
    EXPECT_GT(use.own_bytes, 0u);
    EXPECT_GE(use.own_bytes + use.scratch_bytes, use.most_in_use);
    const auto scratch = Scratch::Create(HostAllocator());
    const auto arena = Arena::Create(HostAllocator(), use, scratch);
    {
      const std::vector<BufferRef> left = Use(*arena, seed);
      EXPECT_FALSE(scratch->in_use()) << "what is left is the arena's own";
    }
    EXPECT_EQ(arena->pieces(), 1);
    EXPECT_EQ(arena->bytes_held(), use.own_bytes);
    EXPECT_EQ(scratch->bytes_held(), use.scratch_bytes);
    ArenaPlan less = use;
    less.own_bytes -= 256;
    const auto other = Arena::Create(HostAllocator(), less, scratch);
    const std::vector<BufferRef> left = Use(*other, seed);
    EXPECT_EQ(other->pieces(), 2);
  }
}

TEST(Scratch, ArenasHaveTheSameMemory) {
  Counted device;
  const ArenaPlan first = UseOf(1), second = UseOf(2);
  const auto scratch = Scratch::Create(device);
  scratch->Expect(first.scratch_bytes);
  scratch->Expect(second.scratch_bytes);
  const auto a = Arena::Create(device, first, scratch);
  const auto b = Arena::Create(device, second, scratch);
  const std::vector<BufferRef> of_a = Use(*a, 1);
  const std::vector<BufferRef> of_b = Use(*b, 2);
  EXPECT_EQ(scratch->bytes_held(), std::max(first.scratch_bytes, second.scratch_bytes));
  EXPECT_EQ(device.taken(), first.own_bytes + second.own_bytes + scratch->bytes_held());
}

// Who is there first with less keeps what it has.
TEST(Scratch, WhatWasNotExpectedTakesMore) {
  Counted device;
  const auto scratch = Scratch::Create(device);
  const ArenaPlan small = {{{1000, false}}, 0, 1024, 1024};
  const ArenaPlan large = {{{5000, false}}, 0, 5120, 5120};
  const auto a = Arena::Create(device, small, scratch);
  const auto b = Arena::Create(device, large, scratch);
  BufferRef block = a->Allocate(1000);
  EXPECT_TRUE(scratch->in_use());
  block = BufferRef();
  EXPECT_FALSE(scratch->in_use());
  block = b->Allocate(5000);
  EXPECT_EQ(device.taken(), 1024u + 5120u);
  EXPECT_EQ(scratch->bytes_held(), 5120u);
}

TEST(Scratch, OtherWorkThanWasSeenHasMemoryOfItsOwn) {
  Counted device;
  const auto scratch = Scratch::Create(device);
  const ArenaPlan use = {{{1000, false}, {2000, true}, {3000, false}}, 2048, 4096, 6144};
  const auto arena = Arena::Create(device, use, scratch);
  const BufferRef a = arena->Allocate(1000);
  EXPECT_EQ(arena->pieces(), 0);
  const BufferRef other = arena->Allocate(1500);  // not 2000
  const BufferRef c = arena->Allocate(3000);
  EXPECT_EQ(arena->pieces(), 2);
  EXPECT_GE(arena->bytes_held(), 1536u + 3072u);
}

// Without memory for the scratch the arena tries for itself.
TEST(Scratch, MayHaveNoMemory) {
  Counted device;
  device.set_limit(3000);
  const auto scratch = Scratch::Create(device);
  const auto arena = Arena::Create(device, {{{1000, false}}, 0, 4096, 4096}, scratch);
  EXPECT_TRUE(arena->Allocate(1000));
  EXPECT_FALSE(scratch->in_use());
  EXPECT_EQ(scratch->bytes_held(), 0u);
}

}  // namespace
}  // namespace warpbeam
