// A program that uses a session on a server, Warpbeam's or TensorFlow's, as programs do, and says
// what came of it: `session_main grpc://localhost:2222 [DEVICE OF THE VARIABLES]`. Ends with 1 when
// something is not as it should be.
#include <cstdio>

#include "absl/strings/match.h"
#include "frontend/cluster.h"
#include "frontend/ops/array_ops.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/warpbeam.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace {

int failures = 0;

void Check(const char* what, bool is_good, const std::string& otherwise) {
  std::printf("%s %s%s%s\n", is_good ? "ok" : "FAILED", what, is_good ? "" : ": ",
              is_good ? "" : otherwise.c_str());
  failures += !is_good;
}

// The first fetch, as a number.
float First(const StatusOr<std::vector<Tensor>>& out) {
  return out.ok() && (*out)[0].has_value() ? (*out)[0].scalar<float>() : -1;
}

class Program {
 public:
  Program(std::string target, const std::string& variables) : variables_(root_.Device(variables)) {
    config_.target = std::move(target);
  }

  void Train() {
    const Variable w(variables_.Named("w"), 4.0f);
    w_ = std::make_unique<Variable>(w);
    const Output loss = Square(root_.Named("loss"), w.read());
    const Operation train = train::GradientDescentOptimizer(0.25f).Minimize(root_, loss);
    ClientSession session(root_, config_);
    Check("opens a session", session.status().ok(), session.status().ToString());
    const Operation init = GlobalVariablesInitializer(root_);  // after that
    const auto initialised = session.Run({init});
    Check("runs what was built since", initialised.ok(), initialised.status().ToString());
    for (int i = 0; i < 2; ++i) session.Run({train}).status().IgnoreError();
    const auto out = session.Run({w});
    Check("trains", First(out) == 1, out.status().ToString());
    Check("lists devices", !session.DeviceNames().empty(), "none");
  }

  void Share() {
    SessionConfig apart = config_;
    apart.isolate_session_state = true;
    ClientSession first(root_, config_), second(root_, config_), isolated(root_, apart);
    Check("closes", first.Close().ok(), "not");
    const auto out = second.Run({*w_});
    Check("shares variables", First(out) == 1, out.status().ToString());
    const Status unset = isolated.Run({*w_}).status();
    Check("has its own variables where it is isolated", IsFailedPrecondition(unset),
          unset.ToString());
  }

  void Feed() {
    const Output x = Placeholder(root_, DType::kFloat, PartialShape::UnknownOfRank(1));
    const Output y = Negative(root_, x);
    const Output words = Placeholder(root_, DType::kString, PartialShape::Unknown());
    const Output same = Identity(root_, words);
    ClientSession session(root_, config_);
    for (const int64_t size : {0, 1, 3000000}) {
      Tensor value = *Tensor::Allocate(DType::kFloat, Shape({size}));
      for (int64_t i = 0; i < size; ++i) value.data<float>()[i] = static_cast<float>(i % 1000);
      const auto out = session.Run({{x, value}}, {y, y});
      bool is_good = out.ok() && (*out)[1].num_elements() == size;
      for (int64_t i = 0; is_good && i < size; ++i) {
        is_good = (*out)[1].data<float>()[i] == -static_cast<float>(i % 1000);
      }
      Check("feeds and fetches numbers", is_good, out.status().ToString());
    }
    const auto out =
        session.Run({{words, Tensor::Scalar<std::string>(std::string("a\0b", 3))}}, {same});
    Check("feeds and fetches text",
          out.ok() && (*out)[0].scalar<std::string>() == std::string("a\0b", 3),
          out.status().ToString());
  }

  void Fail() {
    const Output x = Placeholder(root_.Named("fed"), DType::kFloat, PartialShape(Shape()));
    const Output checked = ops::CheckNumerics(root_.Named("checked"), x, "not finite");
    const Output queue = ops::FIFOQueueV2(root_.Named("queue"), {DType::kFloat});
    const Output taken = ops::QueueDequeueV2(root_, queue, {DType::kFloat})[0];
    ClientSession session(root_, config_);
    const Status failed = session.Run({{x, Tensor::Scalar(1.0f / 0.0f)}}, {checked}).status();
    Check("names the node of an error",
          IsInvalidArgument(failed) && absl::StrContains(failed.message(), "checked"),
          failed.ToString());
    SessionRunOptions hurried;
    hurried.timeout_in_ms = 200;
    const Status late = session.Run({}, {taken}, hurried, nullptr).status();
    Check("ends at its deadline", IsDeadlineExceeded(late), late.ToString());
    Cancellation cancellation;
    RunOptions cancelled;
    cancelled.cancellation = &cancellation;
    cancellation.Cancel(Cancelled("nobody wants it"));
    std::vector<Tensor> fetched;
    const Status ended = session.session()->Run(cancelled, {}, {taken.name()}, {}, &fetched);
    Check("is cancelled", IsCancelled(ended), ended.ToString());
  }

  void RunInParts() {
    const Output a = Placeholder(root_, DType::kFloat, PartialShape(Shape()));
    const Output b = Placeholder(root_, DType::kFloat, PartialShape(Shape()));
    const Output first = Square(root_, a);
    const Output second = Add(root_, first, b);
    ClientSession session(root_, config_);
    const auto run = session.PartialRunSetup({a, b}, {first, second});
    Check("sets a partial run up", run.ok(), run.status().ToString());
    if (!run.ok()) return;
    const auto part = session.PartialRun(*run, {{a, Tensor::Scalar(3.0f)}}, {first});
    Check("runs a part", First(part) == 9, part.status().ToString());
    const auto rest = session.PartialRun(*run, {{b, Tensor::Scalar(1.0f)}}, {second});
    Check("runs the rest", First(rest) == 10, rest.status().ToString());
    const auto callable = session.MakeCallable({a}, {first});
    Check("makes a callable", callable.ok(), callable.status().ToString());
    if (!callable.ok()) return;
    const auto called = session.RunCallable(*callable, {Tensor::Scalar(5.0f)});
    Check("runs a callable", First(called) == 25, called.status().ToString());
    const Status released = session.ReleaseCallable(*callable);
    Check("releases it", released.ok(), released.ToString());
  }

  void Trace() {
    const Output y = Square(root_.Named("traced"), w_->read());
    ClientSession session(root_, config_);
    RunOptions options;
    options.trace = TraceLevel::kFull;
    std::vector<Tensor> fetched;
    RunMetadata metadata;
    const Status ran = session.session()->Run(options, {}, {y.name()}, {}, &fetched, &metadata);
    bool has_node = false;
    for (const NodeStats& node : metadata.step_stats.nodes) has_node |= node.node == "traced";
    Check("traces", ran.ok() && has_node, ran.ToString());
  }

 private:
  const Scope root_ = Scope::NewRoot();
  const Scope variables_;
  SessionConfig config_;
  std::unique_ptr<Variable> w_;
};

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: session_main grpc://host:port [device of the variables]\n");
    return 2;
  }
  Program program(argv[1], argc > 2 ? argv[2] : "");
  program.Train();
  program.Share();
  program.Feed();
  program.Fail();
  program.RunInParts();
  program.Trace();
  return failures > 0 ? 1 : 0;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam

int main(int argc, char** argv) { return warpbeam::frontend::Main(argc, argv); }
