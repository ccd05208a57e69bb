// StringStep: a graph that takes strings, compiled once and run for every input of a target.
//
//   static StringStep& step = *new StringStep(R"pb(node { name: "x" op: "Placeholder" … })pb",
//                                             {"y:0"});
//   step.Run(Tensor::Scalar<std::string>(input)).IgnoreError();
//
// The graph is a GraphDef as text; "x" is what is fed. It runs in the caller's thread on one CPU.
//
// Thread safety: one thread. Errors: a graph that is no good ends the process; Run gives the
// kernels'.
#ifndef WARPBEAM_TESTS_FUZZ_STRING_STEP_H_
#define WARPBEAM_TESTS_FUZZ_STRING_STEP_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/session/session.h"

namespace warpbeam {
namespace fuzz {

class StringStep {
 public:
  StringStep(const std::string& graph_text, std::vector<std::string> fetches);
  Status Run(const Tensor& x);

 private:
  Status Open(const std::string& graph_text, std::vector<std::string> fetches);

  std::unique_ptr<Session> session_;
  Session::CallableHandle step_ = 0;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_STRING_STEP_H_
