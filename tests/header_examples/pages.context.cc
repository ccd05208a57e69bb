// What the pages of docs/ use without declaring it (header_examples.py).
#include "frontend/cluster.h"
#include "frontend/cluster/device_setter.h"
#include "frontend/contrib/contrib.h"
#include "frontend/model/model.h"
#include "frontend/monitored/sync_replicas_hook.h"
#include "frontend/ops/array_ops.h"
#include "frontend/ops/image_ops.h"
#include "frontend/ops/io_ops.h"
#include "frontend/ops/nn_ops.h"
#include "frontend/training/sync_replicas_optimizer.h"
#include "frontend/warpbeam.h"
#include "runtime/session/session.h"

namespace wb = warpbeam::frontend;

using warpbeam::Status;
extern const wb::Scope& scope;
extern wb::Scope root, tower;
extern wb::ClientSession& session;
extern wb::SessionConfig config;
extern wb::Output a, b, c, i, n, t, x, y, z, m, image, images, labels, logits, loss, lengths;
extern wb::Variable w, step, global_step;
extern wb::Operation op, init, train_op;
extern std::string folder, path, dir;
extern std::vector<wb::Gradient> gradients;

// Functions of the program, for every place that takes one.
using Outputs = std::vector<wb::Output>;
struct Function {
  Outputs operator()(const wb::Scope&) const;
  wb::Output operator()(const wb::Scope&, const wb::Output&) const;
  wb::Output operator()(const wb::Scope&, const wb::Output&, const wb::Output&) const;
  Outputs operator()(const wb::Scope&, const Outputs&) const;
  Outputs operator()(const wb::Scope&, const Outputs&, const Outputs&) const;
};
extern Function f, g, h;
extern wb::SparseTensor sparse;

//== frontend.md
extern std::string bytes;
extern wb::Output p, q, s, ids, weights, labels, lengths, targets;

//== frontend.md#variables
extern wb::Regularizer r;
extern wb::Initializer init;
extern wb::VariableGetter getter;
extern wb::CustomGetter g;
extern std::string name;
extern wb::Shape shape;
extern wb::GetVariableOptions options;
extern wb::Variable v, b;
extern wb::Tensor tensor;

//== frontend.md#operations
extern wb::Output v, rows, kernel, keep_prob, r, k, predictions;
extern wb::Variable table;
extern wb::Tensor value;
extern wb::HostFunction host;
extern wb::TensorsFunction function;
extern wb::TensorsGradient gradient;

//== frontend.md#branches-loops-rows
extern wb::TensorArray ta;
extern Outputs v;
extern wb::LoopCondition cond;
extern Function body;
extern AnyValue options;

//== frontend.md#training
extern double rate, l1, l2, weight_decay;
extern wb::train::Optimizer& opt;
extern wb::train::AdamWOptimizer adam_w;
extern wb::OpGradient gradient;
extern wb::train::ExponentialMovingAverage ema;
extern std::vector<wb::Variable> variables;
extern std::vector<wb::train::GradientAndVariable> grads;

//== frontend.md#several-devices-with-variables-of-their-own
extern wb::train::Optimizer& optimizer;
wb::Output Inference(const wb::Scope&, const wb::Output&);
wb::Output Loss(const wb::Scope&, const wb::Output&, const wb::Output&);
//-- local
wb::ClientSession session(root);

//== frontend.md#layers-losses-and-metrics
extern wb::Output ids_indices, ids_values;
extern wb::nn::RNNCellPtr cell;
extern wb::nn::RawLoop loop;
extern wb::train::Optimizer& opt;

//== frontend.md#tf-contrib
namespace seq2seq = wb::contrib::seq2seq;
extern wb::Regularizer r;
extern wb::Output tags, transitions, memory, batch, embedding, start_tokens;
extern wb::Tensor score, matrix;
extern wb::Output parents;
extern seq2seq::Decoded decoded;
extern std::shared_ptr<seq2seq::AttentionWrapper> cell, it;
extern seq2seq::AttentionMechanismPtr mechanism;
extern wb::nn::RNNState start, encoder_state;
extern seq2seq::DecoderInputsPtr inputs;
extern seq2seq::OutputLayer layer;
extern seq2seq::BasicDecoder decoder;

//== frontend.md#saving-and-summaries
extern wb::Variable shadow;
extern wb::train::Saver saver;
extern wb::ImportGraphOptions options;
extern wb::saved_model::SignatureDef predict;
extern wb::StatusOr<std::unique_ptr<wb::summary::FileWriter>> writer;
extern wb::Tensor fetched;
extern wb::summary::EventRecord event;

//== frontend.md#input
extern wb::data::Dataset it, dataset, a, b;
extern std::vector<std::string> files;
extern AnyValue f, p, key, length, Parse, ClassOf;
extern wb::Output x, y, u, v, k, line, name, handle, keep;
extern AnyValue context, steps, options;
extern wb::train::PrefetchQueue queue;
extern wb::train::Coordinator coordinator;

//== frontend.md#running
extern wb::Tensor batch;
extern wb::train::ClusterSpec cluster;
extern wb::train::ClusterRules rules;
extern wb::StatusOr<std::unique_ptr<wb::train::Server>> server;

//== training.md
extern wb::train::MonitoredTrainingOptions options;
extern wb::train::ScaffoldOptions parts;
extern wb::train::Supervisor supervisor;
extern AnyValue f;

//== training.md#what-is-on-the-disk
extern wb::train::Saver saver;
extern int64_t step;

//== training.md#several-workers
extern wb::train::ClusterSpec cluster;
extern wb::train::ReplicaDeviceSetterOptions options;
extern wb::train::SyncReplicasOptimizer sync;
extern wb::train::GradientDescentOptimizer opt;
extern bool is_chief;

//== models.md
using namespace warpbeam;
extern wb::Tensor image;
extern wb::Output vocabulary;
extern wb::Operation fill_tables;
