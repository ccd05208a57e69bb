// What training pays beside its steps, as a program with the frontend does it.
//
//   training_costs saving       a save of 500 MB in the background
//   training_costs summaries    an AddSummary after every step
//   training_costs replicas     the reduction of mirrored variables' gradients
//
// saving: `saving.save` (s) is a save that is waited for; `saving.call` (s) what SaveInBackground
// takes; `saving.delay` (s) by how much the steps are late that run until it is on the disk, the
// call among it; `saving.step` (s) a step, which changes every variable. summaries:
// `summaries.step` (s) and `summaries.delay`, what a step takes longer with a writer as a fraction
// of it: steps with and without take turns. replicas: `replicas.step` (s); `replicas.reduce` (s)
// for how long something of the reduction ran (copies to and from it among it), in a traced step;
// `replicas.hidden`, the fraction of that during which the backward pass of a replica ran, too.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/layers/dense.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "frontend/saver/saver.h"
#include "frontend/summary/file_writer.h"
#include "frontend/summary/summary.h"
#include "frontend/training/momentum.h"
#include "frontend/training/replicate.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/variables/variable_scope.h"
#include "runtime/session/session.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

using frontend::BuildOp;
using frontend::BuildOutput;
using frontend::ClientSession;
using frontend::Operation;
using frontend::Output;
using frontend::Scope;
using frontend::Variable;

constexpr const char* kFolder = "training_costs_files";

// 20 variables of 25 MiB, each changed by every step.
struct LargeModel {
  LargeModel() {
    std::vector<Operation> updates;
    for (int i = 0; i < 20; ++i) {
      // Filled by an op: a constant of this size would be in every MetaGraph.
      const Output ones = BuildOutput(root, "Fill", {std::vector<int>{25 << 18}, 1.0f});
      const Variable v = frontend::GetVariableFrom(root, "v" + std::to_string(i), ones);
      const Output gradient = frontend::Multiply(root, v.read(), 0.01f);
      updates.push_back(BuildOp(root, "ApplyGradientDescent", {v, 0.1f, gradient}));
    }
    step = frontend::Group(root, updates);
    init = frontend::GlobalVariablesInitializer(root);
  }
  const Scope root = Scope::NewRoot();
  Operation step, init;
};

Status MeasureSaving() {
  LargeModel model;
  frontend::train::Saver saver(model.root, frontend::train::SaverOptions().max_to_keep(1));
  ClientSession session(model.root);
  WB_RETURN_IF_ERROR(session.Run({model.init}).status());
  Status status;
  const auto step = [&] { status.Update(session.Run({model.step}).status()); };
  const std::string path = std::string(kFolder) + "/m";
  std::vector<double> saves, calls, delays;
  const auto save_once = [&](bool counts) -> Status {
    const double alone = MedianSeconds(9, step);
    double before = WallSeconds();
    WB_RETURN_IF_ERROR(saver.Save(session, path, 1).status());
    const double save = WallSeconds() - before;
    before = WallSeconds();
    WB_RETURN_IF_ERROR(saver.SaveInBackground(session, path, 2).status());
    const double call = WallSeconds() - before;
    int steps = 0;
    while (saver.IsSaving()) {
      step();
      ++steps;
    }
    const double delay = WallSeconds() - before - steps * alone;
    WB_RETURN_IF_ERROR(saver.Wait());
    if (!counts) return status;
    saves.push_back(save);
    calls.push_back(call);
    delays.push_back(delay);
    PrintMetric("saving.steps_meanwhile", steps, "count");
    PrintMetric("saving.step", alone, "s");
    return status;
  };
  WB_RETURN_IF_ERROR(save_once(false));
  for (int i = 0; i < 5; ++i) WB_RETURN_IF_ERROR(save_once(true));
  PrintMetric("saving.save", Quantile(saves, 0.5), "s");
  PrintMetric("saving.call", Quantile(calls, 0.5), "s");
  PrintMetric("saving.delay", Quantile(delays, 0.5), "s");
  return OkStatus();
}

// A hidden layer, with the summaries that mnist_towers makes of its variables.
struct SmallModel {
  SmallModel() {
    const Output x = BuildOutput(root, "Fill", {std::vector<int>{100, 784}, 0.01f});
    const Variable w1 =
        frontend::GetVariable(root, "w1", {784, 256}, frontend::ConstantInitializer(0.01));
    const Variable w2 =
        frontend::GetVariable(root, "w2", {256, 10}, frontend::ConstantInitializer(0.01));
    const Output hidden = BuildOutput(root, "Relu", {BuildOutput(root, "MatMul", {x, w1.read()})});
    const Output out = BuildOutput(root, "MatMul", {hidden, w2.read()});
    const Output loss = frontend::ReduceMean(root, frontend::Square(root, out));
    train = frontend::train::AdamOptimizer(1e-4).Minimize(root, loss);
    frontend::summary::Scalar(root, "loss", loss);
    frontend::summary::Histogram(root, "w1", w1.read());
    frontend::summary::Histogram(root, "w2", w2.read());
    merged = frontend::summary::MergeAll(root);
    init = frontend::GlobalVariablesInitializer(root);
  }
  const Scope root = Scope::NewRoot();
  Operation train, init;
  Output merged;
};

Status MeasureSummaries() {
  SmallModel model;
  ClientSession session(model.root);
  WB_RETURN_IF_ERROR(session.Run({model.init}).status());
  WB_ASSIGN_OR_RETURN(auto writer, frontend::summary::FileWriter::Open(kFolder));
  constexpr int kWarmUp = 100, kSteps = 2000;
  std::vector<double> with, without;
  for (int i = 0; i < kWarmUp + kSteps; ++i) {
    const double before = WallSeconds();
    WB_ASSIGN_OR_RETURN(const std::vector<Tensor> out, session.Run({model.merged, model.train}));
    if (i % 2 == 0) WB_RETURN_IF_ERROR(writer->AddSummary(out[0], i));
    const double seconds = WallSeconds() - before;
    if (i >= kWarmUp) (i % 2 == 0 ? with : without).push_back(seconds);
  }
  const double alone = Quantile(without, 0.5);
  PrintMetric("summaries.step", alone, "s");
  PrintMetric("summaries.delay", (Quantile(with, 0.5) - alone) / alone, "fraction");
  PrintMetric("summaries.delay_p90", Quantile(with, 0.9) / Quantile(without, 0.9) - 1, "fraction");
  return writer->Close();
}

// Ten layers of 1024 by 1024 on two simulated GPUs: ten buckets of 4 MiB.
struct ReplicatedModel {
  ReplicatedModel()
      : replicas(root, {"/gpu:0", "/gpu:1"}, [](const Scope& scope, int) { return Loss(scope); }) {
    frontend::train::MomentumOptimizer optimizer(1e-4, 0.9);
    train = replicas.Minimize(root, optimizer);
    init = frontend::GlobalVariablesInitializer(root);
    mirror = replicas.Mirror(root);
  }
  static Output Loss(const Scope& scope) {
    Output x = BuildOutput(scope, "Fill", {std::vector<int>{128, 1024}, 0.01f});
    for (int i = 0; i < 10; ++i) {
      x = frontend::layers::Dense(
          scope.Named("dense_" + std::to_string(i)), x, 1024,
          frontend::layers::DenseOptions().activation(frontend::nn::Relu).use_bias(false));
    }
    return frontend::ReduceMean(scope, frontend::Square(scope, x));
  }
  const Scope root = Scope::NewRoot();
  frontend::train::Replicas replicas;
  Operation train, init, mirror;
};

using Span = std::pair<int64_t, int64_t>;

// The same times as spans that are in order and apart.
std::vector<Span> Apart(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<Span> apart;
  for (const Span& span : spans) {
    if (apart.empty() || span.first > apart.back().second) {
      apart.push_back(span);
    } else {
      apart.back().second = std::max(apart.back().second, span.second);
    }
  }
  return apart;
}

double Seconds(const std::vector<Span>& apart) {
  int64_t ns = 0;
  for (const Span& span : apart) ns += span.second - span.first;
  return 1e-9 * static_cast<double>(ns);
}

// How long both run.
double SharedSeconds(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::vector<Span> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return Seconds(a) + Seconds(b) - Seconds(Apart(std::move(both)));
}

Status MeasureReplicas() {
  ReplicatedModel model;
  frontend::SessionConfig config;
  config.simulated_gpus = 2;
  ClientSession session(model.root, config);
  WB_RETURN_IF_ERROR(session.Run({model.init}).status());
  WB_RETURN_IF_ERROR(session.Run({model.mirror}).status());
  Status status;
  const auto step = [&] { status.Update(session.Run({model.train}).status()); };
  TimeEach(5, step);
  PrintMetric("replicas.step", MedianSeconds(15, step), "s");
  WB_RETURN_IF_ERROR(status);
  RunOptions options;
  options.trace = TraceLevel::kSoftware;
  std::vector<double> reduce, hidden;
  for (int i = 0; i < 15; ++i) {
    RunMetadata run;
    std::vector<Tensor> none;
    WB_RETURN_IF_ERROR(session.session()->Run(options, {}, {}, {model.train.name()}, &none, &run));
    std::vector<Span> reduction, backward;
    for (const NodeStats& node : run.step_stats.nodes) {
      if (node.node.find("all_reduce/") != std::string::npos) {
        reduction.emplace_back(node.start_ns, node.end_ns);
      } else if (node.node.find("/gradients/") != std::string::npos) {
        (node.is_copy ? reduction : backward).emplace_back(node.start_ns, node.end_ns);
      }
    }
    reduction = Apart(std::move(reduction));
    backward = Apart(std::move(backward));
    if (reduction.empty() || backward.empty()) {
      return Internal("the traced step has no reduction or no backward pass");
    }
    reduce.push_back(Seconds(reduction));
    hidden.push_back(SharedSeconds(reduction, backward) / Seconds(reduction));
  }
  PrintMetric("replicas.reduce", Quantile(reduce, 0.5), "s");
  PrintMetric("replicas.hidden", Quantile(hidden, 0.5), "fraction");
  return OkStatus();
}

Status Measure(const std::string& part) {
  if (part == "saving") return MeasureSaving();
  if (part == "summaries") return MeasureSummaries();
  if (part == "replicas") return MeasureReplicas();
  return InvalidArgument("usage: training_costs saving | summaries | replicas");
}

int Main(int argc, char** argv) {
  std::error_code error;
  std::filesystem::create_directories(kFolder, error);
  const Status status = Measure(argc == 2 ? argv[1] : "");
  std::filesystem::remove_all(kFolder, error);
  if (status.ok()) return 0;
  fprintf(stderr, "training_costs: %s\n", status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) { return warpbeam::benchmarks::Main(argc, argv); }
