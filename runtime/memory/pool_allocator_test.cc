#include "runtime/memory/pool_allocator.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {
namespace {

TEST(PoolAllocator, BlocksAreAlignedAndLargeEnough) {
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{64}, size_t{65}, size_t{1024}, size_t{1025},
                       size_t{1280}, size_t{1281}, size_t{100000}, size_t{5 << 20}}) {
    BufferRef b = PoolAllocator::Process().Allocate(bytes);
    ASSERT_TRUE(b) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data()) % Allocator::kAlignment, 0u);
    memset(b->data(), 1, bytes);
  }
}

TEST(PoolAllocator, CountsTheMostThatIsInUseAtATime) {
  PoolAllocator& pool = PoolAllocator::Process();
  pool.ResetPeak();
  const int64_t before = pool.peak_bytes();
  BufferRef kept = pool.Allocate(1 << 20);
  pool.Allocate(2 << 20);
  pool.Allocate(1 << 20);
  EXPECT_EQ(pool.peak_bytes(), before + (3 << 20)) << "with the second one";
  pool.ResetPeak();
  EXPECT_EQ(pool.peak_bytes(), before + (1 << 20)) << "what is kept";
}

TEST(PoolAllocator, SteadyStateAsksTheSystemForNothing) {
  const std::vector<size_t> sizes = {8, 100, 4096, 70000, 1 << 20, 3 << 20};
  const auto round = [&] {
    std::vector<BufferRef> held;
    for (size_t s : sizes) held.push_back(PoolAllocator::Process().Allocate(s));
  };
  round();
  const int64_t before = PoolAllocator::Process().stats().system_allocations;
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(PoolAllocator::Process().stats().system_allocations, before);
}

TEST(PoolAllocator, BlocksFreedByAnotherThreadAreFoundAgain) {
  const int64_t before = PoolAllocator::Process().stats().bytes_in_use;
  BufferRef b = PoolAllocator::Process().Allocate(1000);
  std::thread([moved = std::move(b)]() mutable { moved = BufferRef(); }).join();
  EXPECT_EQ(PoolAllocator::Process().stats().bytes_in_use, before);
}

// One thread allocates and another frees, as with tensors that cross threads: what piles up in the
// second one's cache on the way to the steady state is small.
TEST(PoolAllocator, BlocksThatCrossThreadsComeBackSoon) {
  const int64_t before = PoolAllocator::Process().stats().system_allocations;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<BufferRef> given;
  bool last = false;
  std::thread taker([&] {
    std::unique_lock<std::mutex> lock(mutex);
    while (!last) {
      changed.wait(lock, [&] { return !given.empty() || last; });
      given.clear();
      changed.notify_all();
    }
  });
  for (int i = 0; i < 100; ++i) {
    std::vector<BufferRef> made;
    for (const size_t size : {100, 4000, 40000}) {
      made.push_back(PoolAllocator::Process().Allocate(size));
    }
    std::unique_lock<std::mutex> lock(mutex);
    given = std::move(made);
    changed.notify_all();
    changed.wait(lock, [&] { return given.empty(); });
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    last = true;
    changed.notify_all();
  }
  taker.join();
  EXPECT_LT(PoolAllocator::Process().stats().system_allocations - before, 3 + 32 + 8 + 2);
}

TEST(PoolAllocator, LimitIsKept) {
  PoolAllocator& pool = PoolAllocator::Process();
  pool.set_limit(pool.stats().bytes_in_use + (1 << 20));
  EXPECT_FALSE(pool.Allocate(2 << 20));
  EXPECT_TRUE(pool.Allocate(1 << 18));
  pool.set_limit(0);
  EXPECT_TRUE(pool.Allocate(2 << 20));
}

TEST(PoolAllocator, AbsurdSizesAreRefused) {
  EXPECT_FALSE(PoolAllocator::Process().Allocate(SIZE_MAX));
  EXPECT_FALSE(PoolAllocator::Process().Allocate(SIZE_MAX / 2));
}

TEST(PoolAllocator, TrimGivesFreeMemoryBack) {
  { BufferRef b = PoolAllocator::Process().Allocate(8 << 20); }
  EXPECT_GT(PoolAllocator::Process().stats().bytes_free, 0);
  PoolAllocator::Process().Trim();
  EXPECT_EQ(PoolAllocator::Process().stats().bytes_free, 0);
}

TEST(PoolAllocator, StringsCountWithTheirContents) {
  PoolAllocator& pool = PoolAllocator::Process();
  const int64_t before = pool.stats().bytes_in_use;
  {
    Tensor t = *Tensor::Allocate(DType::kString, Shape({100}));
    EXPECT_EQ(pool.stats().bytes_in_use - before, 100 * static_cast<int64_t>(sizeof(std::string)));
    for (std::string& s : t.flat<std::string>()) s.assign(1000, 'x');
    ASSERT_TRUE(StringMemory::Count(t).ok());
    const int64_t counted = pool.stats().bytes_in_use - before;
    EXPECT_GE(counted, 100'000);
    EXPECT_LE(counted, 150'000);
    ASSERT_TRUE(StringMemory::Count(t.Rows(0, 1)).ok());  // once
    EXPECT_EQ(pool.stats().bytes_in_use - before, counted);
    pool.set_limit(before + counted + 5000);
    EXPECT_TRUE(StringMemory::CheckRoom(Shape({10}), 1000).ok());
    EXPECT_EQ(StringMemory::CheckRoom(Shape({10}), 10'000).code(), StatusCode::kResourceExhausted);
    EXPECT_FALSE(pool.Allocate(10'000));
    pool.set_limit(0);
  }
  EXPECT_EQ(pool.stats().bytes_in_use, before);
}

}  // namespace
}  // namespace warpbeam
