// ExpectGrowth: that what is done with a graph takes at most 13 times as long for ten times the
// size: each stage of it between graphs of the form's own size and ten times as many nodes or,
// where only the small graph fits the caches, between two and four times as large ones.
//
//   ExpectGrowth(form, [](const std::string& graph_bytes, Stages* stages) {
//     stages->Time("import", [&] { … });
//   });
//
// What counts is the processor time of this process, the least of several tries, so that other
// work on the machine does not matter. The figures are printed. Thread safety: none. Errors: gtest
// failures.
#ifndef WARPBEAM_TESTS_GROWTH_EXPECT_GROWTH_H_
#define WARPBEAM_TESTS_GROWTH_EXPECT_GROWTH_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/growth/graph_forms.h"

namespace warpbeam {

// What was done, in turn, and how many milliseconds each of it took.
class Stages {
 public:
  void Time(const std::string& stage, const std::function<void()>& work);
  const std::vector<std::pair<std::string, double>>& times() const { return times_; }

 private:
  std::vector<std::pair<std::string, double>> times_;
};

using Work = std::function<void(const std::string& graph_bytes, Stages* stages)>;
void ExpectGrowth(const GraphForm& form, const Work& work);

// The name of a form as that of a test.
std::string TestNameOf(const GraphForm& form);

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GROWTH_EXPECT_GROWTH_H_
