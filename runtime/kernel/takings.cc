#include "runtime/kernel/takings.h"

#include <atomic>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace warpbeam {
namespace {

// Steps and their takings lie apart, so that a step without a deadline pays for one look at a
// number.
struct Scopes {
  std::atomic<int> count{0};
  std::mutex mutex;
  absl::flat_hash_map<const StepContext*, std::shared_ptr<Takings>> of;
};

Scopes& AllScopes() {
  static auto* const scopes = new Scopes();
  return *scopes;
}

}  // namespace

Takings::Scope::Scope(const StepContext* step, std::shared_ptr<Takings> takings) : step_(step) {
  Scopes& scopes = AllScopes();
  std::lock_guard<std::mutex> lock(scopes.mutex);
  scopes.of[step] = std::move(takings);
  scopes.count.store(static_cast<int>(scopes.of.size()), std::memory_order_relaxed);
}

Takings::Scope::~Scope() {
  Scopes& scopes = AllScopes();
  std::shared_ptr<Takings> last;  // what it holds goes without the lock
  std::lock_guard<std::mutex> lock(scopes.mutex);
  const auto at = scopes.of.find(step_);
  last = std::move(at->second);
  scopes.of.erase(at);
  scopes.count.store(static_cast<int>(scopes.of.size()), std::memory_order_relaxed);
}

std::shared_ptr<Takings> Takings::Of(const StepContext* step) {
  Scopes& scopes = AllScopes();
  // Whoever works for a step has seen its scope open.
  if (scopes.count.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard<std::mutex> lock(scopes.mutex);
  const auto at = scopes.of.find(step);
  return at == scopes.of.end() ? nullptr : at->second;
}

void Takings::Add(std::function<void()> give_back) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!given_back_) {
      taken_.push_back(std::move(give_back));
      return;
    }
  }
  give_back();
}

void Takings::HandOn() {
  std::vector<std::function<void()>> taken;  // goes without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  taken.swap(taken_);
}

void Takings::GiveBack() {
  std::vector<std::function<void()>> taken;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    given_back_ = true;
    taken.swap(taken_);
  }
  for (auto give_back = taken.rbegin(); give_back != taken.rend(); ++give_back) (*give_back)();
}

}  // namespace warpbeam
