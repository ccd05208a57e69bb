#include "placement/simulate/simulation_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "placement/report.h"
#include "placement/short_names.h"
#include "placement/simulate/json_object.h"

namespace warpbeam {
namespace {

constexpr size_t kMostPathItems = 20;
constexpr size_t kMostRows = 20;

class ReportMaker {
 public:
  ReportMaker(const StepGraph& step, const Machine& machine, const Simulator& simulator,
              Span<const int> devices)
      : step_(step),
        machine_(machine),
        simulator_(simulator),
        device_of_(devices),
        short_names_(Names(machine)) {}

  SimulationReport Make() {
    report_.step_s = simulator_.step_s();
    report_.lower_bound_s = step_.LowerBoundSeconds(machine_);
    AddDevices();
    AddLinks();
    AddPath();
    AddAssumptions();
    return std::move(report_);
  }

 private:
  static std::vector<std::string> Names(const Machine& machine) {
    std::vector<std::string> names;
    for (const DeviceName& name : machine.names()) names.push_back(name.ToString());
    return names;
  }
  std::string Short(int device) const {
    return short_names_.Short(machine_.device(device).name.ToString());
  }
  double Share(double busy_s, int lanes) const {
    return report_.step_s > 0 ? busy_s / (report_.step_s * lanes) : 0;
  }

  void AddDevices() {
    for (int d = 0; d < machine_.num_devices(); ++d) {
      const int memory = machine_.memory_of(d);
      const Simulator::DeviceUse& use = simulator_.devices()[d];
      SimulationReport::Device device;
      device.name = machine_.device(d).name.ToString();
      device.nodes = use.nodes;
      device.busy_s = use.busy_s;
      device.busy_share = Share(use.busy_s, machine_.device(d).lanes);
      device.peak_bytes = simulator_.memories()[memory].peak_bytes;
      device.resident_bytes = simulator_.memories()[memory].resident_bytes;
      device.gradient_bytes = simulator_.memories()[memory].gradient_bytes;
      device.workspace_bytes = simulator_.memories()[memory].workspace_bytes;
      device.memory_bytes = machine_.device(memory).memory_bytes;
      if (memory != d) device.shares_memory = machine_.device(memory).name.ToString();
      report_.devices.push_back(std::move(device));
    }
  }

  std::string LinkName(int from, int to) const {
    return absl::StrCat(Short(from), " to ", Short(to));
  }

  void AddLinks() {
    std::map<std::pair<int, int>, SimulationReport::Link> links;
    for (const Simulator::Transfer& transfer : simulator_.transfers()) {
      SimulationReport::Link& link = links[{transfer.from, transfer.to}];
      ++link.transfers;
      link.bytes += transfer.bytes * step_.output(transfer.output).turns;
      link.busy_s += transfer.end_s - transfer.start_s;
    }
    for (auto& [ends, link] : links) {
      link.name = LinkName(ends.first, ends.second);
      link.busy_share = Share(link.busy_s, 1);
      link.shares = machine_.channel_name(machine_.route(ends.first, ends.second).channel);
      report_.links.push_back(std::move(link));
    }
  }

  void AddPath() {
    for (const SimulatedItem& item : simulator_.CriticalPath()) {
      if (item.end_s <= item.start_s) continue;
      SimulationReport::PathItem entry;
      entry.start_s = item.start_s;
      entry.seconds = item.end_s - item.start_s;
      entry.is_transfer = item.node < 0;
      if (item.node >= 0) {
        entry.name = step_.name(item.node);
        entry.where = Short(device_of_[item.node]);
      } else {
        const Simulator::Transfer& transfer = simulator_.transfers()[item.transfer];
        entry.name = OutputName(transfer.output);
        entry.where = LinkName(transfer.from, transfer.to);
      }
      report_.critical_path.push_back(std::move(entry));
    }
  }

  std::string OutputName(int o) const {
    const int producer = step_.output(o).producer;
    if (producer < 0) return absl::StrCat("feed ", o - step_.first_feed());
    return absl::StrCat(step_.name(producer), ":", o - step_.first_output(producer));
  }

  void AddAssumptions() {
    const auto add = [&](int count, const char* one, const char* many, const std::string& rest) {
      if (count == 0) return;
      report_.assumptions.push_back(absl::StrCat(count, " ", count == 1 ? one : many, rest));
    };
    add(step_.num_assumed(), "node has", "nodes have",
        absl::StrCat(" shapes that are not known: each unknown extent counts as ",
                     step_.unknown_extent(), "."));
    add(step_.num_measured(), "node takes", "nodes take", " as long as was measured.");
    add(step_.num_scaled(), "node is", "nodes are",
        " not among the measured ones, and scaled as others of the same op or class were.");
    add(step_.num_loop_edges(), "edge closes a loop, which turns", "edges close loops, which turn",
        step_.most_turns() == 1
            ? std::string(" once here.")
            : absl::StrFormat(" as often as was said, at most %g times here.", step_.most_turns()));
    add(step_.num_calls(), "node calls a function, which counts",
        "nodes call functions, which count", " as what it is handed and hands back.");
  }

  const StepGraph& step_;
  const Machine& machine_;
  const Simulator& simulator_;
  const Span<const int> device_of_;
  const ShortDeviceNames short_names_;
  SimulationReport report_;
};

std::string Percent(double share) { return absl::StrFormat("%.0f %%", 100 * share); }

// A column's width for these names, up to a limit.
template <class Rows, class NameOf>
int Width(const Rows& rows, NameOf name_of) {
  size_t width = 6;
  for (const auto& row : rows) width = std::max(width, name_of(row).size());
  return static_cast<int>(std::min<size_t>(width, 60));
}

std::string DevicesText(const SimulationReport& report) {
  std::vector<std::string> names;
  for (const SimulationReport::Device& device : report.devices) names.push_back(device.name);
  const ShortDeviceNames short_names(names);
  const int width = Width(names, [&](const std::string& name) { return short_names.Short(name); });
  std::string text =
      absl::StrFormat("%-*s  %7s  %9s  %6s  %12s  %s\n", width, "device", "nodes", "busy", "share",
                      "peak memory", "always there, gradients, workspaces");
  for (const SimulationReport::Device& d : report.devices) {
    absl::StrAppendFormat(&text, "%-*s  %7d  %9s  %6s", width, short_names.Short(d.name), d.nodes,
                          SecondsText(d.busy_s), Percent(d.busy_share));
    if (!d.shares_memory.empty()) {
      absl::StrAppend(&text, "  in the memory of ", short_names.Short(d.shares_memory), "\n");
      continue;
    }
    absl::StrAppendFormat(&text, "  %12s  %s, %s, %s", AboutBytes(d.peak_bytes),
                          AboutBytes(d.resident_bytes), AboutBytes(d.gradient_bytes),
                          AboutBytes(d.workspace_bytes));
    if (d.memory_bytes > 0) {
      const bool fits = d.peak_bytes <= static_cast<double>(d.memory_bytes);
      absl::StrAppend(&text, fits ? "; it has " : "; DOES NOT FIT: it has ",
                      BytesText(d.memory_bytes));
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::string LinksText(const SimulationReport& report) {
  if (report.links.empty()) return "\nNothing is copied between memories.\n";
  std::vector<const SimulationReport::Link*> links;
  for (const SimulationReport::Link& link : report.links) links.push_back(&link);
  std::stable_sort(links.begin(), links.end(),
                   [](const auto* a, const auto* b) { return a->busy_s > b->busy_s; });
  if (links.size() > kMostRows) links.resize(kMostRows);
  const int width = Width(links, [](const auto* link) { return link->name; });
  std::string text = absl::StrFormat("\n%-*s  %9s  %10s  %9s  %6s\n", width, "link", "transfers",
                                     "bytes", "busy", "share");
  for (const SimulationReport::Link* link : links) {
    absl::StrAppendFormat(&text, "%-*s  %9d  %10s  %9s  %6s%s\n", width, link->name,
                          link->transfers, AboutBytes(link->bytes), SecondsText(link->busy_s),
                          Percent(link->busy_share),
                          link->shares.empty() ? "" : "  on " + link->shares);
  }
  if (report.links.size() > links.size()) {
    absl::StrAppend(&text, "… and ", report.links.size() - links.size(), " less busy ones\n");
  }
  return text;
}

std::string PathText(const SimulationReport& report) {
  if (report.critical_path.empty()) return "\nNothing in the step takes time.\n";
  double moving = 0;
  std::vector<const SimulationReport::PathItem*> longest;
  for (const SimulationReport::PathItem& item : report.critical_path) {
    if (item.is_transfer) moving += item.seconds;
    longest.push_back(&item);
  }
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto* a, const auto* b) { return a->seconds > b->seconds; });
  if (longest.size() > kMostPathItems) longest.resize(kMostPathItems);
  // The longest are shown, in the order of the step.
  std::sort(longest.begin(), longest.end());
  std::string text = absl::StrCat(
      "\nWhat the step waits for, one after the other: ", report.critical_path.size(), " in all",
      moving > 0 ? absl::StrCat(", ", SecondsText(moving), " of it transfers") : "",
      longest.size() < report.critical_path.size()
          ? absl::StrCat("; the ", longest.size(), " longest:")
          : ":",
      "\n");
  for (const SimulationReport::PathItem* item : longest) {
    absl::StrAppendFormat(&text, "  %9s  at %9s  %s  (%s%s)\n", SecondsText(item->seconds),
                          SecondsText(item->start_s), ShownName(item->name),
                          item->is_transfer ? "transfer " : "", item->where);
  }
  return text;
}

}  // namespace

SimulationReport SimulationReport::Of(const StepGraph& step, const Machine& machine,
                                      const Simulator& simulator, Span<const int> devices) {
  return ReportMaker(step, machine, simulator, devices).Make();
}

bool SimulationReport::fits() const {
  return std::all_of(devices.begin(), devices.end(), [](const Device& device) {
    return device.memory_bytes == 0 ||
           device.peak_bytes <= static_cast<double>(device.memory_bytes);
  });
}

std::string SimulationReport::ToText() const {
  std::string text = absl::StrCat("A step takes ", SecondsText(step_s),
                                  "; no placement on these devices takes less than ",
                                  SecondsText(lower_bound_s), ".\n\n");
  absl::StrAppend(&text, DevicesText(*this), LinksText(*this), PathText(*this));
  if (!assumptions.empty()) {
    absl::StrAppend(&text, "\nAssumed:\n");
    for (const std::string& sentence : assumptions) absl::StrAppend(&text, "  ", sentence, "\n");
  }
  return text;
}

std::string SimulationReport::ToJson(const std::string& more) const {
  std::vector<std::string> device_list, link_list, path, sentences;
  for (const Device& device : devices) {
    JsonObject entry;
    entry.Add("name", device.name)
        .Add("busy_s", device.busy_s)
        .Add("busy_share", device.busy_share)
        .Add("nodes", device.nodes)
        .Add("peak_bytes", device.peak_bytes)
        .Add("resident_bytes", device.resident_bytes)
        .Add("gradient_bytes", device.gradient_bytes)
        .Add("workspace_bytes", device.workspace_bytes)
        .Add("activation_bytes", device.peak_bytes - device.resident_bytes - device.gradient_bytes -
                                     device.workspace_bytes);
    if (device.memory_bytes > 0) {
      entry.Add("memory_bytes", static_cast<double>(device.memory_bytes));
    }
    if (!device.shares_memory.empty()) entry.Add("shares_memory", device.shares_memory);
    device_list.push_back(entry.Text());
  }
  for (const Link& link : links) {
    JsonObject entry;
    entry.Add("name", link.name)
        .Add("transfers", link.transfers)
        .Add("bytes", link.bytes)
        .Add("busy_s", link.busy_s)
        .Add("busy_share", link.busy_share);
    if (!link.shares.empty()) entry.Add("shares", link.shares);
    link_list.push_back(entry.Text());
  }
  for (const PathItem& item : critical_path) {
    path.push_back(JsonObject()
                       .Add("name", item.name)
                       .Add("kind", std::string(item.is_transfer ? "transfer" : "node"))
                       .Add("where", item.where)
                       .Add("start_s", item.start_s)
                       .Add("seconds", item.seconds)
                       .Text());
  }
  for (const std::string& sentence : assumptions) sentences.push_back(JsonText(sentence));
  JsonObject report;
  report.Add("step_time_s", step_s).Add("lower_bound_s", lower_bound_s);
  if (default_step_s >= 0) report.Add("default_step_time_s", default_step_s);
  report.AddText("devices", JsonList(device_list))
      .AddText("links", JsonList(link_list))
      .AddText("critical_path", JsonList(path))
      .AddText("assumptions", JsonList(sentences))
      .AddPairs(more);
  return report.Text() + "\n";
}

std::string AboutBytes(double bytes) {
  return BytesText(static_cast<int64_t>(std::clamp(bytes, 0.0, 9e18)));
}

}  // namespace warpbeam
