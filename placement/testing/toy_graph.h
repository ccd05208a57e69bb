// ToyGraph and ToyCatalog: graphs of made-up ops with made-up kernels, for tests of placement.
//
//   ToyGraph toy;
//   toy.Op("Var", "", "ref: Ref(float)", "cpu gpu");
//   toy.Op("Apply", "ref: Ref(float), x: float", "y: float", "cpu");
//   NodeId v = toy.Node("v", "Var", {}, "/gpu:0");
//   NodeId a = toy.Node("a", "Apply", {"v", "x:0", "^c"}, "", {"v"});   // colocated with v
//
// Faults of the test itself (an unknown input, a bad spec) print what is wrong and abort. Thread
// safety: none.
#ifndef WARPBEAM_PLACEMENT_TESTING_TOY_GRAPH_H_
#define WARPBEAM_PLACEMENT_TESTING_TOY_GRAPH_H_

#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/kernel_catalog.h"
#include "placement/placer.h"

namespace warpbeam {

class ToyCatalog : public KernelCatalog {
 public:
  struct Kernel {
    TypeConstraints types;
    bool cpu = false;
    bool gpu = false;
    std::vector<std::string> host_args;  // on a GPU
  };
  // "cpu", "gpu", "cpu gpu" or "" for an op without kernels.
  void Add(const std::string& op, const std::string& devices,
           std::vector<std::string> host_args = {}, TypeConstraints types = {});

  bool Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const override;
  bool KnowsOp(absl::string_view op) const override;
  std::vector<std::string> Describe(absl::string_view op) const override;
  MemoryPlaces Memory(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const override;
  int num_questions() const { return questions_; }  // calls of Supports

 private:
  std::map<std::string, std::vector<Kernel>> kernels_;
  mutable int questions_ = 0;
};

class ToyGraph {
 public:
  ToyGraph();

  // Arguments are specs separated by commas, as are attributes.
  void Op(const std::string& name, const std::string& inputs, const std::string& outputs,
          const std::string& devices, std::vector<std::string> host_args = {},
          const std::string& attrs = "");
  // The ops that most tests use, all of float: Source, Var (a reference), Handle (a resource),
  // Unary, Binary, Assign (by reference), Read and Update (by resource), Shape, NoOp.
  void UsualOps();

  NodeId Node(const std::string& name, const std::string& op,
              const std::vector<std::string>& inputs = {}, const std::string& device = "",
              const std::vector<std::string>& beside = {}, AttrMap attrs = {});
  Status SetInput(const std::string& node, int input, const std::string& source);
  NodeId Find(const std::string& name) const;
  OutputRef Output(const std::string& text) const;

  OpRegistry registry;
  ToyCatalog catalog;
  Graph graph;
};

// CPU:0…, GPU:0… of this process.
std::vector<DeviceName> ToyDevices(int cpus, int gpus);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_TESTING_TOY_GRAPH_H_
