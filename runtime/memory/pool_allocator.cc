#include "runtime/memory/pool_allocator.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "graph/types/block_sizes.h"
#include "graph/types/object_memory.h"
#include "runtime/memory/taken_memory.h"

namespace warpbeam {
namespace {

constexpr size_t kHeader = Allocator::kAlignment;
constexpr int kNumClasses = BlockSizes::kNumClasses;
constexpr size_t kThreadCachedBytes = 64 << 10;  // blocks up to this size are cached by threads
// What a thread keeps of each class. Where one thread frees what another allocates, that many
// blocks pile up before the central list hands them back, so large blocks, for which its lock is
// cheap, are few: the sooner a training loop asks the system for nothing.
constexpr size_t kThreadCacheBlocks = 32;
constexpr size_t kThreadCacheBytes = 32 << 10;
constexpr size_t kThreadCacheLeast = 2;

constexpr size_t ClassBytes(int c) { return BlockSizes::OfClass(c); }

// Free blocks are chained through their first word.
struct FreeBlock {
  FreeBlock* next;
};

struct Central {
  std::mutex mutex;
  std::array<FreeBlock*, kNumClasses> lists{};
  int64_t bytes_free = 0;
};

Central& CentralLists() {
  static Central* central = new Central;
  return *central;
}

// What the limit and the statistics look at.
struct Counters {
  std::atomic<int64_t> in_use{0};
  std::atomic<int64_t> system{0};
  std::atomic<int64_t> peak{0};  // of in_use and what objects have, since it was last reset
};
Counters& GlobalCounters() {
  static Counters* counters = new Counters;
  return *counters;
}

// The pool's, and that of tensors whose elements are objects.
int64_t BytesInUse() {
  return GlobalCounters().in_use.load(std::memory_order_relaxed) + ObjectMemory::bytes_in_use();
}

// Objects are not seen when they are made, but with the next block.
void NotePeak() {
  std::atomic<int64_t>& peak = GlobalCounters().peak;
  const int64_t now = BytesInUse();
  int64_t before = peak.load(std::memory_order_relaxed);
  while (now > before && !peak.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

// Three quarters of what the process may have: the rest is for everything else that it, and the
// machine, must keep in memory to stay alive.
int64_t DefaultLimit() {
  int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  // What a container allows, by the two versions of control groups; "max" is no number.
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    int64_t allowed = 0;
    if (file >> allowed && allowed > 0) bytes = std::min(bytes, allowed);
  }
  return bytes / 4 * 3;
}

void PushCentral(FreeBlock* block, int c) {
  Central& central = CentralLists();
  std::lock_guard<std::mutex> lock(central.mutex);
  block->next = central.lists[c];
  central.lists[c] = block;
  central.bytes_free += static_cast<int64_t>(ClassBytes(c));
}

FreeBlock* PopCentral(int c) {
  Central& central = CentralLists();
  std::lock_guard<std::mutex> lock(central.mutex);
  FreeBlock* block = central.lists[c];
  if (block != nullptr) {
    central.lists[c] = block->next;
    central.bytes_free -= static_cast<int64_t>(ClassBytes(c));
  }
  return block;
}

struct ThreadCache {
  static constexpr int kClasses = BlockSizes::kSmallClasses + 4 * 6;  // up to 64 KiB
  // By class: how many blocks are kept.
  static constexpr std::array<int, kClasses> kMost = [] {
    std::array<int, kClasses> most{};
    for (int c = 0; c < kClasses; ++c) {
      const size_t fitting = kThreadCacheBytes / ClassBytes(c);
      most[c] = static_cast<int>(std::clamp(fitting, kThreadCacheLeast, kThreadCacheBlocks));
    }
    return most;
  }();
  std::array<FreeBlock*, kClasses> lists{};
  std::array<int, kClasses> counts{};
  ~ThreadCache() { Flush(); }
  void Flush() {
    for (int c = 0; c < kClasses; ++c) {
      while (FreeBlock* block = lists[c]) {
        lists[c] = block->next;
        PushCentral(block, c);
      }
      counts[c] = 0;
    }
  }
};

// A plain pointer for the fast path, and an owner that flushes when the thread ends. Blocks freed
// by destructors that run after the owner go to the central lists.
thread_local ThreadCache* tls_cache = nullptr;
thread_local bool tls_cache_gone = false;
struct ThreadCacheOwner {
  // On the heap: a library that a program opens late gets little room for variables of threads.
  const std::unique_ptr<ThreadCache> cache = std::make_unique<ThreadCache>();
  ThreadCacheOwner() { tls_cache = cache.get(); }
  ~ThreadCacheOwner() {
    tls_cache = nullptr;
    tls_cache_gone = true;
  }
};
ThreadCache* LocalCache() {
  if (tls_cache != nullptr || tls_cache_gone) return tls_cache;
  static thread_local ThreadCacheOwner owner;
  return tls_cache;
}

}  // namespace

class PoolBuffer final : public Buffer {
 public:
  PoolBuffer(void* data, size_t bytes, int size_class)
      : Buffer(data, bytes), size_class_(size_class) {}

 protected:
  void Release() override {
    const int c = size_class_;
    GlobalCounters().in_use.fetch_sub(static_cast<int64_t>(ClassBytes(c)),
                                      std::memory_order_relaxed);
    TakenMemory::Add(-static_cast<int64_t>(bytes()));
    this->~PoolBuffer();
    auto* block = reinterpret_cast<FreeBlock*>(this);
    if (c < ThreadCache::kClasses) {
      ThreadCache* cache = LocalCache();
      if (cache != nullptr && cache->counts[c] < ThreadCache::kMost[c]) {
        block->next = cache->lists[c];
        cache->lists[c] = block;
        ++cache->counts[c];
        return;
      }
    }
    PushCentral(block, c);
  }

 private:
  const int size_class_;
};
static_assert(sizeof(PoolBuffer) <= kHeader);

PoolAllocator& PoolAllocator::Process() {
  static PoolAllocator* const allocator = [] {
    auto* const made = new PoolAllocator;
    made->limit_.store(DefaultLimit());
    return made;
  }();
  return *allocator;
}

BufferRef PoolAllocator::Allocate(size_t bytes) {
  if (bytes > BlockSizes::kLargest) return BufferRef();
  const int c = BlockSizes::ClassOf(bytes);
  const int64_t size = static_cast<int64_t>(ClassBytes(c));
  Counters& counters = GlobalCounters();
  const int64_t limit = limit_.load(std::memory_order_relaxed);
  if (limit > 0 && BytesInUse() + size > limit) return BufferRef();
  void* block = nullptr;
  ThreadCache* cache = c < ThreadCache::kClasses ? LocalCache() : nullptr;
  if (cache != nullptr && cache->lists[c] != nullptr) {
    FreeBlock* head = cache->lists[c];
    cache->lists[c] = head->next;
    --cache->counts[c];
    block = head;
  } else {
    block = PopCentral(c);
  }
  if (block == nullptr) {
    block = aligned_alloc(kAlignment, kHeader + static_cast<size_t>(size));
    if (block == nullptr) {
      Trim();
      block = aligned_alloc(kAlignment, kHeader + static_cast<size_t>(size));
      if (block == nullptr) return BufferRef();
    }
    counters.system.fetch_add(1, std::memory_order_relaxed);
  }
  counters.in_use.fetch_add(size, std::memory_order_relaxed);
  NotePeak();
  TakenMemory::Add(static_cast<int64_t>(bytes));
  return BufferRef(new (block) PoolBuffer(static_cast<char*>(block) + kHeader, bytes, c));
}

void PoolAllocator::Trim() {
  if (ThreadCache* cache = LocalCache()) cache->Flush();
  Central& central = CentralLists();
  std::array<FreeBlock*, kNumClasses> lists;
  {
    std::lock_guard<std::mutex> lock(central.mutex);
    lists = central.lists;
    central.lists.fill(nullptr);
    central.bytes_free = 0;
  }
  for (FreeBlock* head : lists) {
    while (head != nullptr) {
      FreeBlock* next = head->next;
      free(head);
      head = next;
    }
  }
}

int64_t PoolAllocator::peak_bytes() const {
  return std::max(BytesInUse(), GlobalCounters().peak.load(std::memory_order_relaxed));
}

void PoolAllocator::ResetPeak() {
  GlobalCounters().peak.store(BytesInUse(), std::memory_order_relaxed);
}

PoolAllocator::Stats PoolAllocator::stats() const {
  Stats s;
  s.bytes_in_use = BytesInUse();
  s.system_allocations = GlobalCounters().system.load();
  Central& central = CentralLists();
  std::lock_guard<std::mutex> lock(central.mutex);
  s.bytes_free = central.bytes_free;
  return s;
}

}  // namespace warpbeam
