// WatchedPipeline: runs many cases through the pipeline, one after the other, under a watch that
// keeps the one that runs.
//
//   WatchedPipeline pipeline("huge_extents");
//   ASSERT_TRUE(pipeline.status().ok()) << pipeline.status();
//   ForEachHugeCase(c, [&](const std::string& wire_form) { pipeline.Run(wire_form); });
//   pipeline.Finish();                     // nothing was found
//
// Ownership: one per process. Thread safety: one thread. Errors: status() of the watch.
#ifndef WARPBEAM_TESTS_FUZZ_WATCHED_PIPELINE_H_
#define WARPBEAM_TESTS_FUZZ_WATCHED_PIPELINE_H_

#include <cstdio>
#include <memory>
#include <string>

#include "tests/fuzz/case_pipeline.h"
#include "tests/fuzz/input_watch.h"

namespace warpbeam {
namespace fuzz {

class WatchedPipeline {
 public:
  explicit WatchedPipeline(const std::string& name) {
    WatchOptions options;
    options.file = FindingsFolder() + "/" + name + ".input";
    options.program = "pipeline_fuzz";
    options.input_timeout_ms = 60'000;
    watch_ = InputWatch::Start(options);
  }

  Status status() const { return watch_.status(); }
  void Run(const std::string& wire_form) {
    (*watch_)->Begin(wire_form);
    ran_ += CasePipeline::Process().Run(wire_form) == Stage::kRun ? 1 : 0;
    (*watch_)->End();
    ++made_;
  }
  void Finish() {
    (*watch_)->Finish();
    printf("%lld graphs, %lld were run\n", static_cast<long long>(made_),
           static_cast<long long>(ran_));
  }
  int64_t made() const { return made_; }
  // Those that came as far as the kernels.
  int64_t ran() const { return ran_; }

 private:
  StatusOr<std::unique_ptr<InputWatch>> watch_;
  int64_t made_ = 0;
  int64_t ran_ = 0;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_WATCHED_PIPELINE_H_
