#include "tests/growth/expect_growth.h"

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

constexpr double kMostGrowth = 13;
// A small graph lies in the cache, so that below this the memory is all that is measured. What
// grows with the square of the size takes far more by ten thousand nodes.
constexpr double kLeastMs = 10;
constexpr int kMostTries = 4;
// Between a graph that fits the caches and one that does not lie more than their sizes, so that a
// stage is tried between larger ones as well: what grows with more than the size does so at each
// scale (with its power 3/2: 31 times).
constexpr int kScales[] = {1, 4, 2};

double CpuMs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

// Memory that the system has given once is kept: what a large graph gives back and asks for again
// in each run, and a small one does not, is the system's time and not that of the work.
void KeepMemory() {
  constexpr int kMostAllowed = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kMostAllowed);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
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

// Stages that took too long in each comparison so far; all of them before the first.
class Suspects {
 public:
  bool Includes(size_t stage) const { return !compared_ || stages_.count(stage) > 0; }
  bool None() const { return compared_ && stages_.empty(); }
  void Keep(std::set<size_t> stages) {
    compared_ = true;
    stages_ = std::move(stages);
  }

 private:
  bool compared_ = false;
  std::set<size_t> stages_;
};

// A graph of some size beside one that is ten times as large.
class Comparison {
 public:
  Comparison(const GraphForm& form, int scale, const Work& work)
      : form_(form),
        small_(form, scale * form.size, work),
        large_(form, 10 * scale * form.size, work) {}

  // Until no suspect grows too much, or no try will help.
  void Run(Suspects* suspects) {
    std::set<size_t> slow;
    for (int tries = 0; tries < kMostTries && !::testing::Test::HasFailure(); ++tries) {
      for (int i = 0; i < 3; ++i) small_.Run();  // it is noisier
      large_.Run();
      slow.clear();
      for (size_t i = 0; i < NumStages(); ++i) {
        if (suspects->Includes(i) && GrowsTooMuch(i)) slow.insert(i);
      }
      if (slow.empty()) break;
    }
    EXPECT_EQ(small_.least().size(), large_.least().size());
    suspects->Keep(std::move(slow));
  }
  void Print() const {
    for (size_t i = 0; i < NumStages(); ++i) {
      const double a = small_.least()[i].second, b = large_.least()[i].second;
      printf("%-40s %-24s %9.2f ms %9.2f ms %6.1fx\n", form_.name, NameOf(i), a, b, b / a);
    }
  }
  void Expect(const Suspects& suspects) const {
    for (size_t i = 0; i < NumStages(); ++i) {
      EXPECT_FALSE(suspects.Includes(i))
          << form_.name << ": " << NameOf(i) << " takes " << small_.least()[i].second << " ms, and "
          << large_.least()[i].second << " ms for ten times the size";
    }
  }

 private:
  size_t NumStages() const { return std::min(small_.least().size(), large_.least().size()); }
  const char* NameOf(size_t stage) const { return small_.least()[stage].first.c_str(); }
  bool GrowsTooMuch(size_t stage) const {
    return large_.least()[stage].second >
           kMostGrowth * std::max(small_.least()[stage].second, kLeastMs);
  }

  const GraphForm& form_;
  Measured small_, large_;
};

}  // namespace

void Stages::Time(const std::string& stage, const std::function<void()>& work) {
  const double begin = CpuMs();
  work();
  times_.emplace_back(stage, CpuMs() - begin);
}

void ExpectGrowth(const GraphForm& form, const Work& work) {
  KeepMemory();
  Suspects suspects;
  for (const int scale : kScales) {
    Comparison comparison(form, scale, work);
    comparison.Run(&suspects);
    comparison.Print();
    if (::testing::Test::HasFailure() || suspects.None()) return;
    if (scale == kScales[std::size(kScales) - 1]) comparison.Expect(suspects);
  }
}

std::string TestNameOf(const GraphForm& form) {
  return absl::StrReplaceAll(form.name, {{" ", "_"}});
}

}  // namespace warpbeam
