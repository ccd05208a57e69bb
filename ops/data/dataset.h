// Dataset: the immutable description of a sequence of elements; DatasetIterator: one pass over it.
//
// Dataset ops build a tree of datasets; a tensor of DT_VARIANT carries its root. An iterator op
// then makes a DatasetIterator, which owns the iterators of the inputs. An element is a row of
// tensors in host memory.
//
//   WB_ASSIGN_OR_RETURN(DatasetRef dataset, DatasetFromTensor(ctx.input(0)));
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> it, dataset->MakeIterator(pipeline));
//   Element element;
//   bool end = false;
//   for (;;) {
//     WB_RETURN_IF_ERROR(it->GetNext(&element, &end));
//     if (end) break;
//   }
//
// Whatever walks over a tree of datasets, their iterators included, is recursive: so a tree is at
// most kMostDepth deep, and ops refuse to make a deeper one. What functions make while they are
// called may lie deeper: CapturedCall (captured_function.h) refuses where the stack has no room for
// it.
//
// Ownership: datasets are shared and immutable, and own their inputs; whoever makes an iterator
// keeps the dataset and the PipelineContext alive for it. Thread safety: datasets from any thread;
// an iterator from one thread at a time. Errors: GetNext returns the error of one element and may
// then be called for the next one; CANCELLED once the pipeline is cancelled. The end of the
// sequence is no error.
#ifndef WARPBEAM_OPS_DATA_DATASET_H_
#define WARPBEAM_OPS_DATA_DATASET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/types/tensor.h"
#include "ops/data/cancellation_hook.h"
#include "runtime/kernel/function_runner.h"
#include "runtime/kernel/step_context.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class SeedGenerator;

using Element = std::vector<Tensor>;

// Dtype and shape of each component of a dataset's elements.
struct ElementSpec {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;

  // INVALID_ARGUMENT, naming the first component that does not fit.
  Status CheckCompatible(const ElementSpec& other) const;
  Status CheckElement(const Element& element) const;
};

// What the iterators of one pipeline share: services, memory, cancellation. A pipeline is what one
// iterator op drives; it outlives the steps that read from it and is cancelled when it is replaced,
// destroyed, or its session closes. An iterator with threads gives its inputs a part of it, to be
// cancelled when that iterator goes while the rest lives on.
class PipelineContext {
 public:
  // `functions` may be null where no dataset calls any; so may `resources`.
  PipelineContext(std::shared_ptr<FunctionRunner> functions, ResourceStore* resources,
                  Allocator* allocator)
      : functions_(std::move(functions)),
        allocator_(allocator),
        cancellation_(0, resources, functions_.get()) {}
  // A part of `whole`, cancelled with it at the latest. `whole` outlives it.
  explicit PipelineContext(PipelineContext& whole)
      : PipelineContext(whole.functions_, whole.resources(), whole.allocator_) {
    depth_ = whole.depth_ + 1;
    end_of_whole_ = std::make_unique<CancellationHook>(whole.cancellation(), [this] { Cancel(); });
    if (whole.IsCancelled()) Cancel();
  }

  FunctionRunner* functions() const { return functions_.get(); }
  ResourceStore* resources() const { return cancellation_.resources(); }
  // For what iterators make in bulk.
  Allocator& allocator() const { return *allocator_; }
  // Its callbacks wake iterators that wait.
  StepContext& cancellation() { return cancellation_; }
  void Cancel() { cancellation_.Cancel(Cancelled("the iterator has been closed")); }
  bool IsCancelled() const { return cancellation_.IsCancelled(); }
  Status cancel_reason() const { return cancellation_.cancel_reason(); }
  // In how many other parts of the pipeline this one lies.
  int depth() const { return depth_; }

 private:
  int depth_ = 0;
  const std::shared_ptr<FunctionRunner> functions_;
  Allocator* const allocator_;
  StepContext cancellation_;
  std::unique_ptr<CancellationHook> end_of_whole_;
};

class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;

  // Sets *element to the next element, or *end to true (it stays so). `*element` may hold an
  // earlier element on entry: an iterator may write into its buffers where nobody else has them.
  virtual Status GetNext(Element* element, bool* end) = 0;
};

// The op that made a dataset, and of what, for those who look at pipelines as graphs.
struct DatasetOp {
  std::string op;
  AttrMap attrs;
};
struct DatasetOrigin {
  std::shared_ptr<const DatasetOp> made_by;  // the kernel's, for all that it makes
  std::vector<Tensor> inputs;
};

class Dataset {
 public:
  static constexpr int64_t kInfinite = -1;
  static constexpr int64_t kUnknown = -2;
  using Ref = std::shared_ptr<const Dataset>;

  static constexpr int kMostDepth = 1000;

  Dataset(ElementSpec spec, std::vector<Ref> inputs);
  virtual ~Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;

  const ElementSpec& spec() const { return spec_; }
  const std::vector<Ref>& inputs() const { return inputs_; }
  const Dataset& input() const { return *inputs_[0]; }
  // How deep the tree of datasets is that this one is the root of; 1 without inputs.
  int depth() const { return depth_; }
  // Null for a dataset that no op has made, such as a window.
  const DatasetOrigin* origin() const { return origin_.get(); }
  // Before anyone else has the dataset. Datasets that its functions have captured count in its
  // depth.
  void set_origin(DatasetOrigin origin);

  virtual const char* name() const = 0;  // "Map", "Batch"…
  virtual StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const = 0;
  // The number of elements when it follows without running anything.
  int64_t Cardinality() const;
  // Whether elements come from memory alone: without functions, files and threads. Such a pipeline
  // is run by whoever asks for an element.
  bool IsImmediate() const;
  // A dataset that only reads its input ahead says by how many elements (kAutotune: as it needs)
  // and is otherwise its input; null for all others. Whoever drives the pipeline from a thread of
  // its own then reads ahead itself.
  static constexpr int64_t kAutotune = -1;
  virtual const Ref* ReadsAhead(int64_t* elements) const { return nullptr; }

  // Where the passes over a dataset that draws at random get their seeds from; null for others.
  virtual SeedGenerator* seeds() const { return nullptr; }

  // Whether making elements before they are asked for could be seen from outside. `library` is that
  // of the session, which has every function of the dataset.
  bool HasSideEffects(const FunctionLibrary& library) const;

 protected:
  // The answers to the three questions above. They are asked for once and kept: a dataset may be an
  // input twice, and its inputs too, and so on.
  virtual int64_t CountElements() const { return kUnknown; }
  virtual bool FindImmediate() const { return InputsAreImmediate(); }
  virtual bool FindSideEffects(const FunctionLibrary& library) const;

  bool InputsAreImmediate() const;

 private:
  const ElementSpec spec_;
  const std::vector<Ref> inputs_;
  int depth_ = 1;
  std::unique_ptr<const DatasetOrigin> origin_;
  static constexpr int kNotAsked = -3;
  mutable std::atomic<int64_t> cardinality_{kNotAsked};
  mutable std::atomic<int> is_immediate_{kNotAsked};
  mutable std::atomic<int> has_side_effects_{kNotAsked};
};

using DatasetRef = Dataset::Ref;

// A dataset as a scalar DT_VARIANT tensor, and back. INVALID_ARGUMENT for a tensor that holds
// something else.
Tensor DatasetToTensor(DatasetRef dataset);
StatusOr<DatasetRef> DatasetFromTensor(const Tensor& tensor);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_DATASET_H_
