// ParallelMapDataset: a function of each element, called by several threads, or the elements for
// which it holds.
//
//   ParallelMapOptions options;
//   WB_ASSIGN_OR_RETURN(options.threads, ThreadsForCalls(num_parallel_calls));
//   auto mapped = std::make_shared<ParallelMapDataset>(spec, input, function, options);
//
// A thread takes a run of elements from the input, calls the function for each and hands the run
// over as a whole. Runs are long where the function is cheap, so that threads meet rarely, and one
// element long where it is slow. Threads are started when somebody has to wait, up to the number
// that was asked for; where the number is left to us, only as far as waits show that more would
// help (call_tuner.h), and threads rest again that have not been needed for long.
//
// Ownership and thread safety: as Dataset. Errors: those of the function and of the input, each in
// place of its element; the function's OUT_OF_RANGE is the end, or INVALID_ARGUMENT where the
// cardinality is to be preserved.
#ifndef WARPBEAM_OPS_DATA_TRANSFORM_PARALLEL_MAP_DATASET_H_
#define WARPBEAM_OPS_DATA_TRANSFORM_PARALLEL_MAP_DATASET_H_

#include <memory>
#include <utility>

#include "ops/data/captured_function.h"

namespace warpbeam {

struct ParallelMapOptions {
  int64_t threads = 1;
  bool is_tuned = false;  // `threads` is the most, not the number
  bool in_order = true;
  bool preserve_cardinality = false;
  bool filters = false;  // the function is a predicate: elements for which it holds are given out
};

class ParallelMapDataset final : public FunctionDataset {
 public:
  ParallelMapDataset(ElementSpec spec, DatasetRef input, CapturedFunction function,
                     ParallelMapOptions options)
      : FunctionDataset(std::move(spec), std::move(input), std::move(function)),
        options_(options) {}

  const char* name() const override { return options_.filters ? "ParallelFilter" : "ParallelMap"; }
  int64_t CountElements() const override {
    return options_.preserve_cardinality ? input().Cardinality() : kUnknown;
  }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext& pipeline) const override;

 private:
  class Iterator;
  const ParallelMapOptions options_;
};

// Sets the threads for so many calls at a time (kAutotune: as many as it needs, at most one for
// each core); INVALID_ARGUMENT for a number that is none.
Status SetCalls(int64_t num_parallel_calls, ParallelMapOptions* options);

// Whether the attribute `deterministic` asks for the elements' order; INVALID_ARGUMENT for a word
// that it cannot be.
StatusOr<bool> ReadsInOrder(const KernelInit& init);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_TRANSFORM_PARALLEL_MAP_DATASET_H_
