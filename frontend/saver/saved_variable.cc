#include "frontend/saver/saved_variable.h"

#include <algorithm>
#include <tuple>

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

void AddUnder(const std::string& name, const Variable& variable,
              std::vector<SavedVariable>* saved) {
  for (const Variable& part : variable.parts()) {
    saved->push_back({name, part, variable.is_partitioned() && part.slice() != nullptr});
  }
}

std::vector<SavedVariable> InOrder(std::vector<SavedVariable> saved) {
  const auto key = [](const SavedVariable& v) {
    return std::tuple<std::string, std::string>(v.name, v.variable.name());
  };
  std::stable_sort(saved.begin(), saved.end(),
                   [&](const SavedVariable& a, const SavedVariable& b) { return key(a) < key(b); });
  const auto same = [&](const SavedVariable& a, const SavedVariable& b) {
    return key(a) == key(b) && a.variable.valid();
  };
  saved.erase(std::unique(saved.begin(), saved.end(), same), saved.end());
  return saved;
}

}  // namespace

std::vector<SavedVariable> SavedVariables(const std::vector<Variable>& variables) {
  std::vector<SavedVariable> saved;
  for (const Variable& variable : variables) {
    if (!variable.valid()) continue;
    const VariableSlice* slice = variable.slice();
    if (slice != nullptr) {
      saved.push_back({slice->full_name, variable, true});
    } else {
      AddUnder(variable.name(), variable, &saved);
    }
  }
  return InOrder(std::move(saved));
}

std::vector<SavedVariable> SavedVariables(const std::map<std::string, Variable>& variables) {
  std::vector<SavedVariable> saved;
  for (const auto& [name, variable] : variables) AddUnder(name, variable, &saved);
  return InOrder(std::move(saved));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
