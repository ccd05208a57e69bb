// Datasets: input pipelines as part of the graph (tf.data).
//
//   auto dataset = data::TFRecordDataset(scope, {"train.tfrecord"}).Map(Parse);
//   dataset = dataset.Shuffle(10000).Repeat(100).Batch(32);
//   data::Iterator iterator = dataset.MakeOneShotIterator();
//   Element next = iterator.GetNext();                   // next[0], next[1]: images, labels
//
//   Dataset pairs = Zip({images, labels}).Enumerate().Cache().PaddedBatch(32);
//   Dataset sums = numbers.Window(3).FlatMap([&](const Scope& s, const Element& window) {
//     return FromVariant(s, window[0], numbers.spec()).Batch(3);
//   });
//
// Numbers such as batch sizes may be tensors.
//
// An element is a list of tensors; its components have types and, as far as known, shapes.
// Functions given to Map and the like are called once, while the graph is built, with the scope of
// a function body and the components of an element; tensors of the graph outside that they use are
// passed to every call. Nodes and names are those that tf.data makes in TensorFlow 1.
//
// Ownership: a Dataset is a handle; the graph owns the nodes, the session the iterators' threads
// and buffers. Thread safety: that of the Scope. Errors: kept in the scope; everything that follows
// is then not valid, the components of elements too, and can be used as if it were: what is built
// of it is not valid either, and the session says what was wrong first.
#ifndef WARPBEAM_FRONTEND_DATA_DATASET_H_
#define WARPBEAM_FRONTEND_DATA_DATASET_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/data/element.h"
#include "frontend/data/options.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace data {

using MapFunction = std::function<Element(const Scope& scope, const Element& element)>;
using Predicate = std::function<Output(const Scope& scope, const Element& element)>;

class Dataset;

using DatasetMapFunction = std::function<Dataset(const Scope& scope, const Element& element)>;
// What Reduce makes of its state and an element: the next state.
using ReduceFunction =
    std::function<Element(const Scope& scope, const Element& state, const Element& element)>;
// What Scan makes of its state and an element: the next state and an element of the result.
using ScanFunction = std::function<std::pair<Element, Element>(
    const Scope& scope, const Element& state, const Element& element)>;
// What becomes of a window of elements that have one key.
using WindowFunction =
    std::function<Dataset(const Scope& scope, const Output& key, const Dataset& window)>;

// As many parallel calls, or as large a buffer, as the runtime sees fit.
inline constexpr int64_t kAutotune = -1;

// What Cardinality gives for these.
inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

// Types and shapes of an element's components. A component that is a dataset itself, as those of
// Window, is a variant scalar.
struct ElementSpec {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

// Where PrefetchToDevice brings elements.
struct DeviceTarget {
  std::string device;  // empty: they stay in host memory
  int64_t buffer_size = kAutotune;
};

// Where a dataset's elements come out, one with each run of what GetNext gave.
class Iterator {
 public:
  Iterator() = default;
  // A feedable iterator (Iterator.from_string_handle): the one whose string_handle() was run and is
  // fed as `string_handle`.
  static Iterator FromStringHandle(ScopeRef scope, const Input& string_handle, ElementSpec spec);
  // A reinitializable iterator (Iterator.from_structure), for any dataset of these elements that
  // MakeInitializer is given.
  static Iterator FromStructure(ScopeRef scope, ElementSpec spec,
                                const std::string& shared_name = "");

  // One output for each component, on the device of PrefetchToDevice where the dataset has one. A
  // run after the last element is OUT_OF_RANGE.
  Element GetNext(SourceLocation where = SourceLocation::Here()) const;
  // The next element as an optional, which has no value after the last one
  // (ops::OptionalHasValue, ops::OptionalGetValue).
  Output GetNextAsOptional(SourceLocation where = SourceLocation::Here()) const;
  // Makes the iterator begin at the first element of `dataset`; for one that FromStructure made.
  Operation MakeInitializer(const Dataset& dataset,
                            SourceLocation where = SourceLocation::Here()) const;
  const ElementSpec& spec() const { return spec_; }
  // Begins at the first element; only for an initializable iterator, else not valid.
  Operation initializer() const { return initializer_; }
  // The iterator as a string, for feedable iterators.
  Output string_handle() const { return string_handle_; }

 private:
  friend class Dataset;
  // Of a dataset that could not be built.
  explicit Iterator(ElementSpec spec) : spec_(std::move(spec)) {}
  Iterator(const Scope& outer, const Output& variant, Output resource, ElementSpec spec,
           DeviceTarget target);

  std::optional<Scope> outer_;  // without colocation
  std::optional<Scope> scope_;
  Output resource_;
  Operation initializer_;
  Output string_handle_;
  ElementSpec spec_;
  DeviceTarget target_;
};

class Dataset {
 public:
  using Where = SourceLocation;  // the place in the program, kept in the nodes

  // Elements through `function`; with `num_parallel_calls` several at a time, in the same order.
  Dataset Map(const MapFunction& function, Where where = Where::Here()) const;
  Dataset Map(const MapFunction& function, int64_t num_parallel_calls,
              Where where = Where::Here()) const;
  // The elements of the dataset that `function` makes of each element, one after the other.
  Dataset FlatMap(const DatasetMapFunction& function, Where where = Where::Here()) const;
  // Of `cycle_length` such datasets at a time, `block_length` elements of each in turn; with
  // `num_parallel_calls` they are read in parallel.
  Dataset Interleave(const DatasetMapFunction& function, const Input& cycle_length = kAutotune,
                     const Input& block_length = int64_t{1},
                     std::optional<int64_t> num_parallel_calls = std::nullopt,
                     Where where = Where::Here()) const;
  Dataset Filter(const Predicate& predicate, Where where = Where::Here()) const;
  // Draws each element at random from a buffer of the next `buffer_size`.
  Dataset Shuffle(const Input& buffer_size, std::optional<int64_t> seed = std::nullopt,
                  bool reshuffle_each_iteration = true, Where where = Where::Here()) const;
  // -1 is for ever.
  Dataset Repeat(const Input& count = int64_t{-1}, Where where = Where::Here()) const;
  // Rows of `batch_size` elements; the last one may be smaller unless `drop_remainder`.
  Dataset Batch(const Input& batch_size, bool drop_remainder = false,
                Where where = Where::Here()) const;
  // The same of elements of different shapes, filled up to `padded_shapes`, one shape a component;
  // -1 there, and where none are given what the elements do not know, is the longest of the batch.
  // Filled up with `padding_values`, one a component, or zeros.
  Dataset PaddedBatch(const Input& batch_size, const std::vector<PartialShape>& padded_shapes = {},
                      const std::vector<Input>& padding_values = {}, bool drop_remainder = false,
                      Where where = Where::Here()) const;
  // Makes up to `buffer_size` elements before they are asked for.
  Dataset Prefetch(const Input& buffer_size, Where where = Where::Here()) const;
  // Brings elements to `device` ("/gpu:0") before they are asked for, up to `buffer_size` of them
  // (tf.data.experimental.prefetch_to_device): what an iterator's GetNext gives lies there already,
  // and the copies run while steps compute. With kAutotune it holds two, and more while steps wait,
  // up to 16 and a sixteenth of the device's memory. Strings stay in host memory. It must be the
  // last in the chain; an iterator's elements go to one device (MultiDeviceIterator is for
  // several).
  Dataset PrefetchToDevice(const std::string& device, int64_t buffer_size = kAutotune,
                           Where where = Where::Here()) const;
  Dataset Take(const Input& count, Where where = Where::Here()) const;
  Dataset Skip(const Input& count, Where where = Where::Here()) const;
  // Up to the first element of which the predicate does not hold.
  Dataset TakeWhile(const Predicate& predicate, Where where = Where::Here()) const;
  // Every `num_shards`th element, from the one with `index` on.
  Dataset Shard(const Input& num_shards, const Input& index, Where where = Where::Here()) const;
  // The elements of `other` after those of this dataset; of the same types.
  Dataset Concatenate(const Dataset& other, Where where = Where::Here()) const;
  // With a number, from `start` on, as a first component.
  Dataset Enumerate(int64_t start = 0, Where where = Where::Here()) const;
  // Keeps the elements of the first pass: in memory, or in files that begin with `filename`.
  Dataset Cache(const std::string& filename = "", Where where = Where::Here()) const;
  // Each element once.
  Dataset Unique(Where where = Where::Here()) const;
  // The rows of each element as elements.
  Dataset Unbatch(Where where = Where::Here()) const;
  // Batches of another size, of batches.
  Dataset Rebatch(const Input& batch_size, bool drop_remainder = false,
                  Where where = Where::Here()) const;
  // A dataset of `size` elements for each component, one every `shift` (0: `size`) elements of
  // which it takes every `stride`th.
  Dataset Window(const Input& size, const Input& shift = int64_t{0},
                 const Input& stride = int64_t{1}, bool drop_remainder = false,
                 Where where = Where::Here()) const;
  // What `function` makes of its state and each element.
  Dataset Scan(const InputList& initial_state, const ScanFunction& function,
               Where where = Where::Here()) const;
  // The state after the last element, as tensors of the graph.
  Element Reduce(const InputList& initial_state, const ReduceFunction& function,
                 Where where = Where::Here()) const;
  // Up to `window_size` elements of one key at a time, as `reduce` makes a dataset of them.
  Dataset GroupByWindow(const Predicate& key, const WindowFunction& reduce, int64_t window_size,
                        Where where = Where::Here()) const;
  // The same with a window size for each key, an int64 scalar.
  Dataset GroupByWindow(const Predicate& key, const WindowFunction& reduce,
                        const std::function<Output(const Scope& scope, const Output& key)>& size,
                        Where where = Where::Here()) const;
  // Padded batches of elements of like length (int32): of lengths below bucket_boundaries[i], and
  // not below the one before, bucket_batch_sizes[i] elements; one size more than boundaries.
  Dataset BucketBySequenceLength(const Predicate& length,
                                 const std::vector<int32_t>& bucket_boundaries,
                                 const std::vector<int64_t>& bucket_batch_sizes,
                                 const std::vector<PartialShape>& padded_shapes = {},
                                 bool drop_remainder = false, Where where = Where::Here()) const;
  // Elements of the classes that `class_func` says (int32, from 0 on), dropped and kept so that
  // classes come as often as `target_dist` says, a share for each; with the class as a first
  // component. `initial_dist` is how often they come in this dataset, which else is estimated.
  Dataset RejectionResample(const Predicate& class_func, const Input& target_dist,
                            const std::optional<Input>& initial_dist = std::nullopt,
                            std::optional<int64_t> seed = std::nullopt,
                            Where where = Where::Here()) const;
  // Leaves out elements whose making failed.
  Dataset IgnoreErrors(bool log_warning = false, Where where = Where::Here()) const;
  // An error unless there are that many elements.
  Dataset AssertCardinality(const Input& expected, Where where = Where::Here()) const;
  Dataset WithOptions(const Options& options, Where where = Where::Here()) const;
  // What WithOptions said in the chain up to here, since the last function of elements.
  const Options& options() const { return options_; }
  // Writes the elements under `path` when the operation is run; Load reads them.
  Operation Save(const std::string& path, Where where = Where::Here()) const;
  // Writes the elements under `path` in the first pass and reads them there in later ones.
  Dataset Snapshot(const std::string& path, const std::string& compression = "AUTO",
                   Where where = Where::Here()) const;
  // Rows of `batch_size` elements of one component as sparse tensors of rows with `row_shape`.
  Dataset SparseBatch(const Input& batch_size, const Shape& row_shape,
                      Where where = Where::Here()) const;
  // What `transformation` makes of this dataset.
  template <typename Transformation>
  Dataset Apply(const Transformation& transformation) const {
    return transformation(*this);
  }

  // How many elements, or one of the numbers above, as a tensor.
  Output Cardinality(Where where = Where::Here()) const;
  // The only element, as tensors; a run is an error where there are none or more.
  Element GetSingleElement(Where where = Where::Here()) const;

  // Needs no initialising; the dataset must not depend on variables or placeholders.
  Iterator MakeOneShotIterator(Where where = Where::Here()) const;
  // Run its initializer() before the first element, and again for another pass.
  Iterator MakeInitializableIterator(Where where = Where::Here()) const;

  const ElementSpec& spec() const { return spec_; }
  // The tensor that stands for the dataset; not valid after an error.
  const Output& variant() const { return variant_; }
  // Where PrefetchToDevice puts elements.
  const DeviceTarget& target() const { return target_; }
  const Scope& scope() const { return scope_; }

  // For the functions below.
  Dataset(const Scope& scope, Output variant, ElementSpec spec);

 private:
  // Where the next dataset of the chain is built; an error behind PrefetchToDevice.
  Scope At(Where where) const;
  // The next dataset of the chain: `op` with the elements described by `spec`.
  Dataset Chain(const Scope& scope, const char* op, const std::vector<Input>& arguments,
                ElementSpec spec, AttrMap attrs) const;
  // The same for an op that is there already.
  Dataset Next(Output variant, ElementSpec spec) const;

  // In which the dataset was begun; all that follows is built there too.
  Scope scope_;
  Output variant_;
  ElementSpec spec_;
  DeviceTarget target_;
  Options options_;
};

// The dataset that a component of Window's elements is; its elements are as `spec` says
// (tf.data.experimental.from_variant).
Dataset FromVariant(ScopeRef scope, const Output& variant, ElementSpec spec);
// The components of one element of each, side by side, as long as all have one.
Dataset Zip(const std::vector<Dataset>& datasets, SourceLocation where = SourceLocation::Here());

// The records of TFRecord files, one file after the other. `compression` is "", "ZLIB" or "GZIP".
Dataset TFRecordDataset(ScopeRef scope, const std::vector<std::string>& filenames,
                        const std::string& compression = "");
// One element for each row of the tensors (tf.data.Dataset.from_tensor_slices).
Dataset FromTensorSlices(ScopeRef scope, const InputList& tensors);
// A single element.
Dataset FromTensors(ScopeRef scope, const InputList& tensors);
// int64 numbers start, start + step… below stop.
Dataset Range(ScopeRef scope, int64_t start, int64_t stop, int64_t step = 1);

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_DATA_DATASET_H_
