#include "tests/growth/expect_growth.h"

#include <time.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

constexpr double kMostGrowth = 13;
// A small graph lies in the cache, so that below this the memory is all that is measured. What
// grows with the square of the size takes far more by ten thousand nodes.
constexpr double kLeastMs = 10;
constexpr int kMostTries = 7;

double CpuMs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// The least times of several runs on one graph.
class Measured {
 public:
  Measured(const GraphForm& form, int size, const Work& work) : work_(work) {
    tensorflow::GraphDef graph;
    form.write(size, &graph);
    bytes_ = graph.SerializeAsString();
  }

  void Run() {
    Stages stages;
    work_(bytes_, &stages);
    if (least_.empty()) least_ = stages.times();
    for (size_t i = 0; i < std::min(least_.size(), stages.times().size()); ++i) {
      least_[i].second = std::min(least_[i].second, stages.times()[i].second);
    }
  }
  const std::vector<std::pair<std::string, double>>& least() const { return least_; }

 private:
  const Work& work_;
  std::string bytes_;
  std::vector<std::pair<std::string, double>> least_;
};

bool GrowsTooMuch(double small, double large) {
  return large > kMostGrowth * std::max(small, kLeastMs);
}

bool AnyGrowsTooMuch(const Measured& small, const Measured& large) {
  for (size_t i = 0; i < small.least().size(); ++i) {
    if (GrowsTooMuch(small.least()[i].second, large.least()[i].second)) return true;
  }
  return false;
}

}  // namespace

void Stages::Time(const std::string& stage, const std::function<void()>& work) {
  const double begin = CpuMs();
  work();
  times_.emplace_back(stage, CpuMs() - begin);
}

void ExpectGrowth(const GraphForm& form, const Work& work) {
  Measured small(form, form.size, work), large(form, 10 * form.size, work);
  for (int tries = 0; tries < kMostTries && !::testing::Test::HasFailure(); ++tries) {
    for (int i = 0; i < 3; ++i) small.Run();  // it is noisier
    large.Run();
    ASSERT_EQ(small.least().size(), large.least().size());
    if (!AnyGrowsTooMuch(small, large)) break;
  }
  for (size_t i = 0; i < small.least().size(); ++i) {
    const auto& [stage, a] = small.least()[i];
    const double b = large.least()[i].second;
    printf("%-40s %-24s %9.2f ms %9.2f ms %6.1fx\n", form.name, stage.c_str(), a, b, b / a);
    EXPECT_FALSE(GrowsTooMuch(a, b)) << form.name << ": " << stage << " takes " << a << " ms, and "
                                     << b << " ms for ten times the size";
  }
}

std::string TestNameOf(const GraphForm& form) {
  return absl::StrReplaceAll(form.name, {{" ", "_"}});
}

}  // namespace warpbeam
