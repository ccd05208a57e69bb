#include "graph/build/problem_report.h"

#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

constexpr int kExamples = 3;

}  // namespace

ProblemReport::ProblemReport(std::vector<Status> problems, int max_shown)
    : max_shown_(max_shown < 1 ? 1 : max_shown) {
  for (Status& problem : problems) Add(std::move(problem));
}

void ProblemReport::Add(Status problem) {
  if (problem.ok()) return;
  ++num_problems_;
  // A hostile graph may have millions of them.
  if (problems_.size() == max_shown_) return;
  problems_.emplace_back(problem.code(), ShownMessage(problem.message()));
}

void ProblemReport::AddUnknownOp(const NodeSpec& spec, absl::FunctionRef<Status()> why) {
  const auto [it, added] = unknown_ops_.try_emplace(spec.op);
  UnknownOp& op = it->second;
  if (added) {
    op.problem = problems_.size();
    if (problems_.size() < max_shown_) {
      Add(why());
    } else {
      ++num_problems_;
    }
  }
  if (op.nodes < kExamples) {
    absl::StrAppend(&op.examples, op.nodes > 0 ? ", " : "", "'", ShownName(spec.name), "'");
  }
  ++op.nodes;
}

Status ProblemReport::ToStatus() const {
  if (problems_.empty()) return OkStatus();
  std::vector<std::string> lines;
  for (const Status& problem : problems_) lines.emplace_back(problem.message());
  for (const auto& entry : unknown_ops_) {
    const UnknownOp& op = entry.second;
    if (op.problem >= lines.size()) continue;
    absl::StrAppend(&lines[op.problem], " (", op.nodes,
                    op.nodes == 1 ? " node: " : " nodes: ", op.examples,
                    op.nodes > kExamples ? ", …" : "", ")");
  }
  if (num_problems_ == 1) return Status(problems_[0].code(), lines[0]);
  std::string text = absl::StrCat("the graph has ", num_problems_, " problems:");
  for (const std::string& line : lines) absl::StrAppend(&text, "\n  ", line);
  if (num_problems_ > lines.size()) {
    absl::StrAppend(&text, "\n  … and ", num_problems_ - lines.size(), " more");
  }
  return Status(problems_[0].code(), text);
}

}  // namespace warpbeam
