// OpCosts: what kernels have taken, by op, attributes, shapes and the model of device that ran
// them, for telling how long they will take elsewhere in this graph or in another one.
//
//   OpCosts costs;
//   costs.Add({"CPU", model}, OpCostKey(graph, node, 32), cost, seconds);  // each time that it ran
//   WriteFile(path, costs.ToText());
//
//   WB_ASSIGN_OR_RETURN(const OpCosts read, OpCosts::Read(path));
//   const OpCosts::OnDevice here(read, machine, device);
//   here.Seconds(key, op, cost);         // measured, or scaled as others of its family were
//
// What a kernel has not been measured for is scaled by its family: its analytic time on the device,
// times what was measured beside the analytic time where the same op did work of the most similar
// size; if nothing is known of a similar size, where another op of its class of cost did.
//
// Costs belong to devices of the model that they were measured on; a device without a model takes
// those of the first model of its type.
//
// The text is a line "warpbeam op costs 2", then, tab between the words, for each model a line
// "device TYPE MODEL", each followed by lines "NANOSECONDS CLASS OPERATIONS BYTES WORKSPACE
// REUSES KEY", and a line "end COUNT". WORKSPACE is the most that it was seen to take of memory
// besides its outputs, in bytes. REUSES has for each output the input whose memory it was seen to
// take over, or -1, with commas between. The text may stand behind another one: what is before its
// first line is not looked at.
//
// Thread safety: values. Errors of Read and Parse: NOT_FOUND for a file that cannot be read,
// INVALID_ARGUMENT with name and line for a text of another form or version.
#ifndef WARPBEAM_PLACEMENT_COST_OP_COSTS_H_
#define WARPBEAM_PLACEMENT_COST_OP_COSTS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "placement/cost/machine.h"

namespace warpbeam {

// "MatMul{T=float, transpose_a=false}(float[8,2], float[2,4])": nodes of the same key do the same
// work. An unknown extent counts as `unknown_extent`. Of a fused node, whose members are nodes of
// `before` (the graph before it was fused, which may be null), the members' ops are the op.
std::string OpCostKey(const Graph& graph, const Node& node, int64_t unknown_extent,
                      const Graph* before = nullptr);

class OpCosts {
 public:
  struct Entry {
    NodeCost cost;
    std::vector<double> seconds;  // of each time that it ran
    // By output: the input whose memory it takes over where nobody else needs that; -1: none.
    std::vector<int> reuses;
    double workspace_bytes = 0;  // the most that it was seen to take besides its outputs
    double median() const;
  };
  // The type, "CPU" or "GPU", and the model.
  using DeviceModel = std::pair<std::string, std::string>;
  using Entries = std::map<std::string, Entry>;  // by key

  static StatusOr<OpCosts> Read(const std::string& path);
  // `name` is the text's, for messages.
  static StatusOr<OpCosts> Parse(absl::string_view text, const std::string& name);
  // Medians.
  std::string ToText() const;

  void Add(const DeviceModel& model, const std::string& key, const NodeCost& cost, double seconds,
           const std::vector<int>& reuses = {}, double workspace_bytes = 0);
  size_t size() const;
  const std::string& name() const { return name_; }
  const std::map<DeviceModel, Entries>& models() const { return models_; }

  // The costs as they count on one device of a machine.
  class OnDevice {
   public:
    OnDevice(const OpCosts& costs, const Machine& machine, int device);
    // Whether there are costs for the device at all.
    bool applies() const { return entries_ != nullptr; }
    // Null where the very key has not been measured.
    const Entry* Find(const std::string& key) const;
    double Seconds(const std::string& key, const std::string& op, const NodeCost& cost) const;

   private:
    using Ratios = std::map<double, double>;  // by analytic seconds
    // Null where all are of another size.
    static const double* Nearest(const Ratios& ratios, double analytic_s);

    const Machine& machine_;
    const int device_;
    const Entries* entries_ = nullptr;
    std::map<std::string, Ratios> of_op_;
    Ratios of_class_[kNumCostClasses];
  };

 private:
  std::string name_;
  std::map<DeviceModel, Entries> models_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_COST_OP_COSTS_H_
