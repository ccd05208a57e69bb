// ElementBuffer: an iterator that runs in a thread of its own, ahead of those who take its
// elements.
//
// Up to `capacity` elements are made before anyone asks; with a capacity of 0 each one is made when
// it is asked for. Elements are given out in order, to those who asked first. The thread starts at
// the first request and ends with the sequence.
//
//   ElementBuffer buffer(dataset, std::move(context), std::move(iterator), {.capacity = 2});
//   WB_RETURN_IF_ERROR(buffer.GetNext(&element, &end));                        // waits
//   buffer.GetNextAsync(step, [](Status s, bool end, Element e) { … });  // never waits
//
// Ownership: the buffer owns iterator, context and (counted) dataset. Its destructor cancels the
// context, answers those who wait with CANCELLED and waits for the thread, at most for `close_ms`;
// a thread that is stuck by then is left behind with all it may touch, and named on stderr. Thread
// safety: GetNextAsync from any thread; the context of its step must live until `done` has been
// called. Errors: those of the iterator, each for one request; CANCELLED.
#ifndef WARPBEAM_OPS_DATA_ELEMENT_BUFFER_H_
#define WARPBEAM_OPS_DATA_ELEMENT_BUFFER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "ops/data/dataset.h"

namespace warpbeam {

// How many elements are held where that is left to us: one that is worked with and one that is
// ready; more where steps still wait.
inline constexpr int64_t kFirstAhead = 2;
inline constexpr int64_t kMostAhead = 16;

class ElementBuffer {
 public:
  struct Options {
    int64_t capacity = 1;
    // While elements are waited for, the capacity doubles up to this, and as long as so many of the
    // largest elements seen take no more than `max_bytes`.
    int64_t max_capacity = 0;
    int64_t max_bytes = int64_t{256} << 20;
    int64_t close_ms = -1;  // negative: as long as it takes
  };
  using Done = std::function<void(Status, bool end, Element)>;

  ElementBuffer(DatasetRef dataset, std::unique_ptr<PipelineContext> context,
                std::unique_ptr<DatasetIterator> input, Options options);
  ~ElementBuffer();
  ElementBuffer(const ElementBuffer&) = delete;
  ElementBuffer& operator=(const ElementBuffer&) = delete;

  // Starts the thread before the first request.
  Status Start();
  // One caller at a time; not to be mixed with GetNextAsync.
  Status GetNext(Element* element, bool* end);
  // Calls `done` once: before it returns when an element is there. `step` may be null; its
  // cancellation answers the request with CANCELLED.
  void GetNextAsync(StepContext* step, Done done);

 private:
  class State;

  const std::shared_ptr<State> state_;
  std::thread thread_;  // guarded by the state's lock until it runs
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_ELEMENT_BUFFER_H_
