#include "graph/op/op_registry.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "graph/types/nearest_name.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

// Builders of linked-in schemas that nobody has looked up yet. The list needs no construction, so
// that registrations may run in any order before main.
struct PendingSchema {
  OpSchemaBuilder builder;
  PendingSchema* next;
};
std::atomic<PendingSchema*> g_pending{nullptr};
std::mutex g_drain_mutex;

struct GlobalRegistry {
  OpRegistry registry;
  Status status;
};

GlobalRegistry& GlobalInstance() {
  // Never destroyed: nodes of graphs that outlive main point at the schemas.
  static GlobalRegistry* instance = new GlobalRegistry;
  return *instance;
}

void Push(OpSchemaBuilder builder) {
  auto* entry = new PendingSchema{std::move(builder), g_pending.load(std::memory_order_relaxed)};
  while (!g_pending.compare_exchange_weak(entry->next, entry, std::memory_order_acq_rel)) {
  }
}

}  // namespace

OpRegistration::OpRegistration(OpSchemaBuilder& builder) { Push(std::move(builder)); }
OpRegistration::OpRegistration(OpSchemaBuilder&& builder) { Push(std::move(builder)); }

OpRegistry& OpRegistry::Global() {
  GlobalRegistry& global = GlobalInstance();
  if (g_pending.load(std::memory_order_acquire) == nullptr) return global.registry;
  std::lock_guard<std::mutex> lock(g_drain_mutex);
  // Registrations only ever prepend, so the list from here on is this thread's. It is cut off only
  // after its schemas are in: another thread that sees it waits at the lock meanwhile.
  PendingSchema* const first = g_pending.load(std::memory_order_acquire);
  for (PendingSchema* entry = first; entry != nullptr; entry = entry->next) {
    Status added = global.registry.RegisterUnparsed(std::move(entry->builder));
    if (global.status.ok()) global.status = std::move(added);
  }
  PendingSchema* head = first;
  if (!g_pending.compare_exchange_strong(head, nullptr, std::memory_order_acq_rel)) {
    while (head->next != first) head = head->next;
    head->next = nullptr;
  }
  for (PendingSchema* entry = first; entry != nullptr;) {
    PendingSchema* const next = entry->next;
    delete entry;
    entry = next;
  }
  return global.registry;
}

Status OpRegistry::GlobalStatus() {
  const OpRegistry& registry = Global();
  {
    std::lock_guard<std::mutex> lock(g_drain_mutex);
    WB_RETURN_IF_ERROR(GlobalInstance().status);
  }
  return registry.ParseStatus();
}

Status OpRegistry::CheckGlobal() {
  Global().All();
  return GlobalStatus();
}

Status OpRegistry::Register(const OpSchemaBuilder& builder) {
  WB_ASSIGN_OR_RETURN(OpSchema schema, builder.Build());
  return Register(std::move(schema));
}

Status OpRegistry::Register(OpSchema schema) {
  WB_ASSIGN_OR_RETURN(Entry * entry, Add(schema.name));
  entry->parsed = std::make_unique<const OpSchema>(std::move(schema));
  entry->schema.store(entry->parsed.get(), std::memory_order_release);
  return OkStatus();
}

Status OpRegistry::RegisterUnparsed(OpSchemaBuilder builder) {
  WB_ASSIGN_OR_RETURN(Entry * entry, Add(builder.name()));
  entry->builder = std::make_unique<const OpSchemaBuilder>(std::move(builder));
  return OkStatus();
}

StatusOr<OpRegistry::Entry*> OpRegistry::Add(const std::string& name) {
  auto [it, added] = entries_.try_emplace(name);
  if (!added) return AlreadyExists("the op '", name, "' is registered twice");
  it->second = std::make_unique<Entry>();
  return it->second.get();
}

const OpSchema* OpRegistry::Parsed(Entry* entry) const {
  const OpSchema* schema = entry->schema.load(std::memory_order_acquire);
  if (schema != nullptr) return schema;
  std::lock_guard<std::mutex> lock(mutex_);
  if (entry->builder != nullptr) {
    auto built = entry->builder->Build();
    entry->builder.reset();
    if (built.ok()) {
      entry->parsed = std::make_unique<const OpSchema>(*std::move(built));
      entry->schema.store(entry->parsed.get(), std::memory_order_release);
    } else if (fault_.ok()) {
      fault_ = built.status();
    }
  }
  return entry->parsed.get();
}

Status OpRegistry::ParseStatus() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return fault_;
}

const OpSchema* OpRegistry::Find(absl::string_view name) const {
  auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : Parsed(it->second.get());
}

StatusOr<const OpSchema*> OpRegistry::Get(absl::string_view name) const {
  const OpSchema* schema = Find(name);
  if (schema != nullptr) return schema;
  const std::string nearest = Nearest(name);
  return NotFound("the op '", ShownName(name), "' is not known",
                  nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?"),
                  "; link the library that registers it, or add a function of that name to the "
                  "graph's library");
}

std::string OpRegistry::Nearest(absl::string_view name) const {
  NearestName nearest(name);
  for (const auto& entry : entries_) nearest.Offer(entry.first);
  return nearest.name();
}

std::vector<const OpSchema*> OpRegistry::All() const {
  std::vector<const OpSchema*> all;
  all.reserve(entries_.size());
  for (const auto& entry : entries_) {
    const OpSchema* schema = Parsed(entry.second.get());
    if (schema != nullptr) all.push_back(schema);
  }
  std::sort(all.begin(), all.end(),
            [](const OpSchema* a, const OpSchema* b) { return a->name < b->name; });
  return all;
}

}  // namespace warpbeam
