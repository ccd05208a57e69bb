#include "runtime/session/kernel_warm_up.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

constexpr int kWarmUpNice = 10;

using Entry = std::pair<const OpSchema*, KernelWarmUpFunction>;

// The few ops that have something to warm up.
const std::vector<Entry>& AllEntries() {
  static const auto* const entries = [] {
    auto* found = new std::vector<Entry>;
    for (const KernelDecl* decl : KernelRegistry::Global().All()) {
      if (decl->warm_up == nullptr) continue;
      const OpSchema* const op = OpRegistry::Global().Find(decl->op);
      if (op != nullptr) found->emplace_back(op, decl->warm_up);
    }
    return found;
  }();
  return *entries;
}

// What was begun in this process.
class Begun {
 public:
  static Begun& Process() {
    static auto* const begun = new Begun;
    return *begun;
  }
  std::vector<Entry> EntriesLeft() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Entry> left;
    for (const Entry& entry : AllEntries()) {
      if (functions_.count(entry.second) == 0) left.push_back(entry);
    }
    return left;
  }
  // Whether the caller is the first.
  bool Add(KernelWarmUpFunction function) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return functions_.insert(function).second;
  }

 private:
  std::mutex mutex_;
  std::set<KernelWarmUpFunction> functions_;
};

}  // namespace

KernelWarmUp::~KernelWarmUp() {
  for (std::thread& thread : threads_) thread.join();
}

void KernelWarmUp::Begin(const std::vector<const OpSchema*>& ops,
                         const FunctionLibrary& functions) {
  const std::vector<Entry> entries = Begun::Process().EntriesLeft();
  if (entries.empty()) return;
  std::set<KernelWarmUpFunction> wanted;
  for (const OpSchema* const op : ops) {
    for (const Entry& entry : entries) {
      if (entry.first == op) wanted.insert(entry.second);
    }
  }
  if (functions.size() != num_functions_) {
    num_functions_ = functions.size();
    for (const auto& [name, function] : functions.functions()) {
      for (const NodeSpec& node : function->nodes) {
        for (const Entry& entry : entries) {
          if (entry.first->name == node.op) wanted.insert(entry.second);
        }
      }
    }
  }
  Begin(wanted);
}

void KernelWarmUp::Begin(const std::vector<std::string>& ops) {
  std::set<KernelWarmUpFunction> wanted;
  for (const Entry& entry : Begun::Process().EntriesLeft()) {
    if (std::find(ops.begin(), ops.end(), entry.first->name) != ops.end()) {
      wanted.insert(entry.second);
    }
  }
  Begin(wanted);
}

void KernelWarmUp::Begin(const std::set<KernelWarmUpFunction>& wanted) {
  for (KernelWarmUpFunction function : wanted) {
    if (!Begun::Process().Add(function)) continue;
    // Where no thread is left the first kernel will do it.
    StatusOr<std::thread> thread = NewThread([function] {
      // What the session does meanwhile goes first, such as reading variables with all threads.
      setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kWarmUpNice);
      function();
    });
    if (thread.ok()) threads_.push_back(*std::move(thread));
  }
}

}  // namespace warpbeam
