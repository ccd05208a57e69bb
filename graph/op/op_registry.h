// OpRegistry: the schemas known, by name.
//
// The global registry holds every op linked into the program: a namespace-scope WB_OP adds its
// builder to a list. A schema is parsed when it is first looked up, as a program uses few of a
// thousand. Tests make registries of their own.
//
//   const OpSchema* s = OpRegistry::Global().Find("MatMul");   // null when there is none
//   OpRegistry local;
//   WB_RETURN_IF_ERROR(local.Register(OpSchemaBuilder("Toy").Output("y: float")));
//
// Thread safety: Find may be called from any thread; Register only before the registry is shared
// (static initialisation, or a test's set-up). Errors: ALREADY_EXISTS for a second schema of a
// name; a fault in a linked-in schema is reported by GlobalStatus.
#ifndef WARPBEAM_GRAPH_OP_OP_REGISTRY_H_
#define WARPBEAM_GRAPH_OP_OP_REGISTRY_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/op/op_schema.h"

namespace warpbeam {

class OpRegistry {
 public:
  OpRegistry() = default;
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;

  static OpRegistry& Global();
  // What went wrong so far while linked-in schemas were registered and parsed; OK in a sound build.
  static Status GlobalStatus();
  // The same after parsing all of them: for tests, and tools that go through them.
  static Status CheckGlobal();

  Status Register(const OpSchemaBuilder& builder);
  Status Register(OpSchema schema);
  // The same, but parsed when it is looked up; what is wrong with it then is in ParseStatus, and
  // nobody finds it.
  Status RegisterUnparsed(OpSchemaBuilder builder);
  // The first fault in what has been looked up; All() looks up everything.
  Status ParseStatus() const;
  const OpSchema* Find(absl::string_view name) const;
  // Find, or NOT_FOUND naming the op, the nearest known name if there is one, and what to do.
  StatusOr<const OpSchema*> Get(absl::string_view name) const;
  // The registered name most like `name`, or "" when none is near.
  std::string Nearest(absl::string_view name) const;
  // All schemas, sorted by name.
  std::vector<const OpSchema*> All() const;

 private:
  struct Entry {
    std::atomic<const OpSchema*> schema{nullptr};  // what `parsed` owns
    std::unique_ptr<const OpSchema> parsed;
    std::unique_ptr<const OpSchemaBuilder> builder;  // until it is parsed; under mutex_
  };
  StatusOr<Entry*> Add(const std::string& name);
  const OpSchema* Parsed(Entry* entry) const;

  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_;
  mutable std::mutex mutex_;
  mutable Status fault_;  // the first that parsing found; under mutex_
};

// Moves a builder to the global registry's list; used through WB_OP.
struct OpRegistration {
  OpRegistration(OpSchemaBuilder& builder);   // NOLINT: the macro needs the conversion
  OpRegistration(OpSchemaBuilder&& builder);  // NOLINT: for an op that is only a name
};

}  // namespace warpbeam

// The target that a file of ops belongs to: wb_op_family (tools/bazel/warpbeam.bzl) says it.
#ifndef WB_OP_LIBRARY
#define WB_OP_LIBRARY ""
#endif

#define WB_OP(name)                                                                     \
  static const ::warpbeam::OpRegistration WB_CONCAT(wb_op_registration_, __COUNTER__) = \
      ::warpbeam::OpSchemaBuilder(name, WB_OP_LIBRARY)

#endif  // WARPBEAM_GRAPH_OP_OP_REGISTRY_H_
