// IteratorState: how far an iterator has come, in a form that survives its session: how many
// elements it has given out, and the seeds that its datasets had at the beginning.
//
// To go on from a state is to begin the same dataset anew with these seeds and to pass over the
// elements that were given out before. They are made again for that, functions and all, which takes
// as long as it took the first time; nothing that datasets keep in memory has to be written.
//
//   IteratorState state = BeginningOf(*dataset);           // before the pipeline is opened
//   state.taken = 3;
//   WB_RETURN_IF_ERROR(ApplySeeds(state, *dataset));       // of another session, perhaps
//   DatasetRef rest = ContinuedDataset(dataset, state.taken);
//   WB_ASSIGN_OR_RETURN(auto pipeline, Pipeline::Open(rest, functions, resources));
//
// In variants it is TensorFlow's "tensorflow::Iterator" with metadata of our own.
//
// Ownership: values. Thread safety: pure, but for the seeds, which have their locks. Errors:
// NOT_FOUND for a state of another dataset, as in TensorFlow; INVALID_ARGUMENT for one of
// TensorFlow's making.
#ifndef WARPBEAM_OPS_DATA_ITERATOR_ITERATOR_STATE_H_
#define WARPBEAM_OPS_DATA_ITERATOR_ITERATOR_STATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ops/data/dataset.h"
#include "ops/data/random_samples.h"

namespace warpbeam {

struct IteratorState {
  std::string datasets;  // the names of all in the tree, each once, from its root
  int64_t taken = 0;
  std::vector<SeedGenerator::State> seeds;  // in the order of `datasets`
};

IteratorState BeginningOf(const Dataset& dataset);
Status ApplySeeds(const IteratorState& state, const Dataset& dataset);

// The elements of `dataset` but for the first `passed`; those that are errors count.
DatasetRef ContinuedDataset(DatasetRef dataset, int64_t passed);

// FAILED_PRECONDITION, naming the op, where a function of the dataset has a stateful one.
Status CheckNoExternalState(const Dataset& dataset, const FunctionLibrary& library);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_ITERATOR_ITERATOR_STATE_H_
