#include "runtime/trace/step_stats.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace warpbeam {
namespace {

std::string JsonText(const std::string& s) {
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

// Microseconds since the step began, as Chrome counts.
std::string Micros(int64_t ns, const StepStats& stats) {
  return absl::StrFormat("%.3f", static_cast<double>(ns - stats.start_ns) / 1000);
}

}  // namespace

std::string ChromeTrace(const StepStats& stats) {
  // A process per device, a row per thread within it.
  std::map<std::string, int> devices;
  for (const NodeStats& n : stats.nodes) devices.emplace(n.device, 0);
  int next = 0;
  for (auto& [device, pid] : devices) pid = next++;
  std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  const char* separator = "\n";
  for (const auto& [device, pid] : devices) {
    absl::StrAppend(&out, separator, R"({"name": "process_name", "ph": "M", "pid": )", pid,
                    R"(, "args": {"name": )", JsonText(device), "}}");
    separator = ",\n";
  }
  for (const NodeStats& n : stats.nodes) {
    const int pid = devices[n.device];
    absl::StrAppend(&out, separator, R"({"name": )", JsonText(n.op), R"(, "cat": "op", "ph": "X")",
                    R"(, "pid": )", pid, R"(, "tid": )", n.thread, R"(, "ts": )",
                    Micros(n.start_ns, stats), R"(, "dur": )",
                    absl::StrFormat("%.3f", static_cast<double>(n.end_ns - n.start_ns) / 1000),
                    R"(, "args": {"name": )", JsonText(n.node), R"(, "cpu_us": )",
                    absl::StrFormat("%.3f", static_cast<double>(n.cpu_ns) / 1000), R"(, "core": )",
                    n.core, R"(, "output_bytes": )", n.output_bytes, "}}");
    separator = ",\n";
  }
  return out + "\n]}\n";
}

}  // namespace warpbeam
