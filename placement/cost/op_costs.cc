#include "placement/cost/op_costs.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

constexpr char kHeader[] = "warpbeam op costs 2";
constexpr char kAnyHeader[] = "warpbeam op costs ";
// Within this factor two times are of a similar size: a cache's effects are no larger.
constexpr double kSimilar = 16;

// What tells nodes apart and not the work that they do.
bool IsAboutTheNode(absl::string_view attribute) {
  return absl::StartsWith(attribute, "_") || attribute == "members" || attribute == "container" ||
         attribute == "shared_name" || attribute == "seed" || attribute == "seed2" ||
         attribute == "message" || attribute == "value";
}

std::string TensorText(DType type, const PartialShape& shape, int64_t unknown_extent) {
  std::string text = absl::StrCat(DTypeName(BaseType(type)), "[");
  if (!shape.has_rank()) return absl::StrCat(text, unknown_extent, "]");
  for (int i = 0; i < shape.rank(); ++i) {
    absl::StrAppend(&text, i > 0 ? "," : "", shape.dim(i) < 0 ? unknown_extent : shape.dim(i));
  }
  return text + "]";
}

std::string OpText(const Node& node, const Graph* before) {
  const auto members = node.attrs().Get<std::vector<std::string>>("members");
  if (before == nullptr || !members.ok()) return node.op_name();
  std::vector<std::string> ops;
  for (const std::string& name : *members) {
    const Node* member = before->Find(name);
    ops.push_back(member == nullptr ? "?" : member->op_name());
  }
  return absl::StrCat(node.op_name(), "<", absl::StrJoin(ops, ","), ">");
}

// "Conv2D" of "Conv2D{…}(…)": what is scaled alike.
std::string FamilyOf(const std::string& key) { return key.substr(0, key.find_first_of("<{(")); }

// Texts of attributes may hold whatever a graph's author likes.
std::string InOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

class TextReader {
 public:
  TextReader(absl::string_view text, const std::string& name)
      : lines_(absl::StrSplit(text, '\n')), name_(name) {}

  StatusOr<OpCosts> Read() {
    while (at_ < lines_.size() && !absl::StartsWith(lines_[at_], kAnyHeader)) ++at_;
    if (at_ == lines_.size()) {
      at_ = 0;
      return Refuse(absl::StrCat("there is no line '", kHeader, "'"));
    }
    if (lines_[at_] != kHeader) {
      return Refuse(
          absl::StrCat("this is '", lines_[at_], "', and only '", kHeader, "' can be read"));
    }
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::vector<absl::string_view> words = absl::StrSplit(lines_[at_], '\t');
      if (words[0] == "end") return End(words);
      if (lines_[at_].empty()) break;
      if (words[0] == "device" && words.size() == 3) {
        model_ = {std::string(words[1]), std::string(words[2])};
        continue;
      }
      if (model_.first.empty()) return Refuse("a line 'device TYPE MODEL' comes first");
      WB_RETURN_IF_ERROR(AddEntry(words));
    }
    at_ = std::min(at_, lines_.size() - 1);
    return Refuse("the line 'end COUNT' is missing");
  }

 private:
  Status Refuse(const std::string& why) const {
    return InvalidArgument("the costs ", name_, ", line ", at_ + 1, ": ", why,
                           "; write them anew with warpbeam profile --save_costs");
  }

  Status AddEntry(const std::vector<absl::string_view>& words) {
    double ns = 0, workspace = 0;
    NodeCost cost;
    const char* const* named =
        words.size() == 7 ? std::find(kCostClassNames, kCostClassNames + kNumCostClasses, words[1])
                          : kCostClassNames + kNumCostClasses;
    if (named == kCostClassNames + kNumCostClasses || !absl::SimpleAtod(words[0], &ns) ||
        !absl::SimpleAtod(words[2], &cost.flops) || !absl::SimpleAtod(words[3], &cost.bytes) ||
        !absl::SimpleAtod(words[4], &workspace) || !(ns >= 0 && ns < 1e18) || !(cost.flops >= 0) ||
        !(cost.bytes >= 0) || !(workspace >= 0) || words[6].empty()) {
      return Refuse(
          "it is not of the form 'NANOSECONDS CLASS OPERATIONS BYTES WORKSPACE REUSES KEY'");
    }
    std::vector<int> reuses;
    for (absl::string_view word : absl::StrSplit(words[5], ',', absl::SkipEmpty())) {
      int input = 0;
      if (!absl::SimpleAtoi(word, &input)) {
        return Refuse(absl::StrCat("'", word, "' is no number of an input"));
      }
      reuses.push_back(input);
    }
    cost.cost_class = static_cast<CostClass>(named - kCostClassNames);
    costs_.Add(model_, std::string(words[6]), cost, ns * 1e-9, reuses, workspace);
    ++count_;
    return OkStatus();
  }

  StatusOr<OpCosts> End(const std::vector<absl::string_view>& words) const {
    size_t count = 0;
    if (words.size() != 2 || !absl::SimpleAtoi(words[1], &count) || count != count_) {
      return Refuse("there are more or fewer costs than it says");
    }
    return costs_;
  }

  const std::vector<absl::string_view> lines_;
  const std::string name_;
  size_t at_ = 0;
  OpCosts::DeviceModel model_;
  OpCosts costs_;
  size_t count_ = 0;
};

}  // namespace

std::string OpCostKey(const Graph& graph, const Node& node, int64_t unknown_extent,
                      const Graph* before) {
  std::vector<std::string> attributes, inputs;
  for (const auto& [name, value] : node.attrs()) {
    if (!IsAboutTheNode(name)) {
      attributes.push_back(InOneLine(absl::StrCat(name, "=", value.ToString())));
    }
  }
  for (int i = 0; i < node.num_inputs(); ++i) {
    const OutputRef from = node.input(i);
    if (from.node == kNoNode) continue;
    const Node& producer = graph.node(from.node);
    inputs.push_back(
        TensorText(node.input_type(i), producer.output_shape(from.index), unknown_extent));
  }
  std::vector<std::string> outputs;
  for (int o = 0; o < node.num_outputs(); ++o) {
    outputs.push_back(TensorText(node.output_type(o), node.output_shape(o), unknown_extent));
  }
  return absl::StrCat(OpText(node, before), "{", absl::StrJoin(attributes, ", "), "}(",
                      absl::StrJoin(inputs, ", "), ")->(", absl::StrJoin(outputs, ", "), ")");
}

double OpCosts::Entry::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

StatusOr<OpCosts> OpCosts::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("the costs ", path, " cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return Parse(text, path);
}

StatusOr<OpCosts> OpCosts::Parse(absl::string_view text, const std::string& name) {
  WB_ASSIGN_OR_RETURN(OpCosts costs, TextReader(text, name).Read());
  costs.name_ = name;
  return costs;
}

std::string OpCosts::ToText() const {
  std::string text = absl::StrCat(kHeader, "\n");
  for (const auto& [model, entries] : models_) {
    absl::StrAppend(&text, "device\t", model.first, "\t", InOneLine(model.second), "\n");
    for (const auto& [key, entry] : entries) {
      absl::StrAppendFormat(&text, "%.0f\t%s\t%.17g\t%.17g\t%.0f\t%s\t%s\n", entry.median() * 1e9,
                            kCostClassNames[static_cast<int>(entry.cost.cost_class)],
                            entry.cost.flops, entry.cost.bytes, entry.workspace_bytes,
                            absl::StrJoin(entry.reuses, ","), key);
    }
  }
  absl::StrAppend(&text, "end\t", size(), "\n");
  return text;
}

void OpCosts::Add(const DeviceModel& model, const std::string& key, const NodeCost& cost,
                  double seconds, const std::vector<int>& reuses, double workspace_bytes) {
  Entry& entry = models_[model][key];
  entry.cost = cost;
  entry.seconds.push_back(seconds);
  entry.workspace_bytes = std::max(entry.workspace_bytes, workspace_bytes);
  entry.reuses.resize(std::max(entry.reuses.size(), reuses.size()), -1);
  for (size_t o = 0; o < reuses.size(); ++o) {
    entry.reuses[o] = std::max(entry.reuses[o], reuses[o]);
  }
}

size_t OpCosts::size() const {
  size_t count = 0;
  for (const auto& [model, entries] : models_) count += entries.size();
  return count;
}

OpCosts::OnDevice::OnDevice(const OpCosts& costs, const Machine& machine, int device)
    : machine_(machine), device_(device) {
  const std::string type = machine.type(device) == DeviceType::kCpu ? "CPU" : "GPU";
  const std::string& wanted = machine.device(device).model;
  for (const auto& [model, entries] : costs.models()) {
    if (entries_ == nullptr && model.first == type && (wanted.empty() || wanted == model.second)) {
      entries_ = &entries;
    }
  }
  if (entries_ == nullptr) return;
  for (const auto& [key, entry] : *entries_) {
    if (!entry.cost.is_work()) continue;
    const std::string family = FamilyOf(key);
    const double analytic_s = machine.Seconds(entry.cost, family, device);
    const double ratio = (machine.device(device).launch_s + entry.median()) / analytic_s;
    of_op_[family][analytic_s] = ratio;
    of_class_[static_cast<int>(entry.cost.cost_class)][analytic_s] = ratio;
  }
}

const double* OpCosts::OnDevice::Nearest(const Ratios& ratios, double analytic_s) {
  const auto above = ratios.lower_bound(analytic_s);
  const double* nearest = nullptr;
  double least = kSimilar;
  if (above != ratios.end() && above->first <= least * analytic_s) {
    nearest = &above->second;
    least = above->first / analytic_s;
  }
  if (above == ratios.begin()) return nearest;
  const auto below = std::prev(above);
  return analytic_s <= least * below->first ? &below->second : nearest;
}

const OpCosts::Entry* OpCosts::OnDevice::Find(const std::string& key) const {
  const auto found = entries_->find(key);
  return found == entries_->end() ? nullptr : &found->second;
}

double OpCosts::OnDevice::Seconds(const std::string& key, const std::string& op,
                                  const NodeCost& cost) const {
  if (const Entry* measured = Find(key)) {
    return machine_.device(device_).launch_s + measured->median();
  }
  const double analytic_s = machine_.Seconds(cost, op, device_);
  if (analytic_s <= 0) return 0;
  const auto of_op = of_op_.find(op);
  const double* ratio = of_op == of_op_.end() ? nullptr : Nearest(of_op->second, analytic_s);
  if (ratio == nullptr) ratio = Nearest(of_class_[static_cast<int>(cost.cost_class)], analytic_s);
  return ratio == nullptr ? analytic_s : *ratio * analytic_s;
}

}  // namespace warpbeam
