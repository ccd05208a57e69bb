#include "runtime/state/resource_store.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

// As TensorFlow's messages name a resource, whose default container is "localhost".
std::string Described(const std::string& container, const std::string& name) {
  return absl::StrCat(container.empty() ? "localhost" : container, "/", name);
}

}  // namespace

void ResourceStore::ServeTask(std::string name) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (std::find(tasks_.begin(), tasks_.end(), name) == tasks_.end()) {
    tasks_.push_back(std::move(name));
  }
}

Status ResourceStore::CheckTask(const ResourceHandle& handle) const {
  const std::string& device = handle.device;
  // What names no task is from a graph's text, and says nothing.
  if (!absl::StartsWith(device, "/job:") || !absl::StrContains(device, "/task:")) return OkStatus();
  std::lock_guard<std::mutex> lock(mutex_);
  const auto is_of = [&device](const std::string& task) {
    return absl::StartsWith(device, task) &&
           (device.size() == task.size() || device[task.size()] == '/');
  };
  if (tasks_.empty() || std::any_of(tasks_.begin(), tasks_.end(), is_of)) return OkStatus();
  return InvalidArgument("Trying to access resource ", Described(handle.container, handle.name),
                         " located in device ", device, " from ", tasks_.front(),
                         ": a handle is of use in its own task alone; put the op there");
}

Status ResourceStore::Check(const ResourceHandle& handle, std::type_index type) const {
  WB_RETURN_IF_ERROR(CheckTask(handle));
  // A handle from a graph's text may say nothing.
  if (handle.hash_code == 0 || handle.hash_code == type.hash_code()) return OkStatus();
  return InvalidArgument("Trying to access a handle's resource using the wrong type: Resource ",
                         Described(handle.container, handle.name),
                         " is of another type than the op works on: ", handle.type_name);
}

StatusOr<std::shared_ptr<Resource>> ResourceStore::Find(const std::string& container,
                                                        const std::string& name,
                                                        std::type_index type) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string others;
  if (auto at = entries_.find(Key(container, name)); at != entries_.end()) {
    for (const Entry& entry : at->second) {
      if (entry.type == type) return entry.resource;
    }
    others = absl::StrCat(" What has this name is ", at->second[0].resource->DebugString(), ".");
  }
  return NotFound("Resource ", Described(container, name), " does not exist.", others,
                  " Was it created and initialised in this session?");
}

Status ResourceStore::Insert(const std::string& container, const std::string& name,
                             std::type_index type, std::shared_ptr<Resource> resource) {
  bool inserted = false;
  WB_RETURN_IF_ERROR(FindOrInsert(container, name, type, [&] {
                       inserted = true;
                       return StatusOr<std::shared_ptr<Resource>>(std::move(resource));
                     }).status());
  if (!inserted) return AlreadyExists("Resource ", Described(container, name), " exists");
  return OkStatus();
}

StatusOr<std::shared_ptr<Resource>> ResourceStore::FindOrInsert(
    const std::string& container, const std::string& name, std::type_index type,
    const std::function<StatusOr<std::shared_ptr<Resource>>()>& make) {
  std::lock_guard<std::mutex> lock(mutex_);
  const Key key(container, name);
  if (auto at = entries_.find(key); at != entries_.end()) {
    for (const Entry& entry : at->second) {
      if (entry.type == type) return entry.resource;
    }
  }
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Resource> made, make());
  entries_[key].push_back({type, made});
  return made;
}

Status ResourceStore::Delete(const ResourceHandle& handle) {
  WB_RETURN_IF_ERROR(CheckTask(handle));
  std::shared_ptr<Resource> last;  // declared before the lock: destroyed after it
  std::lock_guard<std::mutex> lock(mutex_);
  const auto at = entries_.find(Key(handle.container, handle.name));
  if (at != entries_.end()) {
    std::vector<Entry>& entries = at->second;
    if (handle.hash_code == 0 && entries.size() > 1) {
      return InvalidArgument("the handle does not say which of the ", entries.size(), " resources ",
                             Described(handle.container, handle.name),
                             " it names: they are of different types");
    }
    for (auto it = entries.begin(); it != entries.end(); ++it) {
      if (handle.hash_code != 0 && handle.hash_code != it->type.hash_code()) continue;
      last = std::move(it->resource);
      entries.erase(it);
      if (entries.empty()) entries_.erase(at);
      generation_.fetch_add(1, std::memory_order_release);
      return OkStatus();
    }
  }
  return NotFound("Resource ", Described(handle.container, handle.name), " does not exist.");
}

void ResourceStore::ClearContainer(const std::string& container) {
  std::vector<std::vector<Entry>> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->first.first == container) {
      dropped.push_back(std::move(it->second));
      it = entries_.erase(it);
    } else {
      ++it;
    }
  }
  generation_.fetch_add(1, std::memory_order_release);
}

void ResourceStore::Clear() {
  std::map<Key, std::vector<Entry>> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  dropped.swap(entries_);
  generation_.fetch_add(1, std::memory_order_release);
}

std::vector<std::string> ResourceStore::Names() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [key, entries] : entries_)
    names.resize(names.size() + entries.size(), key.second);
  return names;
}

}  // namespace warpbeam
