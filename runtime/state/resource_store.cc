#include "runtime/state/resource_store.h"

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

std::string Describe(const std::string& container, const std::string& name) {
  return container.empty() ? absl::StrCat("'", name, "'")
                           : absl::StrCat("'", name, "' in container '", container, "'");
}

}  // namespace

absl::StatusOr<std::shared_ptr<Resource>> ResourceStore::Find(const std::string& container,
                                                              const std::string& name,
                                                              std::type_index type) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = entries_.find(Key(container, name));
  if (it == entries_.end()) {
    return NotFound("there is no resource ", Describe(container, name),
                    "; was it created and initialised in this session?");
  }
  if (it->second.type != type) {
    return InvalidArgument("the resource ", Describe(container, name),
                           " is of another type: ", it->second.resource->DebugString());
  }
  return it->second.resource;
}

absl::Status ResourceStore::Insert(const std::string& container, const std::string& name,
                                   std::type_index type, std::shared_ptr<Resource> resource) {
  std::lock_guard<std::mutex> lock(mutex_);
  const bool inserted =
      entries_.emplace(Key(container, name), Entry{type, std::move(resource)}).second;
  if (!inserted) return AlreadyExists("the resource ", Describe(container, name), " exists");
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Resource>> ResourceStore::FindOrInsert(
    const std::string& container, const std::string& name, std::type_index type,
    const std::function<absl::StatusOr<std::shared_ptr<Resource>>()>& make) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = entries_.find(Key(container, name));
  if (it != entries_.end()) {
    if (it->second.type == type) return it->second.resource;
    return InvalidArgument("the resource ", Describe(container, name),
                           " is of another type: ", it->second.resource->DebugString());
  }
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Resource> made, make());
  entries_.emplace(Key(container, name), Entry{type, made});
  return made;
}

absl::Status ResourceStore::Delete(const std::string& container, const std::string& name) {
  std::shared_ptr<Resource> last;  // declared before the lock: destroyed after it
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = entries_.find(Key(container, name));
  if (it == entries_.end()) {
    return NotFound("there is no resource ", Describe(container, name), " to destroy");
  }
  last = std::move(it->second.resource);
  entries_.erase(it);
  generation_.fetch_add(1, std::memory_order_release);
  return absl::OkStatus();
}

void ResourceStore::ClearContainer(const std::string& container) {
  std::vector<std::shared_ptr<Resource>> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->first.first == container) {
      dropped.push_back(std::move(it->second.resource));
      it = entries_.erase(it);
    } else {
      ++it;
    }
  }
  generation_.fetch_add(1, std::memory_order_release);
}

void ResourceStore::Clear() {
  std::map<Key, Entry> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  dropped.swap(entries_);
  generation_.fetch_add(1, std::memory_order_release);
}

std::vector<std::string> ResourceStore::Names() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [key, entry] : entries_) names.push_back(key.second);
  return names;
}

}  // namespace warpbeam
