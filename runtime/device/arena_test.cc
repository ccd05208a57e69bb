#include "runtime/device/arena.h"

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

TEST(SizingAllocator, WhatIsLetGoIsPlacedAgain) {
  const auto sizing = SizingAllocator::Create(HostAllocator());
  BufferRef a = sizing->Allocate(1000);
  const BufferRef b = sizing->Allocate(2000);
  EXPECT_EQ(b->bytes(), 2000u);
  a = BufferRef();
  const BufferRef c = sizing->Allocate(900);
  const SizingAllocator::Results results = {b->data(), c->data()};
  EXPECT_EQ(sizing->arena_bytes(results), 1024u + 2048u);
  sizing->AddResident(500);
  EXPECT_EQ(sizing->arena_bytes(results), 1024u + 2048u + 512u);
  EXPECT_EQ(sizing->most_in_use(results), sizing->arena_bytes(results));
}

// A variable's value, from now on at that place.
TEST(SizingAllocator, WhatSomebodyElseKeepsIsNotCounted) {
  const auto sizing = SizingAllocator::Create(HostAllocator());
  BufferRef a = sizing->Allocate(1000);
  const BufferRef variable = sizing->Allocate(1 << 20);
  const BufferRef result = sizing->Allocate(3000);
  a = BufferRef();
  EXPECT_EQ(sizing->arena_bytes({result->data()}), 1024u + 3072u);
  EXPECT_EQ(sizing->arena_bytes({result->data(), variable->data()}), 1024u + (1 << 20) + 3072u);
  EXPECT_EQ(sizing->arena_bytes({}), 1024u);
}

TEST(SizingAllocator, BuffersMayOutliveIt) {
  auto sizing = SizingAllocator::Create(HostAllocator());
  BufferRef a = sizing->Allocate(100);
  sizing = nullptr;
  static_cast<char*>(a->data())[99] = 1;
  a = BufferRef();
}

// Takes and lets go in an order that the seed says; nothing is left.
void Use(Allocator& memory, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BufferRef> held;
  for (int i = 0; i < 2000; ++i) {
    if (held.size() > 40 || (!held.empty() && random() % 3 == 0)) {
      std::swap(held[random() % held.size()], held.back());
      held.pop_back();
    } else {
      held.push_back(memory.Allocate(size_t{1} << (random() % 20)));
      ASSERT_TRUE(held.back());
    }
  }
}

TEST(SizingAllocator, AnArenaOfTheSizeServesTheSameInOnePiece) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto sizing = SizingAllocator::Create(HostAllocator());
    Use(*sizing, seed);
    const auto arena = Arena::Create(HostAllocator(), sizing->arena_bytes({}));
    Use(*arena, seed);
    EXPECT_EQ(arena->pieces(), 1);
    EXPECT_EQ(arena->bytes_held(), sizing->arena_bytes({}));
    EXPECT_GE(sizing->arena_bytes({}), sizing->most_in_use({}));
    const auto other = Arena::Create(HostAllocator(), sizing->arena_bytes({}) - 256);
    Use(*other, seed);
    EXPECT_EQ(other->pieces(), 2);
  }
}

}  // namespace
}  // namespace warpbeam
