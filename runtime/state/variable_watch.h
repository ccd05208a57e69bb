// VariableWatch: which variables a thread reads or changes while it lasts.
//
//   VariableWatch watch;
//   …                                                   // kernels run on this thread
//   for (const VariableWatch::Seen& seen : watch.seen()) …          // each variable once
//
// Thread safety: of the thread that makes it; watches may not overlap. Errors: none.
#ifndef WARPBEAM_RUNTIME_STATE_VARIABLE_WATCH_H_
#define WARPBEAM_RUNTIME_STATE_VARIABLE_WATCH_H_

#include <vector>

#include "absl/container/flat_hash_map.h"

namespace warpbeam {

class Tensor;
class Variable;

class VariableWatch {
 public:
  struct Seen {
    Variable* variable;
    const void* memory;  // of its value when it was first seen; null without one
    bool changes;        // not only read
  };

  VariableWatch();
  ~VariableWatch();
  VariableWatch(const VariableWatch&) = delete;
  VariableWatch& operator=(const VariableWatch&) = delete;

  const std::vector<Seen>& seen() const { return seen_; }
  // What tells memory from other memory, whatever view of it a tensor is; null without any.
  static const void* MemoryOf(const Tensor& value);
  // Of the variable's methods, under its lock, before the value changes.
  static void Saw(const Variable* variable, const Tensor& value, bool changes);

 private:
  absl::flat_hash_map<const Variable*, size_t> index_;
  std::vector<Seen> seen_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STATE_VARIABLE_WATCH_H_
