#include "tests/conformance/library_session.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "frontend/c/c_api.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

// An opened library.
class Library {
 public:
  explicit Library(void* handle) : handle_(handle) {}
  // Ends the process where there is none: a library that is tested has them all.
  void* Find(const char* name) const {
    void* const function = dlsym(handle_, name);
    if (function == nullptr) {
      fprintf(stderr, "the library has no function %s\n", name);
      abort();
    }
    return function;
  }

 private:
  void* const handle_;
};

// The library's function of this name.
#define WB_OF(library, name) reinterpret_cast<decltype(&::name)>((library).Find(#name))

StatusOr<const Library*> Open(const std::string& path) {
  static auto* const opened = new std::map<std::string, const Library*>;
  if (const auto found = opened->find(path); found != opened->end()) return found->second;
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return NotFound("cannot open the library: ", dlerror());
  return (*opened)[path] = new Library(handle);
}

// A status of the library's, and what it says as one of ours.
class LibraryStatus {
 public:
  explicit LibraryStatus(const Library& library) : library_(library) {
    status_ = WB_OF(library_, wb_status_new)();
  }
  LibraryStatus(const LibraryStatus&) = delete;
  LibraryStatus& operator=(const LibraryStatus&) = delete;
  ~LibraryStatus() { WB_OF(library_, wb_status_delete)(status_); }
  wb_status* get() { return status_; }
  Status Take() const {
    const int code = WB_OF(library_, wb_status_code)(status_);
    return Status(static_cast<StatusCode>(code), WB_OF(library_, wb_status_message)(status_));
  }

 private:
  const Library& library_;
  wb_status* status_;
};

class LibrarySession final : public Session {
 public:
  explicit LibrarySession(const Library& library) : library_(library) {}
  ~LibrarySession() override { WB_OF(library_, wb_session_delete)(session_); }

  Status Create(const SessionOptions& options, const std::string& graph_def) {
    LibraryStatus status(library_);
    wb_options* const made = WB_OF(library_, wb_options_new)();
    const std::pair<const char*, int64_t> numbers[] = {
        {"cpu_devices", options.cpu_devices},
        {"simulated_gpus", options.simulated_gpus},
        {"intra_op_threads", options.intra_op_threads},
        {"allow_soft_placement", options.allow_soft_placement ? 1 : 0},
        {"deterministic", options.deterministic ? 1 : 0}};
    for (const auto& [name, value] : numbers) {
      if (status.Take().ok()) WB_OF(library_, wb_options_set_int)(made, name, value, status.get());
    }
    if (status.Take().ok()) {
      WB_OF(library_, wb_options_set_string)(made, "passes", options.passes.c_str(), status.get());
    }
    WB_OF(library_, wb_options_log_placement)(made, &LibrarySession::Keep, &placed_);
    if (status.Take().ok()) {
      session_ = WB_OF(library_, wb_session_of_graph)(graph_def.data(), graph_def.size(), made,
                                                      status.get());
    }
    WB_OF(library_, wb_options_delete)(made);
    return status.Take();
  }

  Status Run(const RunOptions&, const NamedTensors& feeds, const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets, std::vector<Tensor>* fetched,
             RunMetadata*) override {
    std::vector<const char*> feed_names, fetch_names, target_names;
    std::vector<wb_tensor*> given, got(fetches.size(), nullptr);
    Status status;
    for (const auto& [name, value] : feeds) {
      feed_names.push_back(name.c_str());
      given.push_back(ToLibrary(value, &status));
    }
    for (const std::string& name : fetches) fetch_names.push_back(name.c_str());
    for (const std::string& name : targets) target_names.push_back(name.c_str());
    if (status.ok()) {
      LibraryStatus ran(library_);
      WB_OF(library_, wb_session_run)
      (session_, feed_names.data(), given.data(), static_cast<int>(given.size()),
       fetch_names.data(), got.data(), static_cast<int>(got.size()), target_names.data(),
       static_cast<int>(target_names.size()), ran.get());
      status = ran.Take();
    }
    fetched->clear();
    for (wb_tensor* tensor : got) {
      if (status.ok()) fetched->push_back(FromLibrary(tensor, &status));
      WB_OF(library_, wb_tensor_delete)(tensor);
    }
    for (wb_tensor* tensor : given) WB_OF(library_, wb_tensor_delete)(tensor);
    return status;
  }

  Status Close(int64_t) override {
    LibraryStatus status(library_);
    WB_OF(library_, wb_session_close)(session_, status.get());
    return status.Take();
  }

  std::vector<std::string> DeviceNames() const override {
    std::vector<std::string> names;
    for (int i = 0; i < WB_OF(library_, wb_session_num_devices)(session_); ++i) {
      names.emplace_back(WB_OF(library_, wb_session_device)(session_, i));
    }
    return names;
  }

  Status Extend(const std::function<Status(Graph&)>&) override { return NotInC("Extend"); }
  Status Prepare(const std::vector<std::string>&, const std::vector<std::string>&,
                 const std::vector<std::string>&) override {
    return NotInC("Prepare");
  }
  StatusOr<CallableHandle> MakeCallable(const CallableOptions&) override {
    return NotInC("MakeCallable");
  }
  Status RunCallable(CallableHandle, Span<const Tensor>, std::vector<Tensor>*, RunMetadata*,
                     Cancellation*) override {
    return NotInC("RunCallable");
  }
  Status ReleaseCallable(CallableHandle) override { return NotInC("ReleaseCallable"); }
  StatusOr<std::string> PartialRunSetup(const std::vector<std::string>&,
                                        const std::vector<std::string>&,
                                        const std::vector<std::string>&) override {
    return NotInC("PartialRunSetup");
  }
  Status PartialRun(const std::string&, const NamedTensors&, const std::vector<std::string>&,
                    std::vector<Tensor>*, Cancellation*) override {
    return NotInC("PartialRun");
  }
  // Of each node that the library has told of: its name and its device.
  StatusOr<PlacementReport> Placement() override {
    PlacementReport report;
    for (const std::string& line : placed_) {
      const size_t op = line.find(": ("), device = line.rfind("): ");
      if (op == std::string::npos || device == std::string::npos) {
        return Internal("no line of a placement: ", line);
      }
      PlacementEntry entry;
      entry.node = line.substr(0, op);
      entry.assigned = line.substr(device + 3);
      report.nodes.push_back(std::move(entry));
    }
    return report;
  }

 private:
  static void Keep(const char* line, void* lines) {
    static_cast<std::vector<std::string>*>(lines)->emplace_back(line);
  }
  static Status NotInC(const char* what) { return Unimplemented("the C API has no ", what); }

  wb_tensor* ToLibrary(const Tensor& value, Status* status) const {
    LibraryStatus made(library_);
    const auto dims = value.shape().dims();
    wb_tensor* const tensor = WB_OF(library_, wb_tensor_new)(static_cast<wb_dtype>(value.dtype()),
                                                             dims.data(), value.rank(), made.get());
    if (tensor != nullptr && value.dtype() == DType::kString) {
      for (int64_t i = 0; i < value.num_elements(); ++i) {
        const std::string& text = value.flat<std::string>()[static_cast<size_t>(i)];
        WB_OF(library_, wb_tensor_set_string)(tensor, i, text.data(), text.size(), made.get());
      }
    } else if (tensor != nullptr && value.bytes() > 0) {
      memcpy(WB_OF(library_, wb_tensor_data)(tensor), value.raw_data(), value.bytes());
    }
    status->Update(made.Take());
    return tensor;
  }

  Tensor FromLibrary(wb_tensor* tensor, Status* status) const {
    std::vector<int64_t> dims;
    for (int i = 0; i < WB_OF(library_, wb_tensor_rank)(tensor); ++i) {
      dims.push_back(WB_OF(library_, wb_tensor_dim)(tensor, i));
    }
    const auto dtype = static_cast<DType>(WB_OF(library_, wb_tensor_dtype)(tensor));
    const StatusOr<Shape> shape = Shape::Make(dims);
    StatusOr<Tensor> value =
        shape.ok() ? Tensor::Allocate(dtype, *shape) : StatusOr<Tensor>(shape.status());
    if (!value.ok()) {
      status->Update(value.status());
      return Tensor();
    }
    if (dtype == DType::kString) {
      LibraryStatus read(library_);
      for (int64_t i = 0; i < value->num_elements(); ++i) {
        size_t size = 0;
        const char* text = WB_OF(library_, wb_tensor_string)(tensor, i, &size, read.get());
        if (text != nullptr) value->data<std::string>()[i].assign(text, size);
      }
      status->Update(read.Take());
    } else if (value->bytes() > 0 && WB_OF(library_, wb_tensor_data)(tensor) != nullptr) {
      memcpy(value->raw_data(), WB_OF(library_, wb_tensor_data)(tensor), value->bytes());
    }
    return *std::move(value);
  }

  const Library& library_;
  wb_session* session_ = nullptr;
  std::vector<std::string> placed_;
};

}  // namespace

StatusOr<std::unique_ptr<Session>> OpenLibrarySession(const std::string& path,
                                                      const SessionOptions& options,
                                                      const std::string& graph_def) {
  WB_ASSIGN_OR_RETURN(const Library* library, Open(path));
  auto session = std::make_unique<LibrarySession>(*library);
  WB_RETURN_IF_ERROR(session->Create(options, graph_def));
  return session;
}

}  // namespace warpbeam
