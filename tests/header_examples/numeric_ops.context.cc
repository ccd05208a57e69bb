// What examples in the headers of ops/ that compute with numbers use without declaring it
// (header_examples.py).
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
extern Tensor* y;
extern void *to, *from;
extern Tensor lengths, grads, sorted, start, limit, delta;
extern host_pass::GpuBlock& block;
extern ResizeMode mode;
extern ResizeGrid grid;
extern int64_t at, col;
extern bool reflect;

//== block_order.h
using namespace warpbeam::internal;
extern const GpuGrid grid;
void Run(int64_t block);

//== gpu_races.h
using namespace warpbeam::internal;
extern const GpuGrid grid;
extern const GpuJob run_block, run_group;
extern const int kernel, phase;
extern const int64_t group;
extern const unsigned thread;
void run(unsigned thread);

//== ctc_loss_inputs.h
extern CtcLossAttrs attrs;
extern int64_t b;
void Run(const std::vector<int32_t>& labels, int64_t frames);

//== nearest_grid.h
extern Tensor size;

//== box_overlap.h
extern const float* boxes;

//== box_selection.h
extern const float* boxes;
extern warpbeam::Span<const float> scores;
extern SelectionLimits<float> limits;

//== image_decoder.h
warpbeam::StatusOr<void*> Room(const ImageSize&);

//== adjust_contrast.h
using host_pass::ContrastChange;
extern float x, mean;

//== projective_transform.h
using namespace warpbeam::host_pass;
extern ProjectedImage<float> image;
extern float *to, *parameters;
extern float row, column;

//== color.h
extern float r, g, b;
extern float *rgb, *turned;

//== crop_axis.h
extern float* box;
extern int64_t crop_height;

//== pixels.h
extern Tensor images;
extern Tensor* out;

//== sampling_spans.h
extern int64_t out, in;
extern float scale, translation, sum;
extern bool antialias;
extern const float* x;

//== dispatch.h
template <class T>
warpbeam::Status Run(KernelContext&);

//== complex_number.h
using namespace warpbeam::host_pass;

//== elementwise_block.h
struct AddFn {
  float operator()(float x, float y) const;
};
extern GpuElementwiseArgs args;

//== elementwise_plan.h
extern GpuElementwiseArgs args;

//== elementwise_table.h
struct ExpFn : host_pass::Vectorized {
  template <class V>
  V operator()(V x) const;
};

//== error_function.h
extern Vec<float> x;

//== gpu_block.h
using namespace warpbeam::host_pass;

//== gpu_function.h
using namespace warpbeam::host_pass;
extern float* y;

//== gpu_cub.h
extern GpuStream& stream;
extern int64_t *counts, *items, *order;
extern uint64_t *keys, *other_keys;
extern int64_t n;

//== gpu_select.h
using namespace warpbeam::host_pass;
extern ReadableGpuStream& stream;
extern const float* x;
extern float* y;
extern int64_t total;

//== gpu_sort.h
using namespace warpbeam::host_pass;
extern const uint32_t *x, *z;

//== gpu_flags.h
using namespace warpbeam::host_pass;
extern ReadableGpuStream& stream;
extern const int32_t* x;

//== gpu_reduction.h
extern GpuStream& stream;

//== gpu_sides.h
extern GpuProducts& products;

//== gpu_products.h
extern Tensor* c;

//== mat_mul.h
extern KernelInit& init;

//== gpu_launch.h
int Launch(const GpuElementwiseArgs&);

//== type_list.h
struct Fn {
  template <class Tag>
  warpbeam::Status operator()(Tag) const;
};
extern Fn fn;

//== determinant.h
using namespace warpbeam::host_pass;
extern const float* lu;
extern int sign;

//== eigen_matrix.h
extern double* y;

//== gpu_lu.h
extern MatrixBatch batch;
extern ReadableGpuStream& stream;
extern bool adjoint;
extern int64_t columns;
extern void* b;

//== gpu_matrix_copy.h
extern MatrixBatch batch;
extern Tensor a;

//== gpu_solver.h
extern Tensor matrices, pivots, info;

//== lu_factors.h
extern int64_t columns;
extern float *a, *rhs, *x;

//== refusals.h
bool IsInvertible(int64_t, const float*);
extern const float* lu;

//== triangular_systems.h
using T = float;
extern Tensor rhs;

//== tridiagonal_mat_mul.h
using host_pass::TridiagonalProduct;
extern int64_t columns;
extern float *above, *on, *below, *x;

//== wide_factors.h
void Use(const Eigen::VectorXd&, const WideMatrix<double>&);

//== wide_matrix.h
using T = float;
extern T* y;

//== axes.h
extern bool keep_dims;

//== dnnl_matmul.h
extern const float *a, *b;
extern float* c;
extern void* scratch;

//== dnnl_primitive.h
extern dnnl_memory_desc_t from_desc, to_desc;
extern void* from;

//== dnnl_products.h
extern GemmProblem problem;
extern int64_t batches;
extern DnnlOperands operands;

//== gemm.h
extern const void *a, *b;
extern void* c;

//== conv_pieces.h
extern ConvGeometry geometry;
extern const float *input, *filter;
extern float* output;
void Convolve(const ConvGeometry&, const float*, const float*, float*);

//== convolution.h
extern ConvGeometry geometry;
extern const void *input, *filter;
extern void* output;

//== dnnl_convolution.h
extern ConvGeometry geometry;
extern const void *input, *filter;
extern void *output, *prepared, *scratch;

//== described_gpus_testing.h
extern GpuConvolution convolution;

//== integer_convolution.h
extern GpuConvolution convolution;
extern GpuStream& stream;

//== cudnn_plan.h
extern cudnnContext* library;
extern GpuConvolution convolution;
extern const void *input, *filter, *output;
extern void* workspace;

//== cudnn_status.h
extern int code;

//== filter_order.h
extern ConvGeometry geometry;
extern const void* from;
extern void *copy, *filter;

//== gpu_convolutions.h
extern ConvGeometry geometry;
extern Tensor* y;

//== batch_norm.h
extern ChannelRows shape;
extern const void* x;
extern float *mean, *variance, *factor, *shift;
extern void* y;

//== max_pool.h
extern PoolGeometry geometry;
extern Tensor* y;

//== pool_loops.h
using T = float;
extern PoolGeometry g;

//== bias_channels.h
extern Tensor bias;

//== cross_entropy.h
extern Tensor logits, labels;

//== items.h
using namespace warpbeam::host_pass;
extern GpuStream& stream;
extern const float* x;
extern float* y;

//== channel_walk.h
using namespace warpbeam::host_pass;
extern GpuStream& stream;
extern ChannelExtents data;
extern bool wide;
extern const float* x;
extern float* y;

//== lstm_cells.h
extern float last;

//== ops/nn/sequence/gpu/products.h
extern int64_t columns, inputs;
extern void *x, *w, *sums;

//== pool_windows.h
using namespace warpbeam::host_pass;
extern PoolGeometry geometry;
extern bool channels_first;
constexpr int kWidth = 4;
extern int64_t item;
extern const float* image;
extern float sum;

//== range_sampler.h
extern Philox stream;

//== block_lstm.h
extern bool use_peephole;

//== ctc_decoding.h
extern int path, num_paths;
extern std::vector<std::vector<int64_t>> sequences;

//== recurrent_cells.h
extern int64_t cells;
extern int kNanosecondsPerCell;
extern const float* x;
extern float* y;

//== softmax_rows.h
extern const float* x;
extern float* y;

//== window/channels.h
extern DataFormat format;
extern Shape shape_with_channels_last;

//== emit_like.h
extern GradContext& c;

//== window.h
extern int64_t in, stride, dilation;
extern int axis;

//== index_writer.h
extern Tensor* out;
extern int64_t i, position;
