#include "runtime/trace/chrome_trace.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace warpbeam {
namespace {

// Rows of a GPU; those of a CPU are thread numbers.
constexpr int32_t kComputeRow = 0, kCopiesInRow = 1, kCopiesOutRow = 2;

std::string JsonText(absl::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

class TraceWriter {
 public:
  explicit TraceWriter(const StepStats& stats)
      : stats_(stats), rows_(stats.nodes.size()), is_critical_(stats.nodes.size(), false) {}

  std::string Write() {
    AssignRows();
    const std::vector<int32_t> path = CriticalPath(stats_);
    for (int32_t i : path) is_critical_[i] = true;
    NameRows(!path.empty());
    for (size_t i = 0; i < stats_.nodes.size(); ++i) WriteNode(i);
    for (int32_t i : path) WriteOnPath(i);
    for (size_t i = 0; i < stats_.nodes.size(); ++i) WriteArrows(i);
    return "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [" + events_ + "\n]}\n";
  }

 private:
  struct Row {
    int pid = 0;
    int32_t tid = 0;
    int64_t start_ns = 0;  // as drawn
  };

  // Copies of one stream run one after the other but may be asked for earlier: each is drawn from
  // the end of the one before.
  void AssignRows() {
    for (const NodeStats& n : stats_.nodes) devices_.emplace(n.device, 0);
    int next = 1;
    for (auto& [device, pid] : devices_) pid = next++;
    std::vector<size_t> order(stats_.nodes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return stats_.nodes[a].end_ns < stats_.nodes[b].end_ns; });
    std::map<std::pair<int, int32_t>, int64_t> copied_until;  // by row
    for (size_t i : order) {
      const NodeStats& n = stats_.nodes[i];
      Row& row = rows_[i];
      row.pid = devices_[n.device];
      row.start_ns = n.start_ns;
      if (n.is_copy) {
        row.tid = n.copy_to.empty() ? kCopiesOutRow : kCopiesInRow;
        int64_t& until = copied_until[{row.pid, row.tid}];
        row.start_ns = std::min(n.end_ns, std::max(until, n.start_ns));
        until = n.end_ns;
      } else {
        row.tid = absl::StrContains(n.device, "GPU") ? kComputeRow : n.thread;
      }
      names_[{row.pid, row.tid}] = RowName(n, row.tid);
    }
  }

  std::string RowName(const NodeStats& n, int32_t row) const {
    if (n.is_copy) return row == kCopiesOutRow ? "copies to the host" : "copies to the GPU";
    return row != n.thread ? "compute stream" : ThreadName(n.thread);
  }

  std::string ThreadName(int32_t thread) const {
    const auto found = stats_.thread_names.find(thread);
    return absl::StrCat(found == stats_.thread_names.end() ? "thread" : found->second, " ", thread);
  }

  template <typename... Args>
  void Event(const Args&... args) {
    absl::StrAppend(&events_, events_.empty() ? "\n{" : ",\n{", args..., "}");
  }
  std::string At(const Row& row, int64_t ns) const {
    return absl::StrCat(R"("pid": )", row.pid, R"(, "tid": )", row.tid, R"(, "ts": )", Micros(ns));
  }
  // Microseconds since the step began, as Chrome counts.
  std::string Micros(int64_t ns) const { return Length(ns - stats_.start_ns); }
  static std::string Length(int64_t ns) {
    return absl::StrFormat("%.3f", static_cast<double>(ns) / 1000);
  }

  void NameRows(bool has_path) {
    if (has_path) {
      Event(R"("name": "process_name", "ph": "M", "pid": 0, "args": {"name": "critical path"})");
    }
    for (const auto& [device, pid] : devices_) {
      Event(R"("name": "process_name", "ph": "M", "pid": )", pid, R"(, "args": {"name": )",
            JsonText(device), "}");
    }
    for (const auto& [row, name] : names_) {
      Event(R"("name": "thread_name", "ph": "M", "pid": )", row.first, R"(, "tid": )", row.second,
            R"(, "args": {"name": )", JsonText(name), "}");
    }
  }

  void WriteNode(size_t i) {
    const NodeStats& n = stats_.nodes[i];
    const Row& row = rows_[i];
    std::string args =
        absl::StrCat(R"("name": )", JsonText(n.node), R"(, "input_bytes": )", n.input_bytes,
                     R"(, "output_bytes": )", n.output_bytes, R"(, "ready_us": )",
                     Micros(n.scheduled_ns), R"(, "core": )", n.core);
    if (n.workspace_bytes > 0) {
      absl::StrAppend(&args, R"(, "workspace_bytes": )", n.workspace_bytes);
    }
    if (n.cpu_ns > 0) absl::StrAppend(&args, R"(, "cpu_us": )", Length(n.cpu_ns));
    if (n.iteration > 0) absl::StrAppend(&args, R"(, "iteration": )", n.iteration);
    if (n.is_copy) {
      const auto name = [](absl::string_view d) { return d.empty() ? "host memory" : d; };
      absl::StrAppend(&args, R"(, "from": )", JsonText(name(n.copy_from)), R"(, "to": )",
                      JsonText(name(n.copy_to)));
    }
    if (is_critical_[i]) absl::StrAppend(&args, R"(, "critical": true)");
    Event(R"("name": )", JsonText(n.op), R"(, "cat": )", n.is_copy ? "\"copy\"" : "\"op\"",
          R"(, "ph": "X", )", At(row, row.start_ns), R"(, "dur": )",
          Length(n.end_ns - row.start_ns), is_critical_[i] ? R"(, "cname": "terrible")" : "",
          R"(, "args": {)", args, "}");
  }

  void WriteOnPath(int32_t i) {
    const NodeStats& n = stats_.nodes[i];
    Event(R"("name": )", JsonText(n.node), R"(, "cat": "critical", "ph": "X", )",
          At({0, 0, 0}, rows_[i].start_ns), R"(, "dur": )", Length(n.end_ns - rows_[i].start_ns),
          R"(, "args": {"op": )", JsonText(n.op), R"(, "device": )", JsonText(n.device), "}");
  }

  void WriteArrows(size_t i) {
    const NodeStats& n = stats_.nodes[i];
    for (int32_t p : n.predecessors) {
      const NodeStats& from = stats_.nodes[p];
      if (!n.is_copy && !from.is_copy) continue;
      const std::string head =
          absl::StrCat(R"("name": "tensor", "cat": "flow", "id": )", ++arrows_);
      // An arrow begins inside of a bar, and must not end before.
      Event(head, R"(, "ph": "s", )", At(rows_[p], from.end_ns - 1));
      Event(head, R"(, "ph": "f", "bp": "e", )",
            At(rows_[i], std::max(rows_[i].start_ns, from.end_ns)));
    }
  }

  const StepStats& stats_;
  std::map<absl::string_view, int> devices_;
  std::vector<Row> rows_;
  std::map<std::pair<int, int32_t>, std::string> names_;
  std::vector<bool> is_critical_;
  std::string events_;
  int arrows_ = 0;
};

}  // namespace

std::string ChromeTrace(const StepStats& stats) { return TraceWriter(stats).Write(); }

}  // namespace warpbeam
