// CollectiveCommunicator: the resource that CollectiveInitializeCommunicator makes and the third
// versions of the collective ops use: a group whose members have ranks, and the numbers of its
// collectives. It belongs to one member and to the step that has made it.
//
//   class ReduceKernel final : public CommunicatorKernel {
//     void ComputeAsync(KernelContext& ctx, Done done) override {
//       auto turn = Begin(ctx, kReduction);                  // looks the communicator up
//       …  JoinCollective(ctx, std::move(turn->call), std::move(done));
//     }
//   };
//
// The n-th collective of one member's communicator meets the n-th of the others', so that all
// members have to run them in one order, as by control edges.
//
// Ownership: by the handles in their step (ops/state/step_resource.h). Thread safety: any thread.
// Errors: NOT_FOUND for a handle of another step or of another kind.
#ifndef WARPBEAM_OPS_COLLECTIVE_COLLECTIVE_COMMUNICATOR_H_
#define WARPBEAM_OPS_COLLECTIVE_COLLECTIVE_COMMUNICATOR_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/collective/collective_kernel.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class CollectiveCommunicator final : public Resource {
 public:
  struct Terms {
    std::string group;
    int32_t rank = 0;
    std::vector<int32_t> ranks;  // of all members, in the order in which results are made of them
    double timeout_seconds = 0;
    std::string node;  // that has made it, which is what tells members of one device apart
  };

  explicit CollectiveCommunicator(Terms terms) : terms_(std::move(terms)) {}
  std::string DebugString() const override;
  const Terms& terms() const { return terms_; }
  int64_t size() const { return static_cast<int64_t>(terms_.ranks.size()); }
  // Where the member of this rank stands in the order of `ranks`.
  int64_t PlaceOf(int32_t rank) const;
  // TensorFlow counts from 0, too.
  int32_t NextInstance() { return next_instance_.fetch_add(1, std::memory_order_relaxed); }

 private:
  const Terms terms_;
  std::atomic<int32_t> next_instance_{0};
};

// Of ops with the inputs input, communicator and group_assignment, and one output.
class CommunicatorKernel : public MemberKernel {
 protected:
  struct Turn {
    std::shared_ptr<const CollectiveCommunicator> communicator;
    CollectiveCall call;  // without what is made of the input
  };

  Status Init(KernelInit& init);
  StatusOr<Turn> Begin(const KernelContext& ctx, int kind) const;

 private:
  double timeout_seconds_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_COLLECTIVE_COLLECTIVE_COMMUNICATOR_H_
