#include "frontend/model/model.h"

#include "absl/strings/str_join.h"

namespace warpbeam {
namespace frontend {
namespace {

std::string Describe(const std::string& name, const TensorPort& port) {
  return absl::StrCat("'", name, "' (", DTypeName(port.dtype), " ", port.shape.ToString(), ")");
}

template <class Map>
std::string Names(const Map& map) {
  return absl::StrJoin(map, ", ", [](std::string* out, const auto& entry) { *out += entry.first; });
}

// What is wrong with the value of an input; "" for nothing.
std::string ProblemOf(const std::string& name, const TensorPort& port, const Tensor& value) {
  if (value.dtype() == BaseType(port.dtype) &&
      port.shape.IsCompatibleWith(PartialShape(value.shape()))) {
    return "";
  }
  return absl::StrCat("input ", Describe(name, port), " got ", DTypeName(value.dtype()), " ",
                      value.shape().ToString());
}

}  // namespace

Model::~Model() {
  if (preparing_.joinable()) preparing_.join();
}

StatusOr<const Signature*> Model::FindSignature(absl::string_view signature) const {
  const auto found = meta_.signatures.find(std::string(signature));
  if (found != meta_.signatures.end()) return &found->second;
  if (meta_.signatures.empty()) {
    return NotFound("the model has no signature '", signature,
                    "', nor any other: run its graph by node names");
  }
  return NotFound("the model has no signature '", signature,
                  "'; there are: ", Names(meta_.signatures));
}

StatusOr<Model::Step> Model::StepOf(absl::string_view name, const NamedTensors& inputs) const {
  WB_ASSIGN_OR_RETURN(const Signature* signature, FindSignature(name));
  std::map<std::string, const Tensor*> values;
  std::vector<std::string> problems;
  for (const auto& [input, value] : inputs) {
    const auto port = signature->inputs.find(input);
    if (port == signature->inputs.end()) {
      problems.push_back(absl::StrCat("there is no input '", input, "'"));
    } else if (!values.emplace(input, &value).second) {
      problems.push_back(absl::StrCat("input '", input, "' is given twice"));
    } else if (std::string problem = ProblemOf(input, port->second, value); !problem.empty()) {
      problems.push_back(std::move(problem));
    }
  }
  Step step;
  for (const auto& [input, port] : signature->inputs) {
    const auto value = values.find(input);
    if (value != values.end()) {
      step.feeds.emplace_back(port.tensor, *value->second);
    } else if (port.default_value.has_value()) {
      step.feeds.emplace_back(port.tensor, port.default_value);
    } else {
      problems.push_back(absl::StrCat("input ", Describe(input, port), " is missing"));
    }
  }
  if (!problems.empty()) {
    return InvalidArgument("signature '", name, "': ", absl::StrJoin(problems, "; "),
                           ". Its inputs are: ", Names(signature->inputs));
  }
  for (const auto& [output, port] : signature->outputs) {
    step.outputs.push_back(output);
    step.fetches.push_back(port.tensor);
  }
  return step;
}

Status Model::Run(absl::string_view signature, const NamedTensors& inputs, NamedTensors* outputs,
                  const RunOptions& options, RunMetadata* metadata) {
  WB_ASSIGN_OR_RETURN(const Step step, StepOf(signature, inputs));
  std::vector<Tensor> fetched;
  WB_RETURN_IF_ERROR(
      session_->Run(options, step.feeds, step.fetches, /*targets=*/{}, &fetched, metadata));
  outputs->clear();
  for (size_t i = 0; i < fetched.size(); ++i) {
    outputs->emplace_back(step.outputs[i], std::move(fetched[i]));
  }
  return OkStatus();
}

}  // namespace frontend
}  // namespace warpbeam
