// CallCycles: which functions of a library lead back to themselves by their calls.
//
//   CallCycles cycles(library);
//   if (cycles.CallsItself("f")) …               // f calls f, or g that calls f, …
//
// Each function is looked at once, however many are asked for. Ownership: the library outlives
// this. Thread safety: none. Errors: none; what the library does not have calls nothing.
#ifndef WARPBEAM_GRAPH_FUNCTIONS_CALL_CYCLES_H_
#define WARPBEAM_GRAPH_FUNCTIONS_CALL_CYCLES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/functions/function_library.h"

namespace warpbeam {

class CallCycles {
 public:
  explicit CallCycles(const FunctionLibrary& library) : library_(library) {}

  bool CallsItself(const std::string& function);

 private:
  struct Visit {
    int number = 0;    // in the order of the first visits
    int lowest = 0;    // that its calls lead back to
    bool open = true;  // whether calls may still turn out to lead back to it
    bool cycles = false;
  };
  std::vector<std::string> Callees(const std::string& function) const;
  void Look(const std::string& function);
  void Close(const std::string& function);

  const FunctionLibrary& library_;
  absl::flat_hash_map<std::string, Visit> visits_;
  std::vector<std::string> open_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_CALL_CYCLES_H_
