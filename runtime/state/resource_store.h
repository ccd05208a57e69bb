// ResourceStore: the named objects of a session that outlive its steps: variables, iterators,
// tables.
//
// A resource has a container ("" is the default one), a C++ type and a name, and is known by all
// three, as in TensorFlow: a queue and a variable may have the same name. Handles (DT_RESOURCE
// tensors) name them and carry a code of the type, by which an op refuses what is of another kind
// than it works on; a step holds a counted pointer while it uses one, so that a resource may be
// destroyed meanwhile. A handle may travel to other tasks and back, but names a resource of the
// task whose device it says: a store that knows its tasks refuses the handles of others.
//
//   WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v,
//                       store.LookupOrCreate<Variable>(container, name, make));
//   WB_ASSIGN_OR_RETURN(auto it, store.Lookup<IteratorResource>(handle));
//
// Thread safety: any thread. Errors: NOT_FOUND naming container and name; INVALID_ARGUMENT for a
// handle of a resource of another type or task; ALREADY_EXISTS from Create.
#ifndef WARPBEAM_RUNTIME_STATE_RESOURCE_STORE_H_
#define WARPBEAM_RUNTIME_STATE_RESOURCE_STORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class Resource {
 public:
  virtual ~Resource() = default;
  virtual std::string DebugString() const = 0;
};

// A handle of the resource of type T that has this name, whether it exists or not. `type_name` is
// what TensorFlow's handles say of the type.
template <typename T>
ResourceHandle MakeResourceHandle(std::string device, std::string container, std::string name,
                                  std::string type_name) {
  return {std::move(device),     std::move(container), std::move(name),
          typeid(T).hash_code(), std::move(type_name), {}};
}

class ResourceStore {
 public:
  ResourceStore() = default;
  ResourceStore(const ResourceStore&) = delete;
  ResourceStore& operator=(const ResourceStore&) = delete;

  // The store is that of the task "/job:worker/replica:0/task:0", which may have several names:
  // handles that say a device of another are refused from now on. Without any, no handle's device
  // is looked at.
  void ServeTask(std::string name);

  template <typename T>
  StatusOr<std::shared_ptr<T>> Lookup(const std::string& container, const std::string& name) const {
    WB_ASSIGN_OR_RETURN(std::shared_ptr<Resource> r, Find(container, name, typeid(T)));
    return std::static_pointer_cast<T>(std::move(r));
  }
  template <typename T>
  StatusOr<std::shared_ptr<T>> Lookup(const ResourceHandle& handle) const {
    WB_RETURN_IF_ERROR(Check(handle, typeid(T)));
    return Lookup<T>(handle.container, handle.name);
  }
  template <typename T>
  Status Create(const std::string& container, const std::string& name,
                std::shared_ptr<T> resource) {
    return Insert(container, name, typeid(T), std::move(resource));
  }
  template <typename T>
  Status Create(const ResourceHandle& handle, std::shared_ptr<T> resource) {
    WB_RETURN_IF_ERROR(Check(handle, typeid(T)));
    return Create(handle.container, handle.name, std::move(resource));
  }
  // `make` returns StatusOr<std::shared_ptr<T>> and runs at most once, under the lock.
  template <typename T, typename Make>
  StatusOr<std::shared_ptr<T>> LookupOrCreate(const std::string& container, const std::string& name,
                                              Make make) {
    WB_ASSIGN_OR_RETURN(
        std::shared_ptr<Resource> r,
        FindOrInsert(container, name, typeid(T),
                     [&]() -> StatusOr<std::shared_ptr<Resource>> { return make(); }));
    return std::static_pointer_cast<T>(std::move(r));
  }
  template <typename T, typename Make>
  StatusOr<std::shared_ptr<T>> LookupOrCreate(const ResourceHandle& handle, Make make) {
    WB_RETURN_IF_ERROR(Check(handle, typeid(T)));
    return LookupOrCreate<T>(handle.container, handle.name, std::move(make));
  }
  // Drops the resource of the type that the handle says; the only one of that name if it says none.
  Status Delete(const ResourceHandle& handle);
  // Drops all resources of a container; the default container is "".
  void ClearContainer(const std::string& container);
  void Clear();
  std::vector<std::string> Names() const;
  // Changes whenever a resource is dropped: while it stays the same, a resource found once would be
  // found again, so that kernels may remember what they looked up.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  struct Entry {
    std::type_index type;
    std::shared_ptr<Resource> resource;
  };
  using Key = std::pair<std::string, std::string>;  // container, name

  Status Check(const ResourceHandle& handle, std::type_index type) const;
  // Whether the resource is one of this task's, as far as the handle says.
  Status CheckTask(const ResourceHandle& handle) const;

  StatusOr<std::shared_ptr<Resource>> Find(const std::string& container, const std::string& name,
                                           std::type_index type) const;
  Status Insert(const std::string& container, const std::string& name, std::type_index type,
                std::shared_ptr<Resource> resource);
  StatusOr<std::shared_ptr<Resource>> FindOrInsert(
      const std::string& container, const std::string& name, std::type_index type,
      const std::function<StatusOr<std::shared_ptr<Resource>>()>& make);

  mutable std::mutex mutex_;
  std::map<Key, std::vector<Entry>> entries_;  // at most one of a type; never an empty list
  std::vector<std::string> tasks_;             // the names of the task
  std::atomic<uint64_t> generation_{0};
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STATE_RESOURCE_STORE_H_
