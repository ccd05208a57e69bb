// Times a GraphDef in TensorFlow's own C++ session (libtensorflow_cc from the wheel), without
// Python: the peer that tools/bench runs beside `warpbeam bench`. Both follow README.md: the same
// steps, the same lines "metric<TAB>value<TAB>unit".
//
//   tfrun --graph=FILE.pb|--saved_model=FOLDER [--init=A,B] [--fetch=A:0,B:0] [--target=A]
//   [--feed=NAME|f32|2x3|u;...]
//     [--background=A,B] [--devices=N] [--inter=N] [--intra=N] [--pool=N] [--soft=0] [--grappler=1]
//     [--xla=1] [--executor=NAME] [--address=GRPC] [--api=callable] [--budget=SECONDS] [--steps=N]
//     [--save=A]
#include <tensorflow/cc/saved_model/loader.h>
#include <tensorflow/core/framework/graph.pb.h>
#include <tensorflow/core/framework/step_stats.pb.h>
#include <tensorflow/core/framework/tensor.h>
#include <tensorflow/core/platform/env.h>
#include <tensorflow/core/protobuf/config.pb.h>
#include <tensorflow/core/protobuf/rewriter_config.pb.h>
#include <tensorflow/core/public/session.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "tools/benchmarks/disk.h"
#include "tools/benchmarks/feeds.h"
#include "tools/benchmarks/measure.h"
#include "tools/benchmarks/process_stats.h"

namespace tf = ::tensorflow;

namespace warpbeam {
namespace benchmarks {
namespace {

void DieUnlessOk(const Status& status, const char* what) {
  if (status.ok()) return;
  fprintf(stderr, "tfrun: %s: %s\n", what, status.ToString().c_str());
  fflush(stdout);
  _exit(1);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// The flags, all of the form --name=value.
class Options {
 public:
  Options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string flag = argv[i];
      const size_t equals = flag.find('=');
      if (flag.rfind("--", 0) != 0 || equals == std::string::npos) {
        fprintf(stderr, "tfrun: '%s' is not of the form --name=value\n", argv[i]);
        _exit(2);
      }
      values_[flag.substr(2, equals - 2)] = flag.substr(equals + 1);
    }
  }

  std::string Text(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "" : found->second;
  }
  double Number(const std::string& name, double otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : atof(found->second.c_str());
  }
  std::vector<std::string> List(const std::string& name) const { return Split(Text(name), ','); }

 private:
  std::map<std::string, std::string> values_;
};

std::unique_ptr<tf::GraphDef> ReadGraph(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string data = bytes.str();
  auto graph = std::make_unique<tf::GraphDef>();
  google::protobuf::io::ArrayInputStream array(data.data(), static_cast<int>(data.size()));
  google::protobuf::io::CodedInputStream coded(&array);
  coded.SetTotalBytesLimit(INT_MAX);
  const double before = WallSeconds();
  if (!file || !graph->ParseFromCodedStream(&coded)) {
    fprintf(stderr, "tfrun: cannot read %s\n", path.c_str());
    _exit(1);
  }
  PrintMetric("parse", WallSeconds() - before, "s");
  return graph;
}

tf::SessionOptions MakeSessionOptions(const Options& options) {
  tf::SessionOptions session_options;
  session_options.target = options.Text("address");
  tf::ConfigProto& config = session_options.config;
  (*config.mutable_device_count())["CPU"] = static_cast<int>(options.Number("devices", 1));
  config.set_inter_op_parallelism_threads(static_cast<int>(options.Number("inter", 0)));
  config.set_intra_op_parallelism_threads(static_cast<int>(options.Number("intra", 0)));
  config.set_allow_soft_placement(options.Number("soft", 1) != 0);
  tf::OptimizerOptions* passes = config.mutable_graph_options()->mutable_optimizer_options();
  if (options.Number("grappler", 0) == 0) {
    config.mutable_graph_options()->mutable_rewrite_options()->set_disable_meta_optimizer(true);
    passes->set_opt_level(tf::OptimizerOptions::L0);
  }
  if (options.Number("xla", 0) != 0) passes->set_global_jit_level(tf::OptimizerOptions::ON_2);
  const std::string executor = options.Text("executor");
  if (!executor.empty()) config.mutable_experimental()->set_executor_type(executor);
  return session_options;
}

// NAME|f32|100x784|u;NAME|i32|100|i10;...  A scalar's shape is empty.
std::vector<std::pair<std::string, tf::Tensor>> MakeFeeds(const std::string& text) {
  std::vector<std::pair<std::string, tf::Tensor>> feeds;
  for (const std::string& feed : Split(text, ';')) {
    std::vector<std::string> fields;
    std::istringstream stream(feed);
    for (std::string field; std::getline(stream, field, '|');) fields.push_back(field);
    if (fields.size() != 4) {
      fprintf(stderr, "tfrun: feed '%s' is not NAME|DTYPE|SHAPE|KIND\n", feed.c_str());
      _exit(2);
    }
    tf::TensorShape shape;
    for (const std::string& dim : Split(fields[2], 'x')) shape.AddDim(atoll(dim.c_str()));
    const std::vector<float> values =
        FeedValues(fields[3], static_cast<size_t>(shape.num_elements()));
    const tf::DataType dtype = fields[1] == "i32"   ? tf::DT_INT32
                               : fields[1] == "i64" ? tf::DT_INT64
                                                    : tf::DT_FLOAT;
    tf::Tensor tensor(dtype, shape);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (dtype == tf::DT_FLOAT) tensor.flat<float>()(at) = values[i];
      if (dtype == tf::DT_INT32) tensor.flat<int32_t>()(at) = static_cast<int32_t>(values[i]);
      if (dtype == tf::DT_INT64) tensor.flat<int64_t>()(at) = static_cast<int64_t>(values[i]);
    }
    feeds.emplace_back(fields[0], tensor);
  }
  return feeds;
}

// A session and the step that is measured.
class Steps {
 public:
  Steps(tf::Session* session, const Options& options)
      : session_(session),
        feeds_(MakeFeeds(options.Text("feed"))),
        fetches_(options.List("fetch")),
        targets_(options.List("target")) {
    run_options_.set_inter_op_thread_pool(static_cast<int>(options.Number("pool", 0)));
  }

  void RunTarget(const std::string& target) {
    tf::RunMetadata metadata;
    DieUnlessOk(session_->Run(run_options_, {}, {}, {target}, nullptr, &metadata), target.c_str());
  }

  // Keeps running a target on a thread of its own until it fails, as a queue runner does.
  void RunInBackground(const std::string& target) {
    tf::Session* session = session_;
    const tf::RunOptions run_options = run_options_;
    tf::Env::Default()->SchedClosure([session, run_options, target] {
      tf::RunMetadata metadata;
      while (session->Run(run_options, {}, {}, {target}, nullptr, &metadata).ok()) {
      }
    });
  }

  void MakeCallable() {
    tf::CallableOptions options;
    *options.mutable_run_options() = run_options_;
    for (const auto& feed : feeds_) options.add_feed(feed.first);
    for (const auto& feed : feeds_) feed_values_.push_back(feed.second);
    for (const std::string& fetch : fetches_) options.add_fetch(fetch);
    for (const std::string& target : targets_) options.add_target(target);
    DieUnlessOk(session_->MakeCallable(options, &callable_), "MakeCallable");
    has_callable_ = true;
  }

  void Run() {
    outputs_.clear();
    if (has_callable_) {
      DieUnlessOk(session_->RunCallable(callable_, feed_values_, &outputs_, nullptr), "step");
      return;
    }
    tf::RunMetadata metadata;
    DieUnlessOk(session_->Run(run_options_, feeds_, fetches_, targets_, &outputs_, &metadata),
                "step");
  }

  tf::StepStats RunTraced() {
    tf::RunOptions options = run_options_;
    options.set_trace_level(tf::RunOptions::SOFTWARE_TRACE);
    tf::RunMetadata metadata;
    outputs_.clear();
    DieUnlessOk(session_->Run(options, feeds_, fetches_, targets_, &outputs_, &metadata),
                "traced step");
    return metadata.step_stats();
  }

  // The first fetch of the last step, where it is a float scalar.
  void PrintFirstFetch(const char* step) const {
    if (outputs_.empty() || outputs_[0].dtype() != tf::DT_FLOAT || outputs_[0].NumElements() != 1) {
      return;
    }
    PrintMetric(std::string(step) + ".fetch.0", outputs_[0].flat<float>()(0), "value");
  }

 private:
  tf::Session* const session_;
  const std::vector<std::pair<std::string, tf::Tensor>> feeds_;
  const std::vector<std::string> fetches_, targets_;
  tf::RunOptions run_options_;
  tf::Session::CallableHandle callable_ = 0;
  bool has_callable_ = false;
  std::vector<tf::Tensor> feed_values_;
  std::vector<tf::Tensor> outputs_;
};

// Steps shorter than this are timed several at once, so that reading the clock does not count.
constexpr double kShortStepSeconds = 20e-6;
constexpr int kShortStepsAtOnce = 16;

void TimeSteps(Steps* steps, double budget, int max_steps, double short_step) {
  const int at_once = short_step < kShortStepSeconds ? kShortStepsAtOnce : 1;
  const double warm_up_end = WallSeconds() + budget / 5;
  for (int i = 0; i < max_steps && WallSeconds() < warm_up_end; ++i) steps->Run();
  std::vector<double> seconds;
  const Usage before = CurrentUsage();
  const double start = WallSeconds();
  for (int i = 0; i < max_steps && (i < 3 || WallSeconds() < start + budget); i += at_once) {
    const double step_start = WallSeconds();
    for (int j = 0; j < at_once; ++j) steps->Run();
    seconds.push_back((WallSeconds() - step_start) / at_once);
  }
  const double wall = WallSeconds() - start;
  const Usage after = CurrentUsage();
  const double count = static_cast<double>(seconds.size()) * at_once;
  PrintMetric("step_median", Quantile(seconds, 0.5) * 1e6, "us");
  PrintMetric("step_p10", Quantile(seconds, 0.1) * 1e6, "us");
  PrintMetric("step_p90", Quantile(seconds, 0.9) * 1e6, "us");
  PrintMetric("cpu_step", (after.cpu_seconds - before.cpu_seconds) / count * 1e6, "us");
  PrintMetric("cores_busy", (after.cpu_seconds - before.cpu_seconds) / wall, "cores");
  PrintMetric("preemptions_step", (after.preemptions - before.preemptions) / count, "count");
  PrintMetric("steps", count, "count");
}

// "name = MatMul(a, b)" -> "MatMul"; how the executor labels what it traces.
std::string OpOfLabel(const std::string& label) {
  const size_t equals = label.find(" = ");
  if (equals == std::string::npos) return "unknown";
  const size_t begin = equals + 3;
  return label.substr(begin, label.find('(', begin) - begin);
}

// Nodes that the runtime adds; fused kernels are none of them.
bool IsInternal(const std::string& name, const std::string& op) {
  static const std::set<std::string> kInternal = {"_Arg",  "_Retval",   "_Send",
                                                  "_Recv", "_HostSend", "_HostRecv"};
  return name == "_SOURCE" || name == "_SINK" || kInternal.count(op) != 0;
}

// Which nodes run in a step, and how long it is about IteratorGetNext, by a few traced steps.
void CountNodes(Steps* steps) {
  constexpr int kTraced = 9;
  std::vector<double> input_waits;
  std::map<std::string, int> executed;
  int nodes = 0;
  const double start = WallSeconds();
  for (int i = 0; i < kTraced && (i == 0 || WallSeconds() < start + 1); ++i) {
    const tf::StepStats stats = steps->RunTraced();
    executed.clear();
    nodes = 0;
    double input_wait = 0;
    for (const tf::DeviceStepStats& device : stats.dev_stats()) {
      for (const tf::NodeExecStats& node : device.node_stats()) {
        const std::string op = OpOfLabel(node.timeline_label());
        if (IsInternal(node.node_name(), op)) continue;
        ++executed[op];
        ++nodes;
        if (op == "IteratorGetNext") input_wait += static_cast<double>(node.all_end_rel_micros());
      }
    }
    input_waits.push_back(input_wait);
  }
  PrintMetric("nodes_executed", nodes, "count");
  for (const auto& op : executed) PrintMetric("executed." + op.first, op.second, "count");
  if (executed.count("IteratorGetNext") != 0) {
    PrintMetric("input_wait", Quantile(input_waits, 0.5), "us");
  }
}

// Writes the checkpoint "model" a few times, until it is on the disk.
void TimeSaves(Steps* steps, const std::string& target, int count) {
  steps->RunTarget(target);
  const double before = CurrentUsage().cpu_seconds;
  const std::vector<double> seconds = TimeEach(count, [&] {
    steps->RunTarget(target);
    SyncCheckpoint("model");
  });
  PrintMetric("save", Quantile(seconds, 0.5), "s");
  PrintMetric("save_cpu", (CurrentUsage().cpu_seconds - before) / count, "s");
}

tf::Session* OpenGraph(const Options& options) {
  std::unique_ptr<tf::GraphDef> graph = ReadGraph(options.Text("graph"));
  PrintMetric("nodes", graph->node_size(), "count");
  const double before = WallSeconds();
  tf::Session* session = nullptr;
  DieUnlessOk(tf::NewSession(MakeSessionOptions(options), &session), "NewSession");
  DieUnlessOk(session->Create(std::move(*graph)), "Create");
  PrintMetric("create", WallSeconds() - before, "s");
  return session;
}

// Stays as long as the process.
tf::Session* OpenSavedModel(const Options& options) {
  auto* const model = new tf::SavedModelBundle;
  const double before = WallSeconds();
  DieUnlessOk(tf::LoadSavedModel(MakeSessionOptions(options), tf::RunOptions(),
                                 options.Text("saved_model"), {"serve"}, model),
              "LoadSavedModel");
  PrintMetric("load", WallSeconds() - before, "s");
  return model->session.get();
}

int Main(int argc, char** argv) {
  const Options options(argc, argv);
  tf::Session* const session =
      options.Text("saved_model").empty() ? OpenGraph(options) : OpenSavedModel(options);

  Steps steps(session, options);
  double before = WallSeconds();
  for (const std::string& target : options.List("init")) steps.RunTarget(target);
  PrintMetric("init", WallSeconds() - before, "s");
  for (const std::string& target : options.List("background")) steps.RunInBackground(target);
  const std::string save = options.Text("save");
  if (!save.empty()) TimeSaves(&steps, save, 5);

  before = WallSeconds();
  steps.Run();
  PrintMetric("first_run", WallSeconds() - before, "s");
  PrintMetric("start_to_first_step", SecondsSinceStart(), "s");
  PrintMetric("rss_first_step", ResidentMiB("VmRSS:"), "MiB");
  steps.PrintFirstFetch("step1");

  const double budget = options.Number("budget", 1);
  if (budget > 0) {
    std::vector<double> seconds = TimeEach(9, [&] { steps.Run(); });
    steps.PrintFirstFetch("step10");
    if (options.Text("api") == "callable") steps.MakeCallable();
    TimeSteps(&steps, budget, static_cast<int>(options.Number("steps", 1e6)),
              Quantile(seconds, 0.5));
    PrintMetric("rss_peak", ResidentMiB("VmHWM:"), "MiB");
    CountNodes(&steps);
  } else {
    PrintMetric("rss_peak", ResidentMiB("VmHWM:"), "MiB");
  }
  if (!save.empty()) RemoveCheckpoint("model");
  // Queue runners may be waiting for ever: nothing is taken down in order.
  fflush(stdout);
  _exit(0);
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) { return warpbeam::benchmarks::Main(argc, argv); }
