// NCCL, as far as we call it: communicators of ranks that join by an id, those of one process or of
// several tasks that a test has in its process.
//
// As with the real one a rank's part of a collective is enqueued on its stream, and happens when
// all ranks' streams have come to theirs: a stream waits until then, or until the communicator is
// aborted. What it reads and writes is known (order.h). Reductions are computed in the order of the
// ranks. What ranks do not agree on is refused, where the real one would hang or compute something
// else.
//
// Communicators do not block: what is asked for happens only while one is asked for its state, for
// the second time; until then nothing else may be asked of it. An abort ends the waiting of its own
// rank alone. While the environment's NCCL_STAND_IN_HANGS is the number of a GPU, nothing that is
// asked of its ranks happens.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/types/number.h"
#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/order.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace stand_in = warpbeam::cuda_stand_in;
using stand_in::Leftovers;
using stand_in::Use;

namespace {

enum class Kind { kAllReduce, kReduceScatter, kBroadcast, kAllGather };

// What one rank asks for, and what all ranks have to agree on.
struct Terms {
  Kind kind;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  int root;
  bool operator==(const Terms& other) const {
    return std::tie(kind, count, type, op, root) ==
           std::tie(other.kind, other.count, other.type, other.op, other.root);
  }
};

size_t BytesOf(ncclDataType_t type) {
  switch (type) {
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclFloat32:
      return 4;
    default:
      return 8;
  }
}

template <class T>
void Reduce(void* out, const void* in, size_t count, ncclRedOp_t op) {
  T* const y = static_cast<T*>(out);
  const T* const x = static_cast<const T*>(in);
  for (size_t i = 0; i < count; ++i) {
    switch (op) {
      case ncclSum:
        y[i] = static_cast<T>(y[i] + x[i]);
        break;
      case ncclProd:
        y[i] = static_cast<T>(y[i] * x[i]);
        break;
      case ncclMin:
        y[i] = x[i] < y[i] ? x[i] : y[i];
        break;
      default:
        y[i] = y[i] < x[i] ? x[i] : y[i];
    }
  }
}

void ReduceAny(ncclDataType_t type, void* out, const void* in, size_t count, ncclRedOp_t op) {
  switch (type) {
    case ncclFloat16:
      return Reduce<warpbeam::Half>(out, in, count, op);
    case ncclBfloat16:
      return Reduce<warpbeam::BFloat16>(out, in, count, op);
    case ncclFloat32:
      return Reduce<float>(out, in, count, op);
    case ncclFloat64:
      return Reduce<double>(out, in, count, op);
    case ncclInt32:
      return Reduce<int32_t>(out, in, count, op);
    default:
      return Reduce<int64_t>(out, in, count, op);
  }
}

// One collective of all ranks.
struct Round {
  explicit Round(Terms of, size_t ranks) : terms(of), in(ranks), out(ranks) {}
  const Terms terms;
  std::vector<const char*> in;
  std::vector<char*> out;
  size_t asked = 0, arrived = 0;
  bool is_done = false;

  void Compute() {
    const size_t bytes = terms.count * BytesOf(terms.type), n = in.size();
    const auto reduced = [&](size_t offset) {
      std::vector<char> all(in[0] + offset, in[0] + offset + bytes);
      for (size_t r = 1; r < n; ++r) {
        ReduceAny(terms.type, all.data(), in[r] + offset, terms.count, terms.op);
      }
      return all;
    };
    std::vector<std::vector<char>> results(n);
    for (size_t r = 0; r < n; ++r) {
      switch (terms.kind) {
        case Kind::kAllReduce:
          results[r] = reduced(0);
          break;
        case Kind::kReduceScatter:
          results[r] = reduced(r * bytes);
          break;
        case Kind::kBroadcast:
          results[r].assign(in[terms.root], in[terms.root] + bytes);
          break;
        case Kind::kAllGather:
          for (size_t from = 0; from < n; ++from) {
            results[r].insert(results[r].end(), in[from], in[from] + bytes);
          }
      }
    }
    // In place is allowed: all is read before anything is written.
    for (size_t r = 0; r < n; ++r) std::memcpy(out[r], results[r].data(), results[r].size());
  }
};

// What the ranks of one communicator share.
struct World {
  explicit World(size_t ranks) : has_joined(ranks), is_aborted(ranks), begun(ranks) {}
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> has_joined, is_aborted;          // by rank
  std::set<int> gpus;                                // of those that have joined
  std::vector<int64_t> begun;                        // collectives, by rank
  std::map<int64_t, std::shared_ptr<Round>> rounds;  // by number, until all ranks have asked
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> sent;  // by sender and receiver
  ncclResult_t error = ncclSuccess;                                   // asynchronous

  bool is_whole() const { return gpus.size() == has_joined.size(); }
  bool IsAborted(int rank) const { return is_aborted[static_cast<size_t>(rank)]; }
  bool HasAborts() const {
    return std::find(is_aborted.begin(), is_aborted.end(), true) != is_aborted.end();
  }
  template <class Condition>
  bool Wait(std::unique_lock<std::mutex>& lock, int rank, const Condition& condition) {
    changed.wait(lock, [&] { return IsAborted(rank) || condition(); });
    return !IsAborted(rank);
  }
};

// Those that ranks still join, by id.
struct Joining {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<World>> worlds;
};
Joining& TheJoining() {
  static auto* const joining = new Joining;
  return *joining;
}

}  // namespace

struct ncclComm {
  std::shared_ptr<World> world;
  int rank;
  int gpu;
  std::vector<std::function<ncclResult_t()>> held = {};  // until its state is asked for
  int times_asked = 0;                                   // since something is held
};

namespace {

struct Comms {
  std::mutex mutex;
  std::set<ncclComm_t> all;
};
Comms& TheComms() {
  static auto* const comms = new Comms;
  return *comms;
}
bool Exists(ncclComm_t comm) {
  std::lock_guard<std::mutex> lock(TheComms().mutex);
  return TheComms().all.count(comm) > 0;
}

bool Hangs(int gpu) {
  const char* const hanging = std::getenv("NCCL_STAND_IN_HANGS");
  return hanging != nullptr && std::atoi(hanging) == gpu;
}

// What the calling thread's group holds.
struct Message {
  bool is_sent;
  int peer;
  char* at;
  size_t bytes;
};
struct Part {
  ncclComm_t comm;
  cudaStream_t stream;
  bool is_collective;
  const char* function;  // the name of the call
  Terms terms;           // of a collective
  const char* in;
  char* out;
  std::vector<Message> messages;  // otherwise
};
thread_local int depth = 0;
thread_local std::vector<Part> group;
thread_local ncclResult_t group_result = ncclSuccess;

// Work of a rank in the order of its stream, which counts as a function of it (FaultAt).
ncclResult_t EnqueuePart(cudaStream_t stream, const char* function, std::vector<Use> uses,
                         std::function<void()> work) {
  const int gpu = stand_in::GpuOf(stream);
  if (gpu < 0) return ncclInvalidArgument;
  if (stand_in::HasFaulted(gpu)) return ncclUnhandledCudaError;
  stand_in::Enqueue(stream, function, std::move(uses), [gpu, work = std::move(work)] {
    if (!stand_in::FaultsNow(gpu)) work();
  });
  return ncclSuccess;
}

// Of a collective: a broadcast reads the root's memory alone.
std::vector<Use> UsesOf(const Part& part) {
  const Terms& terms = part.terms;
  const size_t piece = terms.count * BytesOf(terms.type);
  const size_t all = piece * part.comm->world->begun.size();
  std::vector<Use> uses = {{part.out, terms.kind == Kind::kAllGather ? all : piece, true}};
  if (terms.kind != Kind::kBroadcast || terms.root == part.comm->rank) {
    uses.push_back({part.in, terms.kind == Kind::kReduceScatter ? all : piece, false});
  }
  return uses;
}
std::vector<Use> UsesOf(const std::vector<Message>& messages) {
  std::vector<Use> uses;
  for (const Message& message : messages) {
    uses.push_back({message.at, message.bytes, !message.is_sent});
  }
  return uses;
}

// The round of a rank's next collective; null where others ask for something else.
std::shared_ptr<Round> RoundOf(const Part& part) {
  World& world = *part.comm->world;
  std::lock_guard<std::mutex> lock(world.mutex);
  const int64_t number = world.begun[part.comm->rank]++;
  std::shared_ptr<Round>& round = world.rounds[number];
  if (round == nullptr) round = std::make_shared<Round>(part.terms, world.begun.size());
  if (!(round->terms == part.terms)) return nullptr;
  const std::shared_ptr<Round> found = round;
  found->in[part.comm->rank] = part.in;
  found->out[part.comm->rank] = part.out;
  if (++found->asked == world.begun.size()) world.rounds.erase(number);
  return found;
}

ncclResult_t LaunchCollective(const Part& part) {
  const std::shared_ptr<Round> round = RoundOf(part);
  if (round == nullptr) return ncclInvalidUsage;
  const auto compute = [world = part.comm->world, rank = part.comm->rank, round] {
    std::unique_lock<std::mutex> lock(world->mutex);
    // The memory of a rank that has been aborted may be another's by now.
    if (++round->arrived == round->in.size() && !world->HasAborts()) {
      round->Compute();
      round->is_done = true;
      world->changed.notify_all();
    }
    world->Wait(lock, rank, [&] { return round->is_done; });
  };
  return EnqueuePart(part.stream, part.function, UsesOf(part), compute);
}

// All of a rank's messages at once: none waits for another.
ncclResult_t LaunchMessages(const Part& part) {
  const auto exchange = [world = part.comm->world, rank = part.comm->rank,
                         messages = part.messages] {
    std::unique_lock<std::mutex> lock(world->mutex);
    for (const Message& message : messages) {
      if (!message.is_sent) continue;
      world->sent[{rank, message.peer}].emplace_back(message.at, message.at + message.bytes);
    }
    world->changed.notify_all();
    for (const Message& message : messages) {
      if (message.is_sent) continue;
      auto& come = world->sent[{message.peer, rank}];
      if (!world->Wait(lock, rank, [&] { return !come.empty(); })) return;
      if (come.front().size() == message.bytes) {
        std::memcpy(message.at, come.front().data(), message.bytes);
      } else {
        world->error = ncclInvalidUsage;
      }
      come.pop_front();
    }
  };
  return EnqueuePart(part.stream, "ncclSend and ncclRecv", UsesOf(part.messages), exchange);
}

// When the state of the part's communicator is asked for.
ncclResult_t Launch(ncclResult_t (*launch)(const Part&), const Part& part) {
  std::lock_guard<std::mutex> lock(part.comm->world->mutex);
  part.comm->held.push_back([launch, part] { return launch(part); });
  part.comm->times_asked = 0;
  return ncclInProgress;
}

ncclResult_t LaunchGroup() {
  std::vector<Part> parts;
  parts.swap(group);
  if (const ncclResult_t result = std::exchange(group_result, ncclSuccess); result != ncclSuccess) {
    return result;
  }
  std::map<std::pair<ncclComm_t, cudaStream_t>, Part> messages;
  ncclResult_t last = ncclSuccess;
  const auto fails = [&last](ncclResult_t result) {
    last = result == ncclSuccess ? last : result;
    return result != ncclSuccess && result != ncclInProgress;
  };
  for (const Part& part : parts) {
    if (part.is_collective) {
      if (fails(Launch(&LaunchCollective, part))) return last;
      continue;
    }
    const auto [of, is_new] = messages.try_emplace({part.comm, part.stream}, part);
    if (!is_new) of->second.messages.push_back(part.messages[0]);
  }
  for (const auto& [key, part] : messages) {
    if (fails(Launch(&LaunchMessages, part))) return last;
  }
  return last;
}

// In a group, or by itself.
ncclResult_t Add(Part part) {
  ncclResult_t result = ncclSuccess;
  if (stand_in::MustFail(part.function)) {
    result = ncclInternalError;
  } else if (!Exists(part.comm)) {
    result = ncclInvalidArgument;
  } else {
    std::lock_guard<std::mutex> lock(part.comm->world->mutex);
    const World& world = *part.comm->world;
    const bool is_ready = world.is_whole() && part.comm->held.empty();
    if (world.IsAborted(part.comm->rank) || !is_ready) result = ncclInvalidUsage;
  }
  if (result != ncclSuccess) {
    if (depth > 0) group_result = result;
    return result;
  }
  group.push_back(std::move(part));
  return depth > 0 ? ncclSuccess : LaunchGroup();
}

Part Collective(const char* function, ncclComm_t comm, cudaStream_t stream, Terms terms,
                const void* in, void* out) {
  return {comm,
          stream,
          true,
          function,
          terms,
          static_cast<const char*>(stand_in::HostAddress(in)),
          static_cast<char*>(stand_in::HostAddress(out)),
          {}};
}

}  // namespace

void stand_in::FailUnderWay() {
  std::lock_guard<std::mutex> lock(TheComms().mutex);
  for (const ncclComm_t comm : TheComms().all) {
    std::lock_guard<std::mutex> of_world(comm->world->mutex);
    comm->world->error = ncclSystemError;
  }
}

extern "C" {

const char* ncclGetErrorString(ncclResult_t) { return "an error of the stand-in"; }

ncclResult_t ncclGetVersion(int* version) {
  if (stand_in::MustFail(__func__)) return ncclInternalError;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  if (stand_in::MustFail(__func__)) return ncclSystemError;
  static std::atomic<int> last{0};
  *id = {};
  std::snprintf(id->internal, sizeof(id->internal), "communicator %d of the stand-in", ++last);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  const int gpu = stand_in::CurrentGpu();
  if (stand_in::MustFail(__func__)) return ncclSystemError;
  if (stand_in::HasFaulted(gpu)) return ncclUnhandledCudaError;
  if (config->blocking != 0 || rank < 0 || rank >= size) return ncclInvalidArgument;
  std::shared_ptr<World> world;
  bool misfit = false;
  {
    std::lock_guard<std::mutex> lock(TheJoining().mutex);
    std::weak_ptr<World>& known = TheJoining().worlds[id.internal];
    world = known.lock();
    if (world == nullptr) known = world = std::make_shared<World>(static_cast<size_t>(size));
  }
  {
    std::lock_guard<std::mutex> lock(world->mutex);
    const bool fits = world->has_joined.size() == static_cast<size_t>(size);
    if (fits && !world->has_joined[static_cast<size_t>(rank)] && world->gpus.insert(gpu).second) {
      world->has_joined[static_cast<size_t>(rank)] = true;
    } else {
      world->error = ncclInvalidUsage;
      misfit = true;
    }
  }
  if (misfit) {
    world = std::make_shared<World>(static_cast<size_t>(size));
    world->error = ncclInvalidUsage;
  }
  std::lock_guard<std::mutex> lock(TheComms().mutex);
  *comm = new ncclComm{world, rank, gpu};
  (*comm)->held.push_back([] { return ncclSuccess; });  // that it has joined
  TheComms().all.insert(*comm);
  stand_in::Count(&Leftovers::communicators, 1);
  return ncclInProgress;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!Exists(comm)) return ncclInvalidArgument;
  {
    std::lock_guard<std::mutex> lock(comm->world->mutex);
    comm->world->is_aborted[static_cast<size_t>(comm->rank)] = true;
    comm->world->changed.notify_all();
  }
  {
    std::lock_guard<std::mutex> lock(TheComms().mutex);
    TheComms().all.erase(comm);
  }
  delete comm;
  stand_in::Count(&Leftovers::communicators, -1);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  if (stand_in::MustFailByName(__func__)) return ncclInternalError;
  if (!Exists(comm)) return ncclInvalidArgument;
  std::vector<std::function<ncclResult_t()>> held;
  {
    std::lock_guard<std::mutex> lock(comm->world->mutex);
    *error = comm->world->error;
    const bool waits = !comm->world->is_whole() || !comm->held.empty();
    if (*error == ncclSuccess && waits) *error = ncclInProgress;
    const bool may_happen = comm->world->is_whole() && !comm->held.empty() && !Hangs(comm->gpu);
    if (*error != ncclInProgress || !may_happen || ++comm->times_asked < 2) return ncclSuccess;
    held.swap(comm->held);
  }
  *error = ncclSuccess;
  for (const auto& launch : held) {
    if (const ncclResult_t result = launch(); result != ncclSuccess) *error = result;
  }
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  if (stand_in::MustFail(__func__)) return ncclInternalError;
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (depth == 0) return ncclInvalidUsage;
  if (--depth > 0) return ncclSuccess;
  if (stand_in::MustFail(__func__)) group_result = ncclInternalError;
  return LaunchGroup();
}

ncclResult_t ncclAllReduce(const void* in, void* out, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return Add(Collective(__func__, comm, stream, {Kind::kAllReduce, count, type, op, 0}, in, out));
}

ncclResult_t ncclReduceScatter(const void* in, void* out, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return Add(
      Collective(__func__, comm, stream, {Kind::kReduceScatter, count, type, op, 0}, in, out));
}

ncclResult_t ncclBroadcast(const void* in, void* out, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return Add(
      Collective(__func__, comm, stream, {Kind::kBroadcast, count, type, ncclSum, root}, in, out));
}

ncclResult_t ncclAllGather(const void* in, void* out, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return Add(
      Collective(__func__, comm, stream, {Kind::kAllGather, count, type, ncclSum, 0}, in, out));
}

ncclResult_t ncclSend(const void* in, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  Part part = {comm, stream, false, __func__, {}, nullptr, nullptr, {}};
  part.messages.push_back(
      {true, peer, static_cast<char*>(stand_in::HostAddress(in)), count * BytesOf(type)});
  return Add(std::move(part));
}

ncclResult_t ncclRecv(void* out, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  Part part = {comm, stream, false, __func__, {}, nullptr, nullptr, {}};
  part.messages.push_back(
      {false, peer, static_cast<char*>(stand_in::HostAddress(out)), count * BytesOf(type)});
  return Add(std::move(part));
}

}  // extern "C"
