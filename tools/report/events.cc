#include "tools/report/events.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "proto/config.pb.h"
#include "proto/event.pb.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace report {
namespace {

namespace fs = std::filesystem;

// One of each so many nodes is too many to draw.
constexpr size_t kMostBars = 20000;

// "op" of "name = op(inputs)", the label of a timeline.
std::string OpOfLabel(const std::string& label) {
  const size_t equals = label.find(" = ");
  if (equals == std::string::npos) return label;
  const size_t begin = equals + 3;
  return label.substr(begin, label.find('(', begin) - begin);
}

int64_t StartOf(const tensorflow::NodeExecStats& node) {
  return node.all_start_nanos() != 0 ? node.all_start_nanos() : node.all_start_micros() * 1000;
}

int64_t LengthOf(const tensorflow::NodeExecStats& node) {
  return node.all_end_rel_nanos() != 0 ? node.all_end_rel_nanos()
                                       : node.all_end_rel_micros() * 1000;
}

StatusOr<TracedStep> ReadTrace(const tensorflow::TaggedRunMetadata& tagged, int64_t step) {
  tensorflow::RunMetadata metadata;
  if (!metadata.ParseFromString(tagged.run_metadata())) {
    return DataLoss("the run metadata '", tagged.tag(), "' does not parse");
  }
  TracedStep trace{tagged.tag(), step, {}, 0};
  int64_t first = INT64_MAX, last = 0;
  size_t bars = 0;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) {
      if (++bars > kMostBars) break;
      const int64_t start = StartOf(node), end = start + std::max<int64_t>(0, LengthOf(node));
      first = std::min(first, start);
      last = std::max(last, end);
      trace.rows[{device.device(), node.thread_id()}].push_back(
          {node.node_name(), OpOfLabel(node.timeline_label()), start, end});
    }
  }
  for (auto& row : trace.rows) {
    for (NodeRun& node : row.second) {
      node.start_ns -= first;
      node.end_ns -= first;
    }
  }
  trace.length_ns = std::max<int64_t>(1, last - first);
  return trace;
}

// A scalar that was written as a tensor, as TensorFlow 2 does.
bool IsScalarTensor(const tensorflow::Summary::Value& value, double* number) {
  if (value.metadata().plugin_data().plugin_name() != "scalars" || !value.has_tensor()) {
    return false;
  }
  const tensorflow::TensorProto& tensor = value.tensor();
  float number_in_bytes = 0;
  if (tensor.dtype() != tensorflow::DT_FLOAT) return false;
  if (tensor.float_val_size() == 1) {
    *number = static_cast<double>(tensor.float_val(0));
    return true;
  }
  if (tensor.tensor_content().size() != sizeof(number_in_bytes)) return false;
  std::memcpy(&number_in_bytes, tensor.tensor_content().data(), sizeof(number_in_bytes));
  *number = static_cast<double>(number_in_bytes);
  return true;
}

class RunReader {
 public:
  explicit RunReader(Run* run) : run_(*run) {}

  void ReadFile(const std::string& path) {
    auto reader = RecordReader::Open(path);
    Status status = reader.status();
    absl::string_view record;
    while (status.ok()) {
      const auto more = (*reader)->Next(&record);
      status = more.status();
      if (!status.ok() || !*more) break;
      tensorflow::Event event;
      if (!event.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
        run_.notes.push_back(absl::StrCat("a record of ", path, " is no event; it was left out"));
        continue;
      }
      Take(event);
    }
    if (!status.ok()) {
      run_.notes.push_back(
          absl::StrCat("the events after that were left out: ", std::string(status.message())));
    }
  }

 private:
  template <typename Point>
  static void Purge(std::map<std::string, std::vector<Point>>* series, int64_t from_step) {
    for (auto& entry : *series) {
      auto& points = entry.second;
      points.erase(std::remove_if(points.begin(), points.end(),
                                  [&](const Point& p) { return p.step >= from_step; }),
                   points.end());
    }
  }

  void Take(const tensorflow::Event& event) {
    if (event.wall_time() > 0) {
      if (run_.first_time <= 0) run_.first_time = event.wall_time();
      run_.last_time = std::max(run_.last_time, event.wall_time());
    }
    switch (event.what_case()) {
      case tensorflow::Event::kSummary:
        for (const auto& value : event.summary().value()) TakeValue(value, event.step());
        break;
      case tensorflow::Event::kGraphDef:
        run_.graph = event.graph_def();
        break;
      case tensorflow::Event::kTaggedRunMetadata: {
        auto trace = ReadTrace(event.tagged_run_metadata(), event.step());
        if (trace.ok()) {
          run_.traces.push_back(*std::move(trace));
        } else {
          run_.notes.emplace_back(trace.status().message());
        }
        break;
      }
      case tensorflow::Event::kSessionLog:
        if (event.session_log().status() == tensorflow::SessionLog::START) {
          Purge(&run_.scalars, event.step());
          Purge(&run_.histograms, event.step());
        }
        run_.has_stopped = event.session_log().status() == tensorflow::SessionLog::STOP;
        if (event.session_log().status() == tensorflow::SessionLog::CHECKPOINT) {
          run_.checkpoints.push_back(event.session_log().checkpoint_path());
        }
        break;
      default:
        break;
    }
  }

  void TakeValue(const tensorflow::Summary::Value& value, int64_t step) {
    double number = 0;
    if (value.value_case() == tensorflow::Summary::Value::kSimpleValue) {
      run_.scalars[value.tag()].push_back({step, static_cast<double>(value.simple_value())});
    } else if (IsScalarTensor(value, &number)) {
      run_.scalars[value.tag()].push_back({step, number});
    } else if (value.has_histo()) {
      const tensorflow::HistogramProto& h = value.histo();
      if (h.bucket_size() != h.bucket_limit_size()) return;
      run_.histograms[value.tag()].push_back({step,
                                              h.min(),
                                              h.max(),
                                              h.num(),
                                              h.sum(),
                                              {h.bucket_limit().begin(), h.bucket_limit().end()},
                                              {h.bucket().begin(), h.bucket().end()}});
    }
  }

  Run& run_;
};

template <typename Point>
void Sort(std::map<std::string, std::vector<Point>>* series) {
  for (auto& entry : *series) {
    std::stable_sort(entry.second.begin(), entry.second.end(),
                     [](const Point& a, const Point& b) { return a.step < b.step; });
  }
}

// "train" of "/tmp/train/" and of "." there.
std::string OwnName(const std::string& directory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(directory, error);
  return whole.filename().empty() ? directory : whole.filename().string();
}

}  // namespace

StatusOr<std::vector<Run>> ReadRuns(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return NotFound("'", directory, "' is no directory");
  }
  std::map<std::string, std::vector<std::string>> files;  // by run
  auto at = fs::recursive_directory_iterator(directory,
                                             fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const fs::path& path = at->path();
    if (!absl::StrContains(path.filename().string(), "tfevents")) continue;
    std::error_code not_regular;
    if (!at->is_regular_file(not_regular)) continue;
    files[path.parent_path().lexically_relative(directory).string()].push_back(path.string());
  }
  if (error) return FailedPrecondition("cannot read '", directory, "': ", error.message());
  if (files.empty()) {
    return NotFound("there is no event file (…tfevents…) in '", directory, "' or below it");
  }
  std::vector<Run> runs;
  for (auto& [name, paths] : files) {
    Run run;
    run.name = name == "." ? OwnName(directory) : name;
    // Their names begin with the time.
    std::sort(paths.begin(), paths.end());
    RunReader reader(&run);
    for (const std::string& path : paths) reader.ReadFile(path);
    Sort(&run.scalars);
    Sort(&run.histograms);
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace report
}  // namespace warpbeam
