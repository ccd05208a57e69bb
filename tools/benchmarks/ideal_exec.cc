// What a lean executor could cost per node: flat arrays, atomic pending counts, a virtual call for
// each kernel, reference-counted heap buffers, one thread. The same shapes of graph as
// generate_graphs.py writes. Prints "ideal.NAME<TAB>value<TAB>ns".
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

struct Buffer {
  std::atomic<int> references;
  float value;
};

Buffer* NewBuffer(float value) { return new Buffer{{1}, value}; }

void Unref(Buffer* buffer) {
  if (buffer->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete buffer;
}

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Buffer* Compute(Buffer* const* inputs) const = 0;
};

class ConstKernel : public Kernel {
  Buffer* Compute(Buffer* const*) const override { return NewBuffer(1); }
};

class AddKernel : public Kernel {
  Buffer* Compute(Buffer* const* in) const override {
    return NewBuffer(in[0]->value + in[1]->value);
  }
};

class IdentityKernel : public Kernel {
  Buffer* Compute(Buffer* const* in) const override {
    in[0]->references.fetch_add(1, std::memory_order_relaxed);
    return in[0];
  }
};

// A graph under construction: the kind and the inputs of each node, inputs before their consumers.
enum Kind { kConst, kAdd, kIdentity };
struct Description {
  std::vector<Kind> kinds;
  std::vector<std::vector<int>> inputs;

  int Append(Kind kind, std::vector<int> node_inputs) {
    kinds.push_back(kind);
    inputs.push_back(std::move(node_inputs));
    return static_cast<int>(kinds.size()) - 1;
  }
};

class Plan {
 public:
  explicit Plan(const Description& graph)
      : nodes_(graph.kinds.size()), pending_(graph.kinds.size()) {
    static const ConstKernel const_kernel;
    static const AddKernel add_kernel;
    static const IdentityKernel identity_kernel;
    const Kernel* const kernels[] = {&const_kernel, &add_kernel, &identity_kernel};
    std::vector<std::vector<Edge>> out(nodes_.size());
    int slots = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const std::vector<int>& inputs = graph.inputs[i];
      for (size_t j = 0; j < inputs.size(); ++j) {
        out[inputs[j]].push_back({static_cast<int>(i), static_cast<int>(j)});
      }
      nodes_[i].kernel = kernels[graph.kinds[i]];
      nodes_[i].num_inputs = static_cast<int>(inputs.size());
      nodes_[i].first_slot = slots;
      slots += nodes_[i].num_inputs;
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].first_edge = static_cast<int>(edges_.size());
      nodes_[i].num_edges = static_cast<int>(out[i].size());
      edges_.insert(edges_.end(), out[i].begin(), out[i].end());
    }
    slots_.resize(slots + 1);
    ready_.reserve(nodes_.size());
  }

  void Run() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      pending_[i].store(nodes_[i].num_inputs, std::memory_order_relaxed);
      if (nodes_[i].num_inputs == 0) ready_.push_back(static_cast<int>(i));
    }
    while (!ready_.empty()) {
      int node = ready_.back();
      ready_.pop_back();
      while (node >= 0) node = RunNode(nodes_[node]);
    }
  }

 private:
  struct Node {
    const Kernel* kernel;
    int num_inputs, first_slot, first_edge, num_edges;
  };
  struct Edge {
    int node, input;
  };

  // Returns a node that became ready, or -1; further ones go to ready_.
  int RunNode(const Node& node) {
    Buffer* const* inputs = &slots_[node.first_slot];
    Buffer* output = node.kernel->Compute(inputs);
    for (int i = 0; i < node.num_inputs; ++i) Unref(inputs[i]);
    if (node.num_edges == 0) Unref(output);
    if (node.num_edges > 1) {
      output->references.fetch_add(node.num_edges - 1, std::memory_order_relaxed);
    }
    int next = -1;
    for (int i = 0; i < node.num_edges; ++i) {
      const Edge& edge = edges_[node.first_edge + i];
      slots_[nodes_[edge.node].first_slot + edge.input] = output;
      if (pending_[edge.node].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      if (next < 0) {
        next = edge.node;
      } else {
        ready_.push_back(edge.node);
      }
    }
    return next;
  }

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::atomic<int>> pending_;
  std::vector<Buffer*> slots_;
  std::vector<int> ready_;
};

Description TwoConstants() {
  Description graph;
  graph.Append(kConst, {});
  graph.Append(kConst, {});
  return graph;
}

Description Chain(int n) {
  Description graph = TwoConstants();
  int previous = 0;
  for (int i = 0; i < n; ++i) {
    previous = i % 2 == 0 ? graph.Append(kAdd, {previous, 1}) : graph.Append(kIdentity, {previous});
  }
  return graph;
}

Description Wide(int n) {
  Description graph = TwoConstants();
  for (int i = 0; i < n; ++i) graph.Append(kAdd, {0, 1});
  return graph;
}

Description RandomDag(int n) {
  constexpr int kWindow = 1000;
  Description graph = TwoConstants();
  uint64_t random = 12345;
  for (int i = 0; i < n; ++i) {
    std::vector<int> inputs;
    for (int j = 0; j < 2; ++j) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const int size = static_cast<int>(graph.kinds.size());
      const int low = std::max(0, size - kWindow);
      inputs.push_back(low + static_cast<int>((random >> 33) % (size - low)));
    }
    graph.Append(kAdd, std::move(inputs));
  }
  return graph;
}

void Measure(const char* name, const Description& graph, int items) {
  Plan plan(graph);
  const double seconds = MedianSeconds(101, [&] { plan.Run(); });
  PrintMetric(std::string("ideal.") + name, seconds * 1e9 / items, "ns");
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main() {
  using namespace warpbeam::benchmarks;  // NOLINT: the whole program is one file
  Measure("chain10k", Chain(10000), 10000);
  Measure("wide10k", Wide(10000), 10000);
  Measure("dag100k", RandomDag(100000), 100000);
  return 0;
}
