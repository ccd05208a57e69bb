#include "tools/cli/simulation/simulated_trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpbeam {
namespace cli {
namespace {

int64_t Nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

class TraceMaker {
 public:
  TraceMaker(const Graph& graph, const StepGraph& step, const Machine& machine,
             const Simulator& simulator, Span<const int> devices)
      : graph_(graph),
        step_(step),
        machine_(machine),
        simulator_(simulator),
        device_of_(devices),
        names_(std::make_shared<Names>()) {
    names_->nodes.reserve(step.num_nodes());
    for (int k = 0; k < step.num_nodes(); ++k) {
      names_->nodes.push_back({step.name(k), graph.node(step.id(k)).op_name()});
    }
    for (int d = 0; d < machine.num_devices(); ++d) {
      names_->devices.push_back(machine.device(d).name.ToString());
    }
  }

  StepStats Make() {
    StepStats stats;
    stats.end_ns = Nanoseconds(simulator_.step_s());
    AddNodes();
    AddTransfers();
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return std::make_pair(a.stats.end_ns, a.stats.start_ns) <
             std::make_pair(b.stats.end_ns, b.stats.start_ns);
    });
    NameThreads(&stats);
    FindPredecessors();
    for (Item& item : items_) stats.nodes.push_back(std::move(item.stats));
    stats.names = names_;
    return stats;
  }

 private:
  struct NodeName {
    std::string name, op;
  };
  struct Names {
    std::vector<NodeName> nodes;
    std::vector<std::string> devices;
  };
  struct Item {
    NodeStats stats;
    int node = -1;      // or:
    int transfer = -1;  // of the simulator
  };

  void AddNodes() {
    for (int k = 0; k < step_.num_nodes(); ++k) {
      if (step_.is_source(k) || simulator_.end_s(k) <= simulator_.start_s(k)) continue;
      Item item;
      item.node = k;
      item.stats.node = names_->nodes[k].name;
      item.stats.op = names_->nodes[k].op;
      item.stats.device = names_->devices[device_of_[k]];
      SetTimes(simulator_.start_s(k), simulator_.end_s(k), &item.stats);
      for (int o = step_.first_output(k); o < step_.end_output(k); ++o) {
        item.stats.output_bytes += static_cast<int64_t>(step_.output(o).bytes);
      }
      items_.push_back(std::move(item));
    }
  }

  void AddTransfers() {
    const std::vector<Simulator::Transfer>& transfers = simulator_.transfers();
    for (size_t t = 0; t < transfers.size(); ++t) {
      const Simulator::Transfer& transfer = transfers[t];
      const int producer = step_.output(transfer.output).producer;
      Item item;
      item.transfer = static_cast<int>(t);
      item.stats.node = producer >= 0 ? absl::string_view(names_->nodes[producer].name) : "a feed";
      item.stats.op = "_Copy";
      item.stats.is_copy = true;
      item.stats.copy_from = DeviceOf(transfer.from);
      item.stats.copy_to = DeviceOf(transfer.to);
      item.stats.device = item.stats.copy_to.empty() ? item.stats.copy_from : item.stats.copy_to;
      item.stats.output_bytes = static_cast<int64_t>(transfer.bytes);
      SetTimes(transfer.start_s, transfer.end_s, &item.stats);
      items_.push_back(std::move(item));
    }
  }

  static void SetTimes(double start_s, double end_s, NodeStats* stats) {
    stats->start_ns = stats->scheduled_ns = Nanoseconds(start_s);
    stats->end_ns = Nanoseconds(end_s);
    stats->cpu_ns = stats->end_ns - stats->start_ns;
  }

  // Host memory has no name.
  absl::string_view DeviceOf(int memory) const {
    if (machine_.type(memory) == DeviceType::kCpu) return "";
    return names_->devices[memory];
  }

  // Each lane of a device is a thread: the first that is free when a node begins.
  void NameThreads(StepStats* stats) {
    std::vector<int> first(machine_.num_devices() + 1, 0);
    std::vector<std::vector<int64_t>> free(machine_.num_devices());
    for (int d = 0; d < machine_.num_devices(); ++d) {
      first[d + 1] = first[d] + machine_.device(d).lanes;
      free[d].assign(machine_.device(d).lanes, 0);
      for (int lane = 0; lane < machine_.device(d).lanes; ++lane) {
        stats->thread_names[first[d] + lane] = "lane";
      }
    }
    std::vector<Item*> by_start;
    for (Item& item : items_) {
      if (item.node >= 0) by_start.push_back(&item);
    }
    std::stable_sort(by_start.begin(), by_start.end(), [](const Item* a, const Item* b) {
      return a->stats.start_ns < b->stats.start_ns;
    });
    for (Item* item : by_start) {
      const int device = device_of_[item->node];
      // Rounded to nanoseconds one may begin before the one before it has ended.
      const auto lane = std::min_element(free[device].begin(), free[device].end());
      *lane = item->stats.end_ns;
      item->stats.thread = first[device] + static_cast<int>(lane - free[device].begin());
    }
  }

  // By what each reads: the transfer that brings it, or its producer.
  void FindPredecessors() {
    std::vector<int> at_node(step_.num_nodes(), -1);
    std::map<std::pair<int, int>, int> brought;  // by output and memory
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].node >= 0) {
        at_node[items_[i].node] = static_cast<int>(i);
      } else {
        const Simulator::Transfer& transfer = simulator_.transfers()[items_[i].transfer];
        brought[{transfer.output, transfer.to}] = static_cast<int>(i);
      }
    }
    for (Item& item : items_) {
      const auto add = [&](int i) {
        if (i >= 0) item.stats.predecessors.push_back(i);
      };
      if (item.transfer >= 0) {
        const int producer = step_.output(simulator_.transfers()[item.transfer].output).producer;
        if (producer >= 0) add(at_node[producer]);
        continue;
      }
      for (int i = step_.first_input(item.node); i < step_.end_input(item.node); ++i) {
        const int output = step_.input(i).output;
        if (output < 0) continue;
        const int device = device_of_[item.node];
        const int memory =
            step_.input(i).on_host ? machine_.host_of(device) : machine_.memory_of(device);
        const auto transfer = brought.find({output, memory});
        if (transfer != brought.end()) {
          add(transfer->second);
        } else if (step_.output(output).producer >= 0) {
          add(at_node[step_.output(output).producer]);
        }
      }
    }
  }

  const Graph& graph_;
  const StepGraph& step_;
  const Machine& machine_;
  const Simulator& simulator_;
  const Span<const int> device_of_;
  const std::shared_ptr<Names> names_;
  std::vector<Item> items_;
};

}  // namespace

StepStats SimulatedTrace(const Graph& graph, const StepGraph& step, const Machine& machine,
                         const Simulator& simulator, Span<const int> devices) {
  return TraceMaker(graph, step, machine, simulator, devices).Make();
}

}  // namespace cli
}  // namespace warpbeam
