// CasePipeline: takes a serialized conformance case from its bytes to its results, with small
// limits, and says how far it came.
//
//   Stage stage = CasePipeline::Process().Run(bytes);
//
// The graph is imported with shape inference, gradients are added where the case asks for them, the
// whole is placed on two CPUs (or as many as the case asks for, up to four) and a simulated GPU;
// each step is partitioned, rewritten and compiled, then run until its deadline. Graphs with ops
// that write files or end the process on purpose are left out.
//
// Ownership: devices are kept for later inputs. Thread safety: one thread. Errors: none; a session
// that cannot be closed because a kernel never ends is a finding and ends the process, and so is a
// message that nobody can read for its length.
#ifndef WARPBEAM_TESTS_FUZZ_CASE_PIPELINE_H_
#define WARPBEAM_TESTS_FUZZ_CASE_PIPELINE_H_

#include <array>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/session/session.h"

namespace conformance {
class Case;
class Step;
}  // namespace conformance

namespace warpbeam {
namespace fuzz {

// Where an input came to its end.
enum class Stage { kParse, kLeftOut, kImport, kGradients, kPlace, kCompile, kRun };
inline constexpr int kNumStages = 7;
const char* StageName(Stage stage);

// Where many came to their ends.
class StageCounts {
 public:
  void Add(Stage stage) { ++counts_[static_cast<size_t>(stage)]; }
  // Appends a line for each stage. False when so few were run that a fault would hardly be found.
  bool Summarize(std::string* text) const;

 private:
  std::array<int64_t, kNumStages> counts_ = {};
};

class CasePipeline {
 public:
  static CasePipeline& Process();
  Stage Run(absl::string_view wire_form);

 private:
  CasePipeline();
  StatusOr<std::unique_ptr<Session>> Open(const conformance::Case& c, Stage* stage);
  Status RunStep(Session& session, const conformance::Step& step, Stage* stage);

  // By their number of CPUs; kept, for threads and memory cost more than most inputs.
  std::map<int, std::shared_ptr<DeviceSet>> devices_;
  // "gradient:0" to the name in the graph.
  std::map<std::string, std::string> gradients_;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_CASE_PIPELINE_H_
