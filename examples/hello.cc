// The smallest program: a graph with a variable, on the CPU or on a simulated GPU.
//
//   bazel run //examples:hello -- --simulated_gpus=1 --log_device_placement
#include <cstdio>

#include "examples/session_flags.h"
#include "frontend/warpbeam.h"

namespace wb = warpbeam::frontend;

namespace {

wb::Status Hello() {
  wb::Scope root = wb::Scope::NewRoot();
  wb::Scope gpu = root.Device("/gpu:0");
  wb::Output x = wb::Placeholder(root.Named("x"), wb::DType::kFloat, {2});
  wb::Variable w(gpu.Named("w"), 3.0f);
  wb::Output y = gpu(x) * w + 1.0f;
  wb::Operation init = wb::GlobalVariablesInitializer(root);

  wb::ClientSession session(root, warpbeam::examples::SessionConfigFromFlags());
  WB_RETURN_IF_ERROR(session.Run({init}).status());
  WB_ASSIGN_OR_RETURN(std::vector<wb::Tensor> out,
                      session.Run({{x, wb::Tensor::Vector<float>({1, 2})}}, {y}));
  std::printf("%s = %s\n", y.name().c_str(), out[0].ToString().c_str());
  return session.Close();
}

}  // namespace

int main(int argc, char** argv) {
  warpbeam::examples::ParseFlags(
      "The smallest program: a graph, a variable and an addition.\n\n"
      "  bazel run //examples:hello -- --simulated_gpus=1 --log_device_placement",
      argc, argv);
  return warpbeam::examples::ExitCode(Hello());
}
