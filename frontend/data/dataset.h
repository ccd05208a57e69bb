// Datasets: input pipelines as part of the graph (tf.data).
//
//   auto dataset = data::TFRecordDataset(scope, {"train.tfrecord"}).Map(Parse);
//   dataset = dataset.Shuffle(10000).Repeat(100).Batch(32);
//   data::Iterator iterator = dataset.MakeOneShotIterator();
//   std::vector<Output> next = iterator.GetNext();       // images, labels
//
// An element is a list of tensors; its components have types and, as far as known, shapes.
// Functions given to Map and the like are called once, while the graph is built, with the scope of
// a function body and the components of an element; tensors of the graph outside that they use are
// passed to every call. Nodes and names are those that tf.data makes in TensorFlow 1.
//
// Ownership: a Dataset is a handle; the graph owns the nodes, the session the iterators' threads
// and buffers. Thread safety: that of the Scope. Errors: kept in the scope; everything that follows
// is then not valid.
#ifndef WARPBEAM_FRONTEND_DATA_DATASET_H_
#define WARPBEAM_FRONTEND_DATA_DATASET_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace data {

using Element = std::vector<Output>;
using MapFunction = std::function<Element(const Scope& scope, const Element& element)>;
using Predicate = std::function<Output(const Scope& scope, const Element& element)>;

// As many parallel calls, or as large a buffer, as the runtime sees fit.
inline constexpr int64_t kAutotune = -1;

// Types and shapes of an element's components.
struct ElementSpec {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

// Where PrefetchToDevice brings elements.
struct DeviceTarget {
  std::string device;  // empty: they stay in host memory
  int64_t buffer_size = kAutotune;
};

class Dataset;

// Where a dataset's elements come out, one with each run of what GetNext gave.
class Iterator {
 public:
  Iterator() = default;

  // One output for each component, on the device of PrefetchToDevice where the dataset has one. A
  // run after the last element is OUT_OF_RANGE.
  Element GetNext(SourceLocation where = SourceLocation::Here()) const;
  // Begins at the first element; only for an initializable iterator, else not valid.
  Operation initializer() const { return initializer_; }
  // The iterator as a string, for feedable iterators.
  Output string_handle() const { return string_handle_; }

 private:
  friend class Dataset;
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
  Dataset FlatMap(const std::function<Dataset(const Scope&, const Element&)>& function,
                  Where where = Where::Here()) const;
  Dataset Filter(const Predicate& predicate, Where where = Where::Here()) const;
  // Draws each element at random from a buffer of the next `buffer_size`.
  Dataset Shuffle(int64_t buffer_size, std::optional<int64_t> seed = std::nullopt,
                  bool reshuffle_each_iteration = true, Where where = Where::Here()) const;
  // -1 is for ever.
  Dataset Repeat(int64_t count = -1, Where where = Where::Here()) const;
  // Rows of `batch_size` elements; the last one may be smaller unless `drop_remainder`.
  Dataset Batch(int64_t batch_size, bool drop_remainder = false, Where where = Where::Here()) const;
  // Makes up to `buffer_size` elements before they are asked for.
  Dataset Prefetch(int64_t buffer_size, Where where = Where::Here()) const;
  // Brings elements to `device` ("/gpu:0") before they are asked for, up to `buffer_size` of them
  // (tf.data.experimental.prefetch_to_device): what an iterator's GetNext gives lies there already,
  // and the copies run while steps compute. With kAutotune it holds two, and more while steps wait,
  // up to 16 and a sixteenth of the device's memory. Strings stay in host memory. It must be the
  // last in the chain; an iterator's elements go to one device (MultiDeviceIterator is for
  // several).
  Dataset PrefetchToDevice(const std::string& device, int64_t buffer_size = kAutotune,
                           Where where = Where::Here()) const;
  Dataset Take(int64_t count, Where where = Where::Here()) const;
  Dataset Skip(int64_t count, Where where = Where::Here()) const;

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
  struct FunctionCall;
  // Where the next dataset of the chain is built; an error behind PrefetchToDevice.
  Scope At(Where where) const;
  // The next dataset of the chain: `op` with the elements described by `spec`.
  Dataset Chain(const Scope& scope, const char* op, const std::vector<Input>& arguments,
                ElementSpec spec, AttrMap attrs) const;
  FunctionCall CallWith(const Scope& scope, const MapFunction& function, const char* name) const;

  // In which the dataset was begun; all that follows is built there too.
  Scope scope_;
  Output variant_;
  ElementSpec spec_;
  DeviceTarget target_;
};

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
