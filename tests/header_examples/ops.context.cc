// What examples in the headers of ops/ use without declaring it (header_examples.py).
#include "gmock/gmock.h"
#include "ops/launch/type_list.h"
#include "runtime/checkpoint/bundle_writer.h"

extern KernelContext& ctx;
extern KernelInit& init;
extern AttrMap attrs;
extern StepContext* step;
extern AsyncKernel::Done done;
extern Tensor x, a, b, indices, params, value, values, keys, tensor, matrix, image, label, filter;
extern Shape shape, input_shape, filter_shape;
extern DType dtype;
extern int64_t n, i, axis, batch_dims, rows, cols, width, height, count, batch, row, size;
extern std::string bytes, name, path, folder, text, tag, key;
extern std::shared_ptr<Graph> graph;
extern GpuStream& stream;
extern CopyDims dims;
extern Tensor* y;
extern void *to, *from;
extern Tensor lengths, grads, sorted, start, limit, delta;
extern host_pass::GpuBlock& block;
extern StridedCopier& copier;
extern PipelineContext& pipeline;
extern Paddings pads;
extern int64_t at, col;
extern bool reflect;

//== collective/gpu_merge.h
extern void *a, *b, *c;
extern int64_t n;
extern GpuStream& stream;

//== copy_blocks.h
extern CopyPlan plan;

//== diagonals.h
extern int64_t lower, upper;
extern DiagonalAlign align;
extern float **packed, **matrix;

//== abnormal_values.h
using namespace warpbeam::host_pass;

//== gpu_rows.h
extern Tensor order, y;
extern int64_t row_bytes;

//== partitions.h
extern Tensor data, partitions;

//== row_order.h
extern ReadableGpuStream& stream;
extern const int64_t *indices, *from;
extern int64_t* to;
extern int rank;

//== sparse_box.h
extern SparseView x;

//== sparse_concat_shape.h
extern int64_t concat_dim;
void Use(const SparseView& x);

//== sparse_reshape_plan.h
extern const int64_t* from;
extern int64_t* to;

//== sparse_split_plan.h
extern SparseView x;
extern Tensor split_dim;
extern int parts;
extern int64_t index;

//== fake_quant.h
extern float x;

//== round_levels.h
extern float x;

//== fast_divisor.h
extern uint32_t place;

//== gather_gradient.h
extern GradContext& c;
extern OutputRef indices, params;

//== kernel_types.h
struct PackKernel : Kernel {
  static warpbeam::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init);
};

//== moved_element.h
extern void *x, *y;
extern uint64_t row_bytes;
template <class T>
warpbeam::Status EnqueueRows(void* x, void* y);

//== scatter_rows.h
extern void* to;
extern const void* updates;

//== strided_copy.h
extern void *y, *x;

//== strided_slice_spec.h
extern Dims begin, end, strides;

//== transpose_tile.h
extern float *to, *from;
extern int64_t to_stride, from_stride;

//== tuple_rows.h
extern int lanes;

//== alarm.h
struct Waiting {
  void GiveUp();
};
extern Alarm alarm_;
std::weak_ptr<Waiting> weak_from_this();
extern std::chrono::milliseconds timeout;

//== batch_rows.h
extern std::vector<int64_t> sizes;
extern int64_t most_rows;

//== collective/all_to_all.h
extern CollectiveCall call;

//== collective/group_assignment.h
extern int32_t rank;

//== collective/reduction.h
extern std::vector<Tensor> tensors;

//== function_call.h
extern FunctionRef ref;
//-- local
AsyncKernel::Done done;

//== anonymous_resource.h
extern ResourceStore store;
extern std::shared_ptr<IteratorResource> resource;
extern std::string device;

//== call_tuner.h
bool IsReady();
void StartAnother();
extern int cores, calls_without_work, running;

//== cancellation_hook.h
void WakeAll();

//== captured_function.h
struct Functional {
  const CapturedFunction& function() const;
};
extern Functional dataset;
extern Element element, results;

//== csv_reader.h
extern std::unique_ptr<ByteSource> source;
extern std::string field;

//== dataset_kernel.h
struct TakeDataset : Dataset {
  TakeDataset(ElementSpec, DatasetRef, int64_t);
  warpbeam::StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext&) const override;
  const char* name() const override;
};

//== dataset_testing.h
using testing::ElementsAre;

//== device_elements.h
extern DeviceElements::Source source;
extern DatasetRef dataset;

//== element_buffer.h
extern DatasetRef dataset;
extern std::unique_ptr<PipelineContext> context;
extern std::unique_ptr<DatasetIterator> iterator;
extern Element element;
extern bool end;

//== element_file.h
extern Element element;
extern ElementSpec spec;

//== elements_dataset.h
extern std::vector<Element> elements;
extern DatasetRef input;

//== file_cache_dataset.h
extern DatasetRef input;
ElementSpec spec();

//== file_dataset.h
extern std::vector<std::string> paths;
struct Options {};
warpbeam::StatusOr<std::unique_ptr<FileReader>> OpenLineReader(const std::string&, Options);
//-- local
Options options;

//== function_attr.h
extern FunctionAttr key_;

//== iterator_resource.h
extern DatasetRef dataset;

//== iterator_state.h
extern FunctionRunner* functions;
extern ResourceStore* resources;
extern DatasetRef dataset;

//== multi_device_iterator_resource.h
extern std::shared_ptr<MultiDeviceIteratorResource> iterator;
extern FunctionRunner* functions;
extern ResourceStore* resources;
extern ElementBuffer::Done done;
extern DatasetRef dataset;

//== optional.h
extern bool end;
extern Element element;

//== own_resource.h
extern std::string name_;
extern OwnResource own_;

//== parallel_map_dataset.h
extern int64_t num_parallel_calls;
warpbeam::StatusOr<int> ThreadsForCalls(int64_t);
extern DatasetRef input;
extern ElementSpec spec;
extern CapturedFunction function;

//== pipeline.h
extern DatasetRef dataset;

//== random_samples.h
extern SeedPair seeds;

//== row_batch.h
extern Element element, out;

//== shard_dataset.h
extern DatasetRef input;
extern ElementSpec spec;
extern int64_t workers, worker;

//== snapshot_run.h
extern SnapshotMetadata metadata;
extern CompressionType compression;
extern int64_t shard;
extern Element element;
extern ElementSpec spec;

//== checkpoint_arguments.h
extern std::unique_ptr<BundleWriter> writer;

//== reader.h
extern std::shared_ptr<Reader> reader;
extern std::shared_ptr<Queue> queue;

//== restored_tensor.h
extern CheckpointArguments arguments;

//== list_rows.h
extern TensorList list;
extern PartialShape known;

//== list_shapes.h
extern ShapeContext& c;

//== example_parser.h
extern ExampleParser::Batch batch;

//== example_wire.h
extern warpbeam::Status malformed;
extern int64_t* labels;

//== feature_list_parser.h
extern ExampleParser::Spec spec;
extern Tensor serialized, names;
extern std::vector<bool> may_lack;
extern int first_output;

//== feature_types.h
extern FeatureAttrs kAttrs;
extern std::vector<std::string> sparse_keys, dense_keys;

//== message_type.h
extern std::string source;

//== parser_of_keys.h
extern int first_key, end_of_keys;
extern ExampleParser::Spec spec;

//== wire_reader.h
extern absl::string_view value;
extern warpbeam::Status malformed;

//== quantize/channels.h
extern Tensor min, max;

//== barrier.h
extern std::shared_ptr<Barrier> barrier;
extern std::shared_ptr<Barrier::Rows> rows;

//== queue.h
extern Queue& queue;

//== queue_kernel.h
struct FifoQueue : Queue {
  explicit FifoQueue(QueueSpec);
  int64_t stored() const override;
  void Insert(Row row) override;
  Row Remove() override;
  void GiveBack(Rows rows) override;
};

//== queue_rows.h
extern Queue::Row batch;
extern std::shared_ptr<Queue> queue;

//== staging_area.h
extern int64_t bytes;
//-- local
std::shared_ptr<StagingArea> area;
std::shared_ptr<StagedRow> row;

//== ragged_variant.h
extern Tensor* out;

//== row_splits.h
extern int n;
void Use(int64_t, int64_t);

//== binomial_sampler.h
extern float count, probability;
extern Philox stream;

//== binomial_samples.h
extern Tensor shape, counts, probs;
extern Philox stream;

//== distributions.h
extern Philox stream;
extern Tensor minval, maxval;
extern Tensor* y;

//== gamma_sampler.h
extern double alpha;
extern Philox stream;

//== permutation.h
extern Philox stream;

//== int_range.h
extern Tensor low, high;

//== philox.h
extern uint64_t seed, seed2;
extern uint32_t* bits;

//== poisson_sampler.h
using T = float;
extern double rate;
extern Philox stream;

//== random_filler.h
extern RandomFiller& filler;
extern Tensor key, counter, alg;

//== random_stream.h
extern std::shared_ptr<RandomStream> stream_;
extern uint64_t blocks;

//== doubles_on_gpu.h
extern PhiloxState state;

//== sample_sets.h
using T = float;
extern Tensor counts;
extern Philox stream;
extern std::vector<PoissonSampler> samplers;

//== random_values.h
extern uint32_t* numbers;
extern float u, v, first, second;

//== stateless_seed.h
extern Tensor key, counter, alg;

//== truncated_sampler.h
extern float mean, stdev, low, high;
extern float* out;
extern Philox stream;

//== value_sets.h
void Use(int64_t, warpbeam::Span<const int32_t>);

//== fourier_transform.h
extern std::complex<double>* line;

//== lines.h
extern bool inverse;
extern int64_t batches, rows, cols;
extern std::complex<float>* data;

//== cufft_plan.h
extern GpuFourierTransform transform;
extern CUstream_st* on;
extern void* workspace;

//== gpu_fourier.h
extern int64_t rows, columns;
extern Tensor x;
extern Tensor* y;

//== spectra.h
extern TransformLengths n;
extern Tensor x;
extern Tensor* y;

//== real_transform.h
extern int rank;
extern bool spectrum_is_input;

//== feature_cross.h
extern Tensor* out;

//== sparse_batch.h
extern SparseView x;
extern std::vector<SparseParts> members;

//== sparse_tensor.h
void Use(int64_t, float);
void Use(warpbeam::Span<const int64_t>, float);
void Use(const int64_t*, float);

//== elementwise_update.h
extern Tensor delta;

//== assignment.h
extern ReferenceAssignment assignment_;

//== same_on_gpu.h
warpbeam::Status RunPop(KernelContext& ctx);

//== variable_update.h
extern GpuStream& stream;
extern VariableFinder finder_;
constexpr bool is_resource = true;
warpbeam::Status Launch(GpuStream&);

//== variable_op_check.h
extern Tensor accum, lr, gradient, momentum;

//== sip_hash.h
extern uint64_t key0, key1;

//== unicode_codec.h
extern std::string out;

//== png_encoder.h
extern const uint8_t* pixels;

//== summary_file.h
extern std::string event;

//== summary_input.h
extern std::vector<float> numbers;

//== key_index.h
extern int64_t next;
extern bool is_new;

//== lookup_shapes.h
extern ShapeContext& c;

//== lookup_table.h
extern Tensor default_value;

//== step_resource.h
extern std::shared_ptr<TensorArray> array;
extern StepReferences references_;
extern Tensor handle;

//== tensor_array.h
extern TensorArray::Spec spec;
extern TensorArray::Elements elements;

//== tensor_array_op.h
extern GradContext& c;

//== update_form.h
using namespace warpbeam::host_pass;
extern std::vector<VariableFinder> finders;
