// Takings: what a step with a deadline has taken out of queues, staging areas, barriers, iterators
// and the like, kept until it is known how the step ends: one that its deadline ends has taken
// nothing.
//
// Whoever runs the step opens a scope, and kernels that take say how it goes back:
//
//   Takings::Scope scope(context, takings);                       // the executor
//   if (const auto takings = Takings::Of(ctx.step())) {           // a kernel, after it has taken
//     takings->Add([queue, rows] { queue->Return(rows); });
//   }
//   takings->GiveBack();                                          // the step was ended
//
// What a step has handed on, where others see it, is not given back besides: HandOn. Steps without
// a deadline have no scope, and nothing is kept for them: who holds a tensor keeps others from
// writing into its memory.
//
// Ownership: a scope borrows the step's context and shares the takings; dropping these accepts what
// was taken. Thread safety: any thread. `give_back` runs without locks of this class. Errors: none.
#ifndef WARPBEAM_RUNTIME_KERNEL_TAKINGS_H_
#define WARPBEAM_RUNTIME_KERNEL_TAKINGS_H_

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace warpbeam {

class StepContext;

class Takings {
 public:
  class Scope {
   public:
    Scope(const StepContext* step, std::shared_ptr<Takings> takings);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const StepContext* const step_;
  };

  // The takings of the step's scope; null where it has none.
  static std::shared_ptr<Takings> Of(const StepContext* step);

  // After GiveBack, which may come before the end of a step that is left behind, `give_back` runs
  // at once.
  void Add(std::function<void()> give_back);
  void HandOn();
  // The last taken goes back first.
  void GiveBack();

 private:
  std::mutex mutex_;
  bool given_back_ = false;
  std::vector<std::function<void()>> taken_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_TAKINGS_H_
