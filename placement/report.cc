#include "placement/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "placement/short_names.h"

namespace warpbeam {
namespace {

constexpr size_t kMaxCopiesListed = 20;

// A JSON string; node names and messages are UTF-8 already.
std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned char>(c));
      out += escaped;
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

std::string QuotedList(const std::vector<std::string>& items) {
  std::vector<std::string> quoted;
  for (const std::string& item : items) quoted.push_back(Quoted(item));
  return absl::StrCat("[", absl::StrJoin(quoted, ", "), "]");
}

// Rows of cells as lines with aligned columns.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - row[i].size() + 2, ' ');
    }
    out += "\n";
  }
  return out;
}

std::string CountText(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// "3 tensors, 1.5 MiB", where some of unknown size are told apart.
struct Volume {
  size_t tensors = 0;
  size_t unknown = 0;
  int64_t bytes = 0;
  void Add(const CopyEdge& copy) {
    ++tensors;
    if (copy.bytes < 0) {
      ++unknown;
    } else {
      bytes += copy.bytes;
    }
  }
  std::string ToString() const {
    std::string out = absl::StrCat(CountText(tensors, "tensor"), ", ", BytesText(bytes));
    if (unknown > 0) absl::StrAppend(&out, " and ", unknown, " of unknown size");
    return out;
  }
};

std::string NodesPerDevice(const PlacementReport& report, const ShortDeviceNames& names) {
  std::map<std::string, size_t> count;
  size_t fallbacks = 0;
  for (const PlacementEntry& node : report.nodes) {
    ++count[node.assigned];
    if (node.rule == PlacementRule::kSoftFallback) ++fallbacks;
  }
  std::string out = absl::StrCat("\n", CountText(report.nodes.size(), "node"), ":\n");
  std::vector<std::vector<std::string>> rows;
  for (const std::string& device : report.devices) {
    rows.push_back({absl::StrCat("  ", names.Short(device)), absl::StrCat(count[device])});
  }
  out += Table(rows);
  if (fallbacks > 0) {
    absl::StrAppend(&out, CountText(fallbacks, "request"), " not met (soft placement).\n");
  }
  return out;
}

std::string CopiesText(const PlacementReport& report, const ShortDeviceNames& names) {
  Volume all;
  Volume shared;
  std::map<std::string, Volume> by_kind;
  std::vector<const CopyEdge*> largest;
  for (const CopyEdge& copy : report.copies) {
    (copy.shared ? shared : all).Add(copy);
    if (copy.shared) continue;
    by_kind[copy.kind].Add(copy);
    largest.push_back(&copy);
  }
  if (all.tensors == 0) {
    std::string out = "\nNothing is copied between devices";
    if (shared.tensors == 0) return out + ".\n";
    return absl::StrCat(out, "; ", shared.ToString(), " are read by another CPU where they lie.\n");
  }
  std::string out = absl::StrCat("\nCopied between devices: ", all.ToString(), "\n");
  for (const auto& [kind, volume] : by_kind) {
    absl::StrAppend(&out, "  ", kind, ": ", volume.ToString(), "\n");
  }
  std::stable_sort(largest.begin(), largest.end(),
                   [](const CopyEdge* a, const CopyEdge* b) { return a->bytes > b->bytes; });
  std::vector<std::vector<std::string>> rows = {{"bytes", "tensor", "from", "to", "read by"}};
  for (size_t i = 0; i < largest.size() && i < kMaxCopiesListed; ++i) {
    const CopyEdge& copy = *largest[i];
    std::string readers = copy.consumers.empty() ? "" : copy.consumers[0];
    if (copy.consumers.size() > 1) {
      absl::StrAppend(&readers, " and ", copy.consumers.size() - 1, " more");
    }
    rows.push_back({BytesText(copy.bytes), copy.producer, names.Short(copy.from),
                    names.Short(copy.to), readers});
  }
  out += Table(rows);
  if (largest.size() > kMaxCopiesListed) {
    absl::StrAppend(&out, "… and ", largest.size() - kMaxCopiesListed, " smaller ones\n");
  }
  return out;
}

std::string NodeJson(const PlacementEntry& node) {
  return absl::StrCat(
      "{\"node\": ", Quoted(node.node), ", \"op\": ", Quoted(node.op),
      ", \"requested\": ", Quoted(node.requested), ", \"assigned\": ", Quoted(node.assigned),
      ", \"rule\": \"", PlacementRuleName(node.rule), "\", \"reason\": ", Quoted(node.reason),
      ", \"forced_by\": ", Quoted(node.forced_by), ", \"kernels\": ", QuotedList(node.kernels),
      ", \"location\": ", Quoted(node.location), ", \"copied_bytes\": ", node.copied_bytes, "}");
}

std::string CopyJson(const CopyEdge& copy) {
  return absl::StrCat("{\"producer\": ", Quoted(copy.producer),
                      ", \"consumers\": ", QuotedList(copy.consumers),
                      ", \"from\": ", Quoted(copy.from), ", \"to\": ", Quoted(copy.to),
                      ", \"kind\": ", Quoted(copy.kind), ", \"bytes\": ", copy.bytes,
                      ", \"shared\": ", copy.shared ? "true" : "false", "}");
}

std::string EdgeJson(const PlacementEdge& edge) {
  return absl::StrCat("{\"from\": ", edge.from, ", \"to\": ", edge.to, ", \"copy\": ", edge.copy,
                      ", \"control\": ", edge.control ? "true" : "false", "}");
}

// Into one text: that of a large graph has a hundred megabytes.
template <typename T>
void AppendLines(const std::vector<T>& items, std::string (*one)(const T&), std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < items.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "\n    " : ",\n    ", one(items[i]));
  }
  out->append(items.empty() ? "]" : "\n  ]");
}

}  // namespace

const char* PlacementRuleName(PlacementRule rule) {
  switch (rule) {
    case PlacementRule::kRequested:
      return "requested";
    case PlacementRule::kColocation:
      return "colocation";
    case PlacementRule::kGenerator:
      return "generator";
    case PlacementRule::kMetadata:
      return "metadata";
    case PlacementRule::kDefault:
      return "default";
    case PlacementRule::kSoftFallback:
      return "soft fallback";
    case PlacementRule::kSearched:
      return "searched";
  }
  return "";
}

std::string PlacementLogLine(absl::string_view node, absl::string_view op,
                             absl::string_view assigned) {
  return absl::StrCat(ShownName(node), ": (", ShownName(op), "): ", assigned);
}

std::string PlacementLogLine(const PlacementEntry& entry) {
  return PlacementLogLine(entry.node, entry.op, entry.assigned);
}

std::string BytesText(int64_t bytes) {
  if (bytes < 0) return "? bytes";
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  // What is rounded to 1024 of a unit is 1 of the next.
  while (value >= 1023.5 && unit < 5) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

std::string SecondsText(double seconds) {
  const std::pair<double, const char*> units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  char text[32];
  for (const auto& [unit, name] : units) {
    if (seconds < unit) continue;
    std::snprintf(text, sizeof(text), "%.4g %s", seconds / unit, name);
    return text;
  }
  std::snprintf(text, sizeof(text), "%.3g ns", seconds * 1e9);
  return text;
}

std::string PlacementReport::ToLog() const {
  std::string out;
  for (const PlacementEntry& node : nodes) absl::StrAppend(&out, PlacementLogLine(node), "\n");
  return out;
}

std::string PlacementReport::ToText() const {
  const ShortDeviceNames names(devices);
  std::vector<std::vector<std::string>> rows = {
      {"node", "op", "requested", "assigned", "rule", "reason"}};
  for (const PlacementEntry& node : nodes) {
    rows.push_back({ShownName(node.node), ShownName(node.op),
                    node.requested.empty() ? "-" : ShownName(node.requested),
                    names.Short(node.assigned), PlacementRuleName(node.rule), node.reason});
  }
  return absl::StrCat(Table(rows), NodesPerDevice(*this, names), CopiesText(*this, names));
}

std::string PlacementReport::ToJson() const {
  std::string out = absl::StrCat("{\n  \"devices\": ", QuotedList(devices), ",\n  \"nodes\": ");
  AppendLines(nodes, &NodeJson, &out);
  out += ",\n  \"edges\": ";
  AppendLines(edges, &EdgeJson, &out);
  out += ",\n  \"copies\": ";
  AppendLines(copies, &CopyJson, &out);
  out += "\n}\n";
  return out;
}

}  // namespace warpbeam
