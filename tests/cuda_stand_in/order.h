// What orders the work of different streams, and uses of memory that nothing orders.
//
// Each stream counts the work that it is given, and knows how much of each other stream's comes
// before its own: by events that it waits for, and by what the host waited for before it enqueued.
// Of copies, memsets and calls of libraries it is known which memory they use. Told is
// (UnorderedUses) what another stream's work does not come before although one of both writes: a
// read behind a write, a write behind a write, and a write behind a read, such as of memory that
// was given away while somebody still reads it. Kernels are host code that may use any memory; of
// those that steps launch it is known which tensors they were given and have made
// (unordered_uses_test.cc), and of variables that they change, nothing.
//
//   order.Give("cudaMemsetAsync", {{to, bytes, /*writes=*/true}});
//   …                                              // on another stream, without an event between:
//   other.Give("cudaMemcpyAsync", {{to, bytes, /*writes=*/false}});
//
// Thread safety: any thread; calls for one stream come in the order of the stream.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_ORDER_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace warpbeam::cuda_stand_in {

// Memory that some work reads or writes; memory that is not a GPU's does not count.
struct Use {
  const void* at;
  size_t bytes;
  bool writes;
};

// How much work of each stream, by the streams' numbers, comes before something.
using Clock = std::map<int64_t, int64_t>;

class StreamOrder {
 public:
  StreamOrder();
  // A stream whose work the host has waited for is forgotten: all comes after it.
  ~StreamOrder();
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;
  void Give(const char* function, const std::vector<Use>& uses);
  // What comes before an event that is recorded now.
  Clock Now() const;
  // The stream waits for an event.
  void ComesAfter(const Clock& event);

 private:
  const int64_t number_;
  Clock before_;  // itself included
};

// The host has waited for that, so that all it enqueues from now on comes after.
void HostComesAfter(const Clock& event);
// The memory is nobody's any more, at the host's addresses.
void ForgetUses(const void* host, size_t bytes);

}  // namespace warpbeam::cuda_stand_in

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_ORDER_H_
