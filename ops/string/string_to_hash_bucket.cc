// StringToHashBucket, StringToHashBucketFast, StringToHashBucketStrong: a hash of each string,
// modulo a number of buckets: MurmurHash, FarmHash's fingerprint, or SipHash with a key.
#include <farmhash.h>

#include "graph/gradients/gradient_registry.h"
#include "graph/hash/murmur_hash.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/string/sip_hash.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<uint64_t> ReadBuckets(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(int64_t buckets, init.attr<int64_t>("num_buckets"));
  if (buckets < 1) return InvalidArgument("'num_buckets' must be at least 1: ", buckets);
  return static_cast<uint64_t>(buckets);
}

// `hash` is a function of a string_view.
template <class Hash>
Status HashAll(KernelContext& ctx, uint64_t buckets, Hash hash) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  int64_t* out = y->data<int64_t>();
  for (const std::string& s : x.flat<std::string>()) {
    *out++ = static_cast<int64_t>(hash(absl::string_view(s)) % buckets);
  }
  return OkStatus();
}

uint64_t FarmHash(absl::string_view text) { return util::Fingerprint64(text.data(), text.size()); }

template <uint64_t (*Hash)(absl::string_view)>
class HashBucketKernel final : public Kernel {
 public:
  explicit HashBucketKernel(uint64_t buckets) : buckets_(buckets) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const uint64_t buckets, ReadBuckets(init));
    return std::make_unique<HashBucketKernel>(buckets);
  }
  Status Compute(KernelContext& ctx) override { return HashAll(ctx, buckets_, Hash); }

 private:
  const uint64_t buckets_;
};

class HashBucketStrongKernel final : public Kernel {
 public:
  HashBucketStrongKernel(uint64_t buckets, std::array<uint64_t, 2> key)
      : buckets_(buckets), key_(key) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const uint64_t buckets, ReadBuckets(init));
    WB_ASSIGN_OR_RETURN(const std::vector<int64_t> key, init.attr<std::vector<int64_t>>("key"));
    if (key.size() != 2) {
      return InvalidArgument("Key must have 2 elements, not ", key.size());
    }
    return std::make_unique<HashBucketStrongKernel>(
        buckets,
        std::array<uint64_t, 2>{static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])});
  }
  Status Compute(KernelContext& ctx) override {
    return HashAll(ctx, buckets_, [this](absl::string_view s) { return SipHash(key_, s); });
  }

 private:
  const uint64_t buckets_;
  const std::array<uint64_t, 2> key_;
};

WB_OP("StringToHashBucket")
    .Input("string_tensor: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringToHashBucket", HashBucketKernel<MurmurHash64>).Cpu();
WB_NO_GRADIENT("StringToHashBucket");

WB_OP("StringToHashBucketFast")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringToHashBucketFast", HashBucketKernel<FarmHash>).Cpu();
WB_NO_GRADIENT("StringToHashBucketFast");

WB_OP("StringToHashBucketStrong")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .Attr("key: list(int)")
    .Shape(shapes::Unchanged);
WB_KERNEL("StringToHashBucketStrong", HashBucketStrongKernel).Cpu();
WB_NO_GRADIENT("StringToHashBucketStrong");

}  // namespace
}  // namespace warpbeam
