// SavedModels: an input is a saved_model.pb, loaded beside the variables and assets of two real
// models in turn; what loads is asked for all its signatures.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "frontend/model/model.h"
#include "proto/saved_model.pb.h"
#include "runtime/memory/pool_allocator.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/graph_mutator.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr int64_t kPoolBytes = 64 << 20;
constexpr int64_t kConstantBytes = 16 << 20;
constexpr int64_t kMostNodes = 20'000;
constexpr int64_t kStepMs = 250;
constexpr int kMostSignatures = 3;

// Models that differ from a real one in nothing but saved_model.pb, which is the input.
class ModelFolders {
 public:
  ModelFolders() {
    const char* const base = getenv("TEST_TMPDIR");
    folder_ = absl::StrCat(base != nullptr ? base : "/tmp", "/saved_model_XXXXXX");
    char here[PATH_MAX];
    if (mkdtemp(&folder_[0]) == nullptr || getcwd(here, sizeof here) == nullptr) Fail(folder_);
    for (const char* const name : kModels) {
      if (mkdir((folder_ + "/" + name).c_str(), 0700) != 0) Fail(folder_);
      Link(absl::StrCat(here, "/frontend/model/testdata/", name, "/variables"), name, "variables");
      Link(absl::StrCat(here, "/frontend/model/testdata/", name, "/assets"), name, "assets");
      Link(file_.path(), name, "saved_model.pb");
    }
  }
  ~ModelFolders() {
    for (const char* const name : kModels) {
      const std::string model = folder_ + "/" + name;
      for (const char* const part : {"/variables", "/assets", "/saved_model.pb"}) {
        unlink((model + part).c_str());
      }
      rmdir(model.c_str());
    }
    rmdir(folder_.c_str());
  }
  void Set(absl::string_view input) { file_.Set(input); }
  std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (const char* const name : kModels) all.push_back(folder_ + "/" + name);
    return all;
  }

 private:
  static constexpr const char* kModels[] = {"tf1", "tf2"};

  [[noreturn]] static void Fail(const std::string& what) {
    perror(what.c_str());
    abort();
  }
  void Link(const std::string& to, const std::string& model, const std::string& name) {
    if (symlink(to.c_str(), absl::StrCat(folder_, "/", model, "/", name).c_str()) != 0) Fail(to);
  }

  std::string folder_;
  MemoryFile file_;
};

struct Counts {
  int64_t inputs = 0, loaded = 0, answered = 0;
};
Counts& Counted() {
  static Counts counts;
  return counts;
}

SessionOptions Options() {
  SessionOptions options;
  static const auto* const devices = [] {
    PoolAllocator::Process().set_limit(kPoolBytes);
    auto made = CreateDevices(SessionOptions());
    if (!made.ok()) abort();
    return new std::shared_ptr<DeviceSet>(*std::move(made));
  }();
  options.devices = *devices;
  options.operation_timeout_ms = kStepMs;
  return options;
}

// Two of everything whose number is not said.
StatusOr<Tensor> AnyInput(const TensorPort& port) {
  std::vector<int64_t> dims;
  for (int i = 0; port.shape.has_rank() && i < port.shape.rank(); ++i) {
    dims.push_back(port.shape.dim(i) < 0 ? 2 : port.shape.dim(i));
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(port.dtype, shape, PoolAllocator::Process()));
  if (IsPlainData(port.dtype) && tensor.bytes() > 0) memset(tensor.raw_data(), 0, tensor.bytes());
  return tensor;
}

Status Ask(frontend::Model& model, const std::string& name, const Signature& signature) {
  NamedTensors inputs, outputs;
  for (const auto& [key, port] : signature.inputs) {
    WB_ASSIGN_OR_RETURN(Tensor value, AnyInput(port));
    inputs.emplace_back(key, std::move(value));
  }
  RunOptions options;
  options.timeout_ms = kStepMs;
  return model.Run(name, inputs, &outputs, options);
}

void Run(absl::string_view input) {
  // What a graph may ask for and gets: the end of the process.
  if (absl::StrContains(input, "Abort")) return;
  static ModelFolders folders;  // they go away at exit
  folders.Set(input);
  ++Counted().inputs;
  MetaGraphOptions importing;
  importing.graph.limits.max_nodes = kMostNodes;
  importing.graph.limits.max_expansion = kConstantBytes;
  for (const std::string& path : folders.paths()) {
    const auto model = frontend::LoadSavedModel(Options(), path, {}, importing);
    if (!model.ok()) continue;
    ++Counted().loaded;
    int asked = 0;
    for (const auto& [name, signature] : (*model)->signatures()) {
      if (++asked > kMostSignatures) break;
      if (Ask(**model, name, signature).ok()) ++Counted().answered;
    }
    return;
  }
}

void MutateModel(RandomSource& random, size_t max_size, tensorflow::SavedModel* model) {
  tensorflow::MetaGraphDef& meta =
      *model->mutable_meta_graphs(random.IntBelow(model->meta_graphs_size()));
  if (random.OneIn(2)) return MutateGraph(random, meta.mutable_graph_def());
  tensorflow::MetaGraphDef rest = meta;
  rest.clear_graph_def();
  std::string bytes = WireForm(rest);
  MutateBytes(random, max_size, &bytes);
  if (!rest.ParseFromString(bytes)) return;
  *rest.mutable_graph_def() = meta.graph_def();
  meta = rest;
}

}  // namespace

bool SummarizeRuns(std::string* text) {
  const Counts& counts = Counted();
  absl::StrAppend(text, "of ", counts.inputs, " models ", counts.loaded, " loaded; ",
                  counts.answered, " signatures answered\n");
  return true;
}

}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  tensorflow::SavedModel model;
  if (!random.OneIn(4) && model.ParseFromString(bytes) && model.meta_graphs_size() > 0) {
    warpbeam::fuzz::MutateModel(random, max_size, &model);
    bytes = warpbeam::fuzz::WireForm(model);
    bytes.resize(std::min(bytes.size(), max_size));
  } else {
    warpbeam::fuzz::MutateBytes(random, max_size, &bytes);
  }
  memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
