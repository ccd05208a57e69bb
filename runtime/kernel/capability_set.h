// CapabilitySet: what ops may do in a session besides computing. What an op does, its schema says
// (OpSchema::capability); a node whose op may not run gets no kernel.
//
//   WB_ASSIGN_OR_RETURN(CapabilitySet allowed, CapabilitySet::Parse("read"));
//   WB_RETURN_IF_ERROR(allowed.Check(node.op()));
//
// Thread safety: a value. Errors: PERMISSION_DENIED saying what the op needs and how to allow it.
#ifndef WARPBEAM_RUNTIME_KERNEL_CAPABILITY_SET_H_
#define WARPBEAM_RUNTIME_KERNEL_CAPABILITY_SET_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"
#include "graph/op/op_schema.h"
#include "graph/types/errors.h"

namespace warpbeam {

class CapabilitySet {
 public:
  constexpr CapabilitySet() = default;  // none
  constexpr CapabilitySet(std::initializer_list<Capability> capabilities) {
    for (Capability c : capabilities) bits_ |= Bit(c);
  }
  static constexpr CapabilitySet All() {
    return {Capability::kReadFile, Capability::kWriteFile, Capability::kNetwork};
  }
  // "read", "write", "file" (both) and "network", separated by commas; "all"; "none".
  // INVALID_ARGUMENT for another word, naming those that there are.
  static StatusOr<CapabilitySet> Parse(absl::string_view text);

  constexpr bool Has(Capability c) const { return c == Capability::kNone || (bits_ & Bit(c)) != 0; }
  constexpr bool HasAll(CapabilitySet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr friend bool operator==(CapabilitySet a, CapabilitySet b) { return a.bits_ == b.bits_; }
  std::string ToString() const;  // as Parse takes it

  Status Check(const OpSchema& op) const;

 private:
  static constexpr uint32_t Bit(Capability c) { return uint32_t{1} << static_cast<int>(c); }
  uint32_t bits_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_CAPABILITY_SET_H_
