// StringToHashBucketFast: FarmHash's fingerprint of each string, modulo a number of buckets.
#include <farmhash.h>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class HashBucketFastKernel final : public Kernel {
 public:
  explicit HashBucketFastKernel(uint64_t buckets) : buckets_(buckets) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(int64_t buckets, init.attr<int64_t>("num_buckets"));
    if (buckets < 1) return InvalidArgument("'num_buckets' must be at least 1: ", buckets);
    return std::make_unique<HashBucketFastKernel>(static_cast<uint64_t>(buckets));
  }
  absl::Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    int64_t* out = y->data<int64_t>();
    for (const std::string& s : x.flat<std::string>()) {
      *out++ = static_cast<int64_t>(util::Fingerprint64(s.data(), s.size()) % buckets_);
    }
    return absl::OkStatus();
  }

 private:
  const uint64_t buckets_;
};

WB_OP("StringToHashBucketFast")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringToHashBucketFast", HashBucketFastKernel).Cpu();
WB_NO_GRADIENT("StringToHashBucketFast");

}  // namespace
}  // namespace warpbeam
