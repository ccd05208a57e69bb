// Input pipelines on queues, as programs before tf.data wrote them (tf.train.string_input_producer,
// batch, shuffle_batch).
//
//   Output files = StringInputProducer(scope, {"a.tfrecord", "b.tfrecord"});
//   Output reader = ops::TFRecordReaderV2(scope);
//   auto [key, record] = ops::ReaderReadV2(scope, reader, files);
//   std::vector<Output> batch = ShuffleBatch(scope, Parse(scope, record), 32,
//       BatchOptions().capacity(10000).min_after_dequeue(1000).num_threads(2));
//   …
//   session.Run({GlobalVariablesInitializer(scope), LocalVariablesInitializer(scope)});
//   Coordinator coordinator;
//   StartQueueRunners(scope, session, coordinator);
//
// Nodes and names are TensorFlow's, with the summaries that tell how full a queue is. Each function
// adds a QueueRunner to GraphKeys::kQueueRunners.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope;
// results are then not valid. Shapes of what is batched must be known, unless it is padded.
#ifndef WARPBEAM_FRONTEND_TRAINING_INPUT_PIPELINE_H_
#define WARPBEAM_FRONTEND_TRAINING_INPUT_PIPELINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace train {

class InputProducerOptions {
 public:
  using Self = InputProducerOptions;
  // How often everything is produced, counted by a local variable; 0: without end.
  Self& num_epochs(int64_t value) { return num_epochs_ = value, *this; }
  Self& shuffle(bool value) { return shuffle_ = value, *this; }
  Self& seed(int64_t value) { return seed_ = value, *this; }
  Self& capacity(int64_t value) { return capacity_ = value, *this; }
  Self& shared_name(std::string value) { return shared_name_ = std::move(value), *this; }

  int64_t num_epochs_ = 0;
  bool shuffle_ = true;
  std::optional<int64_t> seed_;
  int64_t capacity_ = 32;
  std::string shared_name_;
};

// The rows of `input_tensor` into a queue, whose handle this is.
Output InputProducer(ScopeRef scope, const Input& input_tensor,
                     const InputProducerOptions& options = InputProducerOptions());
// The same for strings, such as names of files; without any, runs fail.
Output StringInputProducer(ScopeRef scope, const Input& string_tensor,
                           const InputProducerOptions& options = InputProducerOptions());
// The numbers from 0 to `limit` - 1 into a queue, whose handle this is.
Output RangeInputProducer(ScopeRef scope, const Input& limit,
                          const InputProducerOptions& options = InputProducerOptions());
// One row of each tensor, the same one of all; the next run has another.
OutputList SliceInputProducer(ScopeRef scope, const std::vector<Output>& tensors,
                              const InputProducerOptions& options = InputProducerOptions());
// The tensor, as often as `num_epochs` runs of it; then OUT_OF_RANGE. 0: for ever.
Output LimitEpochs(ScopeRef scope, const Output& tensor, int64_t num_epochs);

class BatchOptions {
 public:
  using Self = BatchOptions;
  Self& num_threads(int value) { return num_threads_ = value, *this; }
  Self& capacity(int64_t value) { return capacity_ = value, *this; }
  // ShuffleBatch only: how many elements are there to draw from.
  Self& min_after_dequeue(int64_t value) { return min_after_dequeue_ = value, *this; }
  Self& seed(int64_t value) { return seed_ = value, *this; }
  // The tensors are batches of elements already.
  Self& enqueue_many(bool value) { return enqueue_many_ = value, *this; }
  // Batch only: elements of different sizes, padded with zeros.
  Self& dynamic_pad(bool value) { return dynamic_pad_ = value, *this; }
  Self& allow_smaller_final_batch(bool value) { return allow_smaller_ = value, *this; }
  Self& shared_name(std::string value) { return shared_name_ = std::move(value), *this; }
  // Whether the element is kept; of elements that come as rows also one boolean each.
  Self& keep_input(Input value) { return keep_input_ = std::move(value), *this; }

  int num_threads_ = 1;
  int64_t capacity_ = 32;
  int64_t min_after_dequeue_ = 0;
  std::optional<int64_t> seed_;
  bool enqueue_many_ = false;
  bool dynamic_pad_ = false;
  bool allow_smaller_ = false;
  std::string shared_name_;
  Input keep_input_ = true;
};

OutputList Batch(ScopeRef scope, const std::vector<Output>& tensors, const Input& batch_size,
                 const BatchOptions& options = BatchOptions());
OutputList ShuffleBatch(ScopeRef scope, const std::vector<Output>& tensors, const Input& batch_size,
                        const BatchOptions& options);

// The same for several sources of elements, each with a thread of its own: `tensors_list` has one
// list of tensors for each, all of the same types and shapes. Options but num_threads.
OutputList BatchJoin(ScopeRef scope, const std::vector<std::vector<Output>>& tensors_list,
                     const Input& batch_size, const BatchOptions& options = BatchOptions());
OutputList ShuffleBatchJoin(ScopeRef scope, const std::vector<std::vector<Output>>& tensors_list,
                            const Input& batch_size, const BatchOptions& options);

// The same of those elements only for which `keep_input` is true (tf.train.maybe_batch…).
OutputList MaybeBatch(ScopeRef scope, const std::vector<Output>& tensors, const Output& keep_input,
                      const Input& batch_size, const BatchOptions& options = BatchOptions());
OutputList MaybeBatchJoin(ScopeRef scope, const std::vector<std::vector<Output>>& tensors_list,
                          const Output& keep_input, const Input& batch_size,
                          const BatchOptions& options = BatchOptions());
OutputList MaybeShuffleBatch(ScopeRef scope, const std::vector<Output>& tensors,
                             const Output& keep_input, const Input& batch_size,
                             const BatchOptions& options);
OutputList MaybeShuffleBatchJoin(ScopeRef scope,
                                 const std::vector<std::vector<Output>>& tensors_list,
                                 const Output& keep_input, const Input& batch_size,
                                 const BatchOptions& options);

class PrefetchQueueOptions {
 public:
  using Self = PrefetchQueueOptions;
  Self& capacity(int64_t value) { return capacity_ = value, *this; }
  Self& num_threads(int value) { return num_threads_ = value, *this; }
  // Elements of different sizes; only their number of dimensions must be known.
  Self& dynamic_pad(bool value) { return dynamic_pad_ = value, *this; }
  Self& shared_name(std::string value) { return shared_name_ = std::move(value), *this; }

  int64_t capacity_ = 8;
  int num_threads_ = 1;
  bool dynamic_pad_ = false;
  std::string shared_name_;
};

// Batches that are made ready while the steps before them run (tf.contrib.slim's prefetch_queue):
//
//   PrefetchQueue batch_queue(scope, {images, labels}, PrefetchQueueOptions().capacity(4));
//   std::vector<Output> batch = batch_queue.Dequeue(tower);     // images and labels for this tower
//
// A handle to the queue, as an Output is.
class PrefetchQueue {
 public:
  PrefetchQueue(ScopeRef scope, const std::vector<Output>& tensors,
                const PrefetchQueueOptions& options = PrefetchQueueOptions());

  // An operation of its own: each takes another element out of the queue.
  OutputList Dequeue(ScopeRef scope) const;
  const Output& queue() const { return queue_; }

 private:
  Output queue_;
  std::vector<DType> types_;
  std::vector<PartialShape> shapes_;
};

// Gives variables of GraphKeys::kLocalVariables, such as counters of epochs, their initial values.
Operation LocalVariablesInitializer(ScopeRef scope);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_INPUT_PIPELINE_H_
