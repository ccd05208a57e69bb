// LaunchObserver: is told of the memory that nodes' launches use, for tests of what orders them.
//
// A driver knows which memory a copy uses, and nothing of what kernels do. An observer is told of
// each node that was launched, in the order of its stream: the tensors that it was given, and those
// that it has made.
//
//   class Listing final : public LaunchObserver {
//     void Launched(Stream& stream, absl::string_view node, Span<const Use> uses) override { … }
//   };
//   Listing listing;
//   LaunchObserver::Set(&listing);                         // null: nobody is told any more
//
// What a kernel does to variables it does not tell. Ownership: the caller's, until another is set
// and no step runs. Thread safety: Launched is called by the launching threads of all lanes at
// once; Set while no step runs. Errors: none.
#ifndef WARPBEAM_RUNTIME_KERNEL_LAUNCH_OBSERVER_H_
#define WARPBEAM_RUNTIME_KERNEL_LAUNCH_OBSERVER_H_

#include <atomic>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "graph/types/span.h"
#include "runtime/device/stream.h"

namespace warpbeam {

class LaunchObserver {
 public:
  // At a tensor's address; host memory may be among them.
  struct Use {
    const void* at;
    size_t bytes;
    bool writes;
  };

  virtual ~LaunchObserver() = default;
  virtual void Launched(Stream& stream, absl::string_view node, Span<const Use> uses) = 0;

  static void Set(LaunchObserver* observer) { OfProcess().store(observer); }
  static LaunchObserver* Get() { return OfProcess().load(std::memory_order_relaxed); }

 private:
  static std::atomic<LaunchObserver*>& OfProcess() {
    static std::atomic<LaunchObserver*> observer{nullptr};
    return observer;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_LAUNCH_OBSERVER_H_
