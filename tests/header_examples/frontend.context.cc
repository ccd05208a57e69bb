// What examples in the headers of frontend/ use without declaring it (header_examples.py).
#include "frontend/cluster/device_setter.h"
#include "frontend/contrib/contrib.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/ops/io_ops.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"
#include "proto/meta_graph.pb.h"

using namespace train;
extern const Scope& scope;
extern Scope root, tower, cpu, gpu;
extern ClientSession& session;
extern Output a, b, c, x, y, z, batch, labels, logits, loss, losses, predictions, images, features,
    values;
extern Variable w, global_step;
extern Operation init, train_op, apply, average;
extern GradientDescentOptimizer opt;
extern std::vector<Gradient> gradients;
extern const std::string& bytes;
extern Saver saver;
extern Status status;
extern std::vector<std::shared_ptr<SessionRunHook>> hooks;
extern int64_t step;

//== frontend/arrays/gather.h
extern Output table, ids, ready, scores;

//== frontend/arrays/layout.h
extern Output rows, columns, paddings;

//== frontend/arrays/quantize.h

//== frontend/build.h
extern std::vector<Input> losses;

//== frontend/check/assertions.h
extern Output lower, upper;

//== frontend/client_session.h
extern Tensor batch, labels;

//== frontend/clip.h
extern IndexedSlices slices;

//== frontend/cluster/device_setter.h
extern const ClusterSpec& spec;
extern Output initial;

//== frontend/cluster/server.h
extern const ClusterSpec& cluster;

//== frontend/collections.h
extern Regularizer regularizer;

//== frontend/contrib/attention.h
extern Output encoder_outputs, encoder_lengths, batch_size;
extern nn::RNNState encoder_state;

//== frontend/contrib/beam_search_decoder.h
extern Output encoder_outputs, batch_times_4, embedding, start_tokens;
extern nn::RNNState state;
extern contrib::seq2seq::OutputLayer words;

//== frontend/contrib/decoder_loop.h
extern contrib::seq2seq::InputStep first;
extern contrib::seq2seq::DynamicDecodeOptions options;

//== frontend/contrib/decoder.h
extern Output targets, target_lengths;
extern std::shared_ptr<contrib::seq2seq::AttentionWrapper> cell;
extern nn::RNNState start;

//== frontend/contrib/crf.h
extern Output scores, tags, lengths;

//== frontend/contrib/layers.h
extern Output net;

//== frontend/contrib/sequence_loss.h
extern Output lengths;

//== frontend/control_flow/control_flow_context.h
extern ControlFlowContext* context;
extern OutputRef outside;

//== frontend/control_flow/map_fn.h
std::vector<Output> two_to_two(const Scope&, const std::vector<Output>&);

//== frontend/control_flow/selection.h
extern Output index;
extern BranchFunction zero, one, many;

//== frontend/control_flow/tensor_array.h
extern Output n;
Output less_than_n(const Scope&, const std::vector<Output>&);

//== frontend/data/dataset.h
Element Parse(const Scope&, const Element&);
extern Dataset images, labels, numbers;

//== frontend/data/dataset_function.h
extern const Dataset& dataset;
extern const MapFunction& function;
extern Output variant;

//== frontend/data/element.h
extern Iterator iterator;
extern Dataset dataset;

//== frontend/data/multi_device_iterator.h
extern const Dataset& dataset;
Output Inference(const Scope&, const Output&);
Output Loss(const Scope&, const Output&, const Output&);

//== frontend/data/options.h
extern Dataset dataset;

//== frontend/device/device_functions.h
extern int32_t node;

//== frontend/function_graph.h
extern Output k;

//== frontend/gen/op_signature.h
extern std::string header, source;

//== frontend/gen/op_wrappers.h
extern const std::string& families;
void Write(const std::string& path, const std::string& text);

//== frontend/graph_def/import_graph.h
extern Output image;

//== frontend/graph_state.h
extern GraphState& state;

//== frontend/host_tensor/host_tensor.h
extern Output input, accuracy;
extern const std::vector<float>& pixels;

//== frontend/image.h
extern Output pixels;

//== frontend/image_checks.h
extern const Scope& inside;

//== frontend/layers/dropout.h
extern Output is_training;

//== frontend/layers/embedding.h
extern Output ids, part0, part1;

//== frontend/layers/layer_scope.h
extern const layers::DenseOptions& options;

//== frontend/layers/normalization.h
extern Variable step;

//== frontend/layers/sampled_losses.h
extern Output weights, biases, embedded;

//== frontend/layers/window.h
extern SpatialSize kernel, strides;

//== frontend/linalg/linalg.h
extern Output covariance;

//== frontend/linalg/matrices.h
extern Output p, q;

//== frontend/losses/losses.h
extern Output targets, outputs, importance;

//== frontend/losses/weights_broadcast.h
extern Output weights;

//== frontend/math.h
extern Output cross_entropy;

//== frontend/math/bitwise.h
extern Output flags;

//== frontend/math/counting.h
extern Output words, ids;

//== frontend/math/elementwise.h
extern Output hits, tries, pixels;

//== frontend/math/segments.h
extern Output rows, ids, table, words, documents;

//== frontend/metrics/confusion.h
extern Output p;

//== frontend/metrics/mean.h
extern Output in_top_5;

//== frontend/metrics/threshold_counts.h
extern const Scope& inside;
extern std::vector<float> thresholds;
extern MetricOptions options;

//== frontend/metrics/thresholds.h
extern Output scores;

//== frontend/model/model.h
extern Tensor image;

//== frontend/model/object_restore.h
extern const std::string& prefix;
extern MetaGraph meta;

//== frontend/model/unset_variables.h
extern const MetaGraph& meta;

//== frontend/monitored/checkpoint_saver_hook.h
extern MonitoredTrainingOptions options;

//== frontend/monitored/control_hooks.h
extern Output accuracy_op;
Tensor Next();

//== frontend/monitored/global_step_reader.h
extern Variable step_;

//== frontend/monitored/report_hooks.h
extern Output all;

//== frontend/monitored/scaffold.h
extern Saver pretrained;
extern const std::string& path;

//== frontend/monitored/session_manager.h
extern Saver saver;

//== frontend/monitored/shared_file_writer.h
extern std::shared_ptr<summary::FileWriter> writer_;

//== frontend/monitored/step_timer.h
void Report();

//== frontend/monitored/stop_signals.h
extern MonitoredSession* session;
void Step();

//== frontend/monitored/sync_replicas_hook.h
extern int task;

//== frontend/nn.h
extern Output kernel, biases;

//== frontend/operators.h
extern Scope layer;

//== frontend/parsing.h
extern Output serialized;

//== frontend/queue/accumulator.h
extern Output gradient, local_step;

//== frontend/random/draws.h
extern Output rows;

//== frontend/record/example.h
extern const std::string& pixels;
extern io::TFRecordWriter writer;

//== frontend/record/tf_record.h
extern Example example;

//== frontend/rnn/rnn.h
extern Output lengths, inputs;

//== frontend/rnn/rnn_cell.h
extern Output inputs;
extern RNNCellPtr cell0, cell1;

//== frontend/saved_model/loader.h
extern Tensor image;

//== frontend/saved_model/saved_model_builder.h
extern const SignatureDef& predict;

//== frontend/saved_model/signature_def.h
extern Output examples, scores;

//== frontend/saved_model/model_files.h
extern std::string directory;

//== frontend/saver/background_saves.h
warpbeam::Status Write();

//== frontend/saver/variable_snapshot.h
extern Session& session;
extern const Graph& graph;

//== frontend/scope.h
extern Operation update;

//== frontend/saver/checkpoint_reader.h
extern StatusOr<Tensor> values;

//== frontend/signal/fourier.h
extern Output samples;

//== frontend/signal/frames.h
extern Output samples;

//== frontend/sparse/ragged_tensor.h
extern Output lines;

//== frontend/sparse/sets.h
extern SparseTensor a, b;

//== frontend/sparse/sparse_tensor.h
extern Output indices, shape;
extern SparseTensor weights, a, b;

//== frontend/strings/strings.h
extern Output numbers, lines, text;

//== frontend/summary/event.h
extern double time;
extern const Graph& graph;

//== frontend/summary/file_writer.h
extern Tensor fetched;

//== frontend/summary/summary_iterator.h
extern const std::string& path;

//== frontend/summary/summary.h
extern Operation train;
extern FileWriter* writer;

//== frontend/training/coordinator.h
extern Operation train;

//== frontend/training/gradient_buckets.h
extern std::vector<std::string> devices;
extern std::string reduce_device;
extern std::vector<std::vector<Gradient>> gradients;
extern std::vector<Shape> shapes;

//== frontend/training/input_pipeline.h
std::vector<Output> Parse(const Scope&, const Output&);

//== frontend/training/optimizer.h
extern Output learning_rate;
std::vector<GradientAndVariable> Average(std::vector<GradientAndVariable>);

//== frontend/training/queue_runner.h
extern Output queue, example;

//== frontend/training/replicate.h
extern GradientDescentOptimizer optimizer;
Output Inference(const Scope&, const Output&);
Output Loss(const Scope&, const Output&, const Output&);

//== frontend/training/sync_replicas_optimizer.h
extern bool is_chief;
extern Coordinator coordinator;
extern SyncReplicasOptimizer sync;

//== frontend/types.h
namespace wb = warpbeam::frontend;
Status Train();

//== frontend/sparse/bincount.h
extern Output words;

//== frontend/variables/partitioners.h
extern Output ids;

//== frontend/variables/updates.h
extern Variable table, step;
extern Output ids, rows;

//== frontend/variables/variable_builder.h
extern Initializer init;
extern Shape shape;
extern DType dtype;

//== frontend/image/boxes.h
extern Output boxes, scores;

//== frontend/image/codecs.h
extern Output contents;

//== frontend/image/geometry.h
extern Output photo;

//== frontend/image/quality.h
extern Output compressed, original;

//== frontend/io/files.h
extern Output lines;

//== frontend/lookup/table.h
extern Output keys;

//== frontend/nn/candidate_samplers.h
extern Output weights, biases;

//== frontend/nn/convolution.h
extern Output filter, depthwise;

//== frontend/nn/ctc.h
extern SparseOutput labels;
extern Output logits, lengths;

//== frontend/nn/moments.h
extern Output beta, gamma;

//== frontend/nn/pooling.h
extern Output volumes;

//== frontend/queue/queue.h
extern Output picture, label;

//== frontend/rnn/raw_rnn.h
extern nn::RNNCellPtr cell;
extern Output lengths, inputs;

//== frontend/host_tensor/host_tensor.h
extern Output input, accuracy;
extern const std::vector<float>& pixels;

//== frontend/saved_model/saved_model_builder.h
extern const SignatureDef& predict;

//== frontend/saved_model/loader.h
extern Tensor image;

//== frontend/saved_model/signature_def.h
extern Output examples, scores;
