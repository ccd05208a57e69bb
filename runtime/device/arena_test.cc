#include "runtime/device/arena.h"

#include <memory>
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
  std::shared_ptr<Arena> arena = Arena::Create(device);
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
  const std::shared_ptr<Arena> arena = Arena::Create(device);
  BufferRef a = arena->Allocate(1000);
  EXPECT_TRUE(a);
  EXPECT_EQ(arena->bytes_held(), 1024u);
  EXPECT_FALSE(arena->Allocate(8000));
  EXPECT_TRUE(arena->Allocate(3000));
}

}  // namespace
}  // namespace warpbeam
