#include "tests/fuzz/string_step.h"

#include <cstdio>
#include <cstdlib>

#include "graph/io/graph_file.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr int64_t kCpuBytes = 64 << 20;

}  // namespace

StringStep::StringStep(const std::string& graph_text, std::vector<std::string> fetches) {
  const Status opened = Open(graph_text, std::move(fetches));
  if (opened.ok()) return;
  fprintf(stderr, "the target's graph is no good: %s\n", opened.ToString().c_str());
  abort();
}

Status StringStep::Open(const std::string& graph_text, std::vector<std::string> fetches) {
  PoolAllocator::Process().set_limit(kCpuBytes);
  auto graph = std::make_shared<Graph>();
  WB_RETURN_IF_ERROR(ImportGraphText(graph_text, ImportOptions(), graph.get()));
  SessionOptions options;
  options.inter_op_threads = options.intra_op_threads = 1;
  WB_ASSIGN_OR_RETURN(session_, Session::Create(options, std::move(graph)));
  CallableOptions step;
  step.feeds = {"x"};
  step.fetches = std::move(fetches);
  step.run.inter_op_thread_pool = -1;
  WB_ASSIGN_OR_RETURN(step_, session_->MakeCallable(step));
  return OkStatus();
}

Status StringStep::Run(const Tensor& x) {
  std::vector<Tensor> fetched;
  return session_->RunCallable(step_, {x}, &fetched);
}

}  // namespace fuzz
}  // namespace warpbeam
