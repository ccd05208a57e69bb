// FunctionPlans: the FunctionRunner of a session: compiles library functions into plans and runs
// them.
//
// One plan per distinct (function, attributes, device), compared bit by bit; it is compiled at the
// first Instantiate and kept. "SymbolicGradient" with the attribute f is the gradient of f, made
// then. The body's nodes go where they ask to, else to the caller's device.
//
//   auto runner = std::make_shared<FunctionPlans>(library, setup);
//   WB_ASSIGN_OR_RETURN(auto handle, runner->Instantiate({"double_it", attrs}, "/cpu:0"));
//
// Ownership: devices and resources are the session's and outlive the runner. Thread safety: any
// thread. Errors: as FunctionRunner.
#ifndef WARPBEAM_RUNTIME_FUNCTION_FUNCTION_PLANS_H_
#define WARPBEAM_RUNTIME_FUNCTION_FUNCTION_PLANS_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "placement/placer.h"
#include "runtime/compile/inline_calls.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/kernel/function_runner.h"
#include "runtime/state/resource_store.h"
#include "runtime/step/plan_runner.h"

namespace warpbeam {

class FunctionPlans final : public FunctionRunner {
 public:
  static constexpr int kMaxDepth = 256;
  // How deep copies (Clone) may make copies: each has plans and, mostly, a thread.
  static constexpr int kMaxCopies = 32;

  struct Setup {
    const OpRegistry* ops = nullptr;
    std::shared_ptr<DeviceSet> devices;
    // Where bodies are placed that are inlined before a step is cut by tasks: the devices of all of
    // them. Empty: `devices`.
    std::vector<DeviceName> sites;
    std::shared_ptr<ResourceStore> resources;
    PlacerOptions placer;
    std::string passes = "default";  // CompileEnv::passes
    CapabilitySet allow = CapabilitySet::All();
    bool deterministic = false;  // CompileEnv::deterministic
    // A call runs in the thread that makes it, as far as its kernels are not asynchronous.
    bool one_thread = false;
    int copies = 0;  // how many copies lie between the session's runner and this one
  };

  FunctionPlans(FunctionLibrary library, Setup setup);

  StatusOr<Handle> Instantiate(const FunctionRef& function, const std::string& device) override;
  void Run(Handle function, StepContext* step, std::vector<Tensor> args, Done done) override;
  std::shared_ptr<FunctionRunner> Clone() override;
  FunctionLibrary library() const override;
  Status CheckAllowed(Capability capability) const override;
  // The body of a function, its nodes placed as a call from `device` would place them; kept.
  StatusOr<std::shared_ptr<const InstantiatedFunction>> Place(const FunctionRef& function,
                                                              const std::string& device);
  // Takes over functions and gradients of functions that the graph has gained.
  void UpdateLibrary(const FunctionLibrary& library);

 private:
  // What a plan is found by. The hash is that of a text, which cuts long values short.
  struct Call {
    FunctionRef function;
    std::string device;
    friend bool operator==(const Call& a, const Call& b) {
      return a.device == b.device && a.function == b.function;
    }
  };
  struct CallHash {
    size_t operator()(const Call& call) const;
  };

  struct Compiled {
    std::shared_ptr<const InstantiatedFunction> body;
    KernelCache kernels;
    std::unique_ptr<PlanRunner> runner;
  };

  // Of functions and gradients: a graph's library only grows.
  static size_t SizeOf(const FunctionLibrary& library);
  StatusOr<std::unique_ptr<Compiled>> Compile(const FunctionRef& function,
                                              const std::string& device);
  StatusOr<std::shared_ptr<const InstantiatedFunction>> PlaceNew(const FunctionRef& function,
                                                                 const std::string& device);
  // The handle of what has been compiled, or -1.
  Handle Find(const Call& call) const;

  const Setup setup_;
  // Of whoever compiles; a body may instantiate the functions that it calls.
  std::recursive_mutex compile_mutex_;
  int depth_ = 0;
  size_t given_ = 0;  // the size of what the graph has of library_
  absl::flat_hash_map<Call, std::shared_ptr<const InstantiatedFunction>, CallHash> placed_;

  // Of what is there, so that no call of it waits for a compilation. Taken after compile_mutex_.
  mutable std::mutex mutex_;
  FunctionLibrary library_;
  absl::flat_hash_map<Call, Handle, CallHash> handles_;
  std::vector<std::unique_ptr<Compiled>> compiled_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_FUNCTION_FUNCTION_PLANS_H_
