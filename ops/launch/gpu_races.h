// GpuRaces: makes ThreadSanitizer see the threads of a GPU in the loops that the host runs for
// them.
//
// The host goes through the blocks of a grid, and through the threads of each phase, one after the
// other; to ThreadSanitizer all of that is one thread, which cannot race with itself. Here groups
// of a block's threads are fibers with stacks of their own, and so are neighbouring blocks. A
// phase's barrier orders the groups of a block and a launch's end its blocks; nothing else does. So
// two threads of a phase, or of two blocks, that touch the same memory without atomics are
// reported, wherever one writes, in whatever order the host happens to run them.
//
// A group is a quarter of a block's threads, and every second block is of the same fibers: of four
// threads that one races with, one is not told from it, and of two blocks one. From the fifth block
// of a grid on, and from the 65th phase of a block, nothing is taken apart, as it takes the
// sanitizer long. Who races does so in more places than one.
//
//   ForEachBlock(grid.blocks, run_block, &kernel);        // run_block(&kernel, b) for each block
//
//   ForEachGroup(run_group, &phase);                      // in a block, once a phase
//   if (ThreadGroup{group}.Has(thread)) run(thread);      // run_group(&phase, group), each thread
//
// Without ThreadSanitizer these are loops, and all threads are one group. They are functions and no
// templates, which would be compiled for each phase of each kernel. Under ThreadSanitizer they have
// other names: a program may have code with it and without, which do not divide a block alike.
//
// Ownership: a thread borrows its fibers from those that the process has made; making them takes
// the sanitizer long. Thread safety: any thread. Errors: none.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_RACES_H_
#define WARPBEAM_OPS_LAUNCH_GPU_RACES_H_

#include <cstdint>

namespace warpbeam::internal {
// Work on a block or on a group of its threads, by its number; `of` is what the caller hands on.
using GpuJob = void (*)(const void* of, int64_t number);
}  // namespace warpbeam::internal

// The namespace of what ThreadSanitizer makes different. The compiler's own macro is not there in
// our builds (.bazelrc says why).
#if defined(_GLIBCXX_TSAN)
#define WB_RACES with_fibers
#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

// Of what hands over from fiber to fiber: no access of the kernel's, and in no order that
// ThreadSanitizer would know of.
#define WB_NOT_SEEN __attribute__((no_sanitize("thread"), noinline))

namespace warpbeam::internal {
inline namespace WB_RACES {

class GpuFiber {
 public:
  // What a job begins and ends with: it happens after what was released to `before`, and before
  // what acquires `after`.
  struct Order {
    char before = 0, after = 0;
  };

  WB_NOT_SEEN GpuFiber() : stack_(new char[kStackBytes]), fiber_(__tsan_create_fiber(0)) {}
  WB_NOT_SEEN ~GpuFiber() { __tsan_destroy_fiber(fiber_); }
  GpuFiber(const GpuFiber&) = delete;
  GpuFiber& operator=(const GpuFiber&) = delete;

  WB_NOT_SEEN void Run(GpuJob job, const void* of, int64_t number, Order* order) {
    job_ = job;
    of_ = of;
    number_ = number;
    order_ = order;
    caller_fiber_ = __tsan_get_current_fiber();
    if (!began_) {
      began_ = true;
      getcontext(&context_);
      context_.uc_stack.ss_sp = stack_.get();
      context_.uc_stack.ss_size = kStackBytes;
      context_.uc_link = nullptr;
      // makecontext's arguments are ints: the address goes in two.
      const auto address = reinterpret_cast<uintptr_t>(this);
      makecontext(&context_, reinterpret_cast<void (*)()>(&Main), 2,
                  static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    }
    __tsan_switch_to_fiber(fiber_, __tsan_switch_to_fiber_no_sync);
    swapcontext(&caller_, &context_);
  }

 private:
  static constexpr size_t kStackBytes = size_t{1} << 18;

  WB_NOT_SEEN static void Main(unsigned high, unsigned low) {
    auto* const own = reinterpret_cast<GpuFiber*>(uintptr_t{high} << 32 | low);
    while (true) {
      __tsan_acquire(&own->order_->before);
      own->job_(own->of_, own->number_);
      __tsan_release(&own->order_->after);
      __tsan_switch_to_fiber(own->caller_fiber_, __tsan_switch_to_fiber_no_sync);
      swapcontext(&own->context_, &own->caller_);
    }
  }

  const std::unique_ptr<char[]> stack_;
  void* const fiber_;
  bool began_ = false;
  ucontext_t context_ = {}, caller_ = {};
  void* caller_fiber_ = nullptr;
  GpuJob job_ = nullptr;
  const void* of_ = nullptr;
  int64_t number_ = 0;
  Order* order_ = nullptr;
};

// The threads of a block that one fiber runs.
struct ThreadGroup {
  static constexpr int64_t kCount = 4;
  static constexpr int64_t kAll = -1;
  int64_t number;

  // Neighbours are of different groups, and so are threads that are a power of two apart.
  bool Has(unsigned thread) const { return number == kAll || thread * 2654435769u >> 30 == number; }
};

// That take turns, each with memory of its own.
inline constexpr int kBlocksAtOnce = 2;

class GpuRaces {
 public:
  WB_NOT_SEEN static GpuRaces& OfThread() {
    static thread_local Loan own;
    return *own.races;
  }

  static constexpr int64_t kBlocks = 4;   // of a grid, that are taken apart
  static constexpr int64_t kPhases = 64;  // of each of them

  WB_NOT_SEEN void RunBlocks(int64_t blocks, GpuJob job, const void* of) {
    __tsan_release(&launch_.before);
    for (int64_t b = 0; b < blocks; ++b) {
      running_ = &sides_[b % kBlocksAtOnce];
      phases_ = b < kBlocks ? kPhases : 0;
      running_->block.Run(job, of, b, &launch_);
    }
    __tsan_acquire(&launch_.after);
  }
  WB_NOT_SEEN void RunGroups(GpuJob job, const void* of) {
    if (phases_ == 0) {
      job(of, ThreadGroup::kAll);
      return;
    }
    --phases_;
    Side& side = *running_;
    __tsan_release(&side.phase.before);
    for (int64_t g = 0; g < ThreadGroup::kCount; ++g) {
      side.groups[g].Run(job, of, g, &side.phase);
    }
    __tsan_acquire(&side.phase.after);
  }

 private:
  struct Side {
    GpuFiber block;
    GpuFiber groups[ThreadGroup::kCount];
    GpuFiber::Order phase;
  };
  // Of a thread, from what is lent to no other.
  struct Loan {
    std::unique_ptr<GpuRaces> races;

    Loan() {
      Lender& lender = Lender::OfProcess();
      const std::lock_guard<std::mutex> lock(lender.mutex);
      if (lender.idle.empty()) {
        races = std::make_unique<GpuRaces>();
      } else {
        races = std::move(lender.idle.back());
        lender.idle.pop_back();
      }
    }
    ~Loan() {
      Lender& lender = Lender::OfProcess();
      const std::lock_guard<std::mutex> lock(lender.mutex);
      lender.idle.push_back(std::move(races));
    }
  };
  struct Lender {
    std::mutex mutex;
    std::vector<std::unique_ptr<GpuRaces>> idle;

    // Never destroyed: threads may end later than main does.
    static Lender& OfProcess() {
      static auto* const lender = new Lender;
      return *lender;
    }
  };
  Side sides_[kBlocksAtOnce];
  GpuFiber::Order launch_;
  Side* running_ = nullptr;
  int64_t phases_ = 0;  // still to be taken apart in this block
};

inline void ForEachBlock(int64_t blocks, GpuJob job, const void* of) {
  GpuRaces::OfThread().RunBlocks(blocks, job, of);
}
inline void ForEachGroup(GpuJob job, const void* of) { GpuRaces::OfThread().RunGroups(job, of); }

}  // namespace WB_RACES
}  // namespace warpbeam::internal

#undef WB_NOT_SEEN

#else
#define WB_RACES in_loops

namespace warpbeam::internal {
inline namespace WB_RACES {

inline constexpr int kBlocksAtOnce = 1;

struct ThreadGroup {
  int64_t number;
  static constexpr bool Has(unsigned) { return true; }
};

inline void ForEachBlock(int64_t blocks, GpuJob job, const void* of) {
  for (int64_t b = 0; b < blocks; ++b) job(of, b);
}
inline void ForEachGroup(GpuJob job, const void* of) { job(of, 0); }

}  // namespace WB_RACES
}  // namespace warpbeam::internal

#endif

#endif  // WARPBEAM_OPS_LAUNCH_GPU_RACES_H_
