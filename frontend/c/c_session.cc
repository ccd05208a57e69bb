#include "frontend/c/c_types.h"
#include "frontend/model/model_kind.h"
#include "graph/graph.h"
#include "graph/io/graph_import.h"

namespace warpbeam {
namespace frontend {
namespace {

using SessionHandle = std::unique_ptr<wb_session>;

StatusOr<SessionHandle> HandleOf(OpenedModel opened) {
  auto handle = std::make_unique<wb_session>();
  handle->opened = std::move(opened);
  return handle;
}

StatusOr<SessionHandle> OpenPath(const std::string& path, OpenOptions options) {
  if (KindOf(path) == ModelKind::kCheckpoint) {
    return InvalidArgument(path, " is a checkpoint, which has values but no graph: open the ",
                           ".meta file beside it");
  }
  // A graph comes from elsewhere, too, as a model does.
  if (!options.session.allow.has_value()) {
    WB_ASSIGN_OR_RETURN(options.session.allow, CapabilitySet::Parse("read"));
  }
  WB_ASSIGN_OR_RETURN(OpenedModel opened, OpenModel(path, options));
  return HandleOf(std::move(opened));
}

StatusOr<SessionHandle> OpenGraph(absl::string_view graph_def, const OpenOptions& options) {
  OpenedModel opened;
  opened.own_graph = std::make_shared<Graph>();
  WB_RETURN_IF_ERROR(ImportGraphDef(graph_def, options.import, opened.own_graph.get()));
  WB_ASSIGN_OR_RETURN(opened.own, Session::Create(options.session, opened.own_graph));
  return HandleOf(std::move(opened));
}

wb_session* Given(StatusOr<SessionHandle> handle, wb_status* status) {
  SetStatus(status, handle.status());
  if (!handle.ok()) return nullptr;
  (*handle)->devices = (*handle)->session().DeviceNames();
  return handle->release();
}

OpenOptions OrDefaults(const wb_options* options) {
  return options == nullptr ? OpenOptions() : options->open;
}

// `count` names; `what` is how the argument is called.
StatusOr<std::vector<std::string>> Names(const char* const* names, int count, const char* what) {
  if (count < 0) return InvalidArgument("a negative number of ", what, ": ", count);
  if (count > 0 && names == nullptr) return Missing(what);
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) {
    if (names[i] == nullptr) return InvalidArgument("NULL among ", what, ", at ", i);
    all.emplace_back(names[i]);
  }
  return all;
}

StatusOr<std::vector<Tensor>> Values(wb_tensor* const* tensors, size_t count, const char* what) {
  if (count > 0 && tensors == nullptr) return Missing(what);
  std::vector<Tensor> all;
  for (size_t i = 0; i < count; ++i) {
    if (tensors[i] == nullptr) return InvalidArgument("NULL among ", what, ", at ", i);
    all.push_back(tensors[i]->value);
  }
  return all;
}

StatusOr<NamedTensors> Feeds(const char* const* names, wb_tensor* const* tensors, int count,
                             const char* names_what, const char* what) {
  WB_ASSIGN_OR_RETURN(std::vector<std::string> all, Names(names, count, names_what));
  WB_ASSIGN_OR_RETURN(std::vector<Tensor> values, Values(tensors, all.size(), what));
  NamedTensors feeds;
  for (size_t i = 0; i < all.size(); ++i) feeds.emplace_back(std::move(all[i]), values[i]);
  return feeds;
}

// Where results go is cleared before anything can fail.
void Clear(wb_tensor** results, int count) {
  for (int i = 0; results != nullptr && i < count; ++i) results[i] = nullptr;
}

Status RunStep(wb_session* session, const char* const* feed_names, wb_tensor* const* feeds,
               int num_feeds, const char* const* fetch_names, wb_tensor** fetched, int num_fetches,
               const char* const* targets, int num_targets) {
  if (session == nullptr) return Missing("session");
  WB_ASSIGN_OR_RETURN(const NamedTensors fed,
                      Feeds(feed_names, feeds, num_feeds, "feed_names", "feeds"));
  WB_ASSIGN_OR_RETURN(const auto fetches, Names(fetch_names, num_fetches, "fetch_names"));
  WB_ASSIGN_OR_RETURN(const auto run, Names(targets, num_targets, "targets"));
  if (num_fetches > 0 && fetched == nullptr) return Missing("fetched");
  std::vector<Tensor> results;
  WB_RETURN_IF_ERROR(session->session().Run(RunOptions(), fed, fetches, run, &results));
  for (size_t i = 0; i < results.size(); ++i) fetched[i] = new wb_tensor{std::move(results[i])};
  return OkStatus();
}

Status RunSignature(wb_session* session, const char* signature, const char* const* input_names,
                    wb_tensor* const* inputs, int num_inputs, const char* const* output_names,
                    wb_tensor** outputs, int num_outputs) {
  if (session == nullptr) return Missing("session");
  if (signature == nullptr) return Missing("signature");
  if (session->model() == nullptr) {
    return FailedPrecondition("a session of a GraphDef has no signatures: wb_session_run takes ",
                              "names of nodes");
  }
  WB_ASSIGN_OR_RETURN(const NamedTensors fed,
                      Feeds(input_names, inputs, num_inputs, "input_names", "inputs"));
  WB_ASSIGN_OR_RETURN(const auto wanted, Names(output_names, num_outputs, "output_names"));
  if (num_outputs > 0 && outputs == nullptr) return Missing("outputs");
  WB_ASSIGN_OR_RETURN(const Signature* found, session->model()->FindSignature(signature));
  for (const std::string& name : wanted) {
    if (found->outputs.count(name) > 0) continue;
    return NotFound("signature '", signature, "' has no output '", name, "'; it has ",
                    NamesOf(found->outputs));
  }
  NamedTensors results;
  WB_RETURN_IF_ERROR(session->opened.model->Run(signature, fed, &results));
  for (size_t i = 0; i < wanted.size(); ++i) {
    for (const auto& [name, value] : results) {
      if (name == wanted[i]) outputs[i] = new wb_tensor{value};
    }
  }
  return OkStatus();
}

// The name of the entry, in the order of the names; null beyond the last.
template <typename Value>
const char* NameAt(const std::map<std::string, Value>& map, int index) {
  if (index < 0 || static_cast<size_t>(index) >= map.size()) return nullptr;
  return std::next(map.begin(), index)->first.c_str();
}

const Signature* FindSignature(const wb_session* session, const char* name) {
  if (session == nullptr || session->model() == nullptr || name == nullptr) return nullptr;
  const auto found = session->model()->signatures().find(name);
  return found == session->model()->signatures().end() ? nullptr : &found->second;
}

StatusOr<wb_callable> NewCallable(wb_session* session, const char* const* feed_names, int num_feeds,
                                  const char* const* fetch_names, int num_fetches,
                                  const char* const* targets, int num_targets) {
  if (session == nullptr) return Missing("session");
  CallableOptions step;
  WB_ASSIGN_OR_RETURN(step.feeds, Names(feed_names, num_feeds, "feed_names"));
  WB_ASSIGN_OR_RETURN(step.fetches, Names(fetch_names, num_fetches, "fetch_names"));
  WB_ASSIGN_OR_RETURN(step.targets, Names(targets, num_targets, "targets"));
  wb_callable callable{&session->session(), 0, step.feeds.size(), step.fetches.size()};
  WB_ASSIGN_OR_RETURN(callable.handle, callable.session->MakeCallable(step));
  return callable;
}

Status RunCallable(wb_callable* callable, wb_tensor* const* feeds, wb_tensor** fetched) {
  if (callable == nullptr) return Missing("callable");
  if (callable->num_fetches > 0 && fetched == nullptr) return Missing("fetched");
  Clear(fetched, static_cast<int>(callable->num_fetches));
  WB_ASSIGN_OR_RETURN(const auto values, Values(feeds, callable->num_feeds, "feeds"));
  std::vector<Tensor> results;
  WB_RETURN_IF_ERROR(callable->session->RunCallable(callable->handle, values, &results));
  for (size_t i = 0; i < results.size(); ++i) fetched[i] = new wb_tensor{std::move(results[i])};
  return OkStatus();
}

Status Extend(wb_session* session, const void* graph_def, size_t size) {
  if (session == nullptr) return Missing("session");
  if (graph_def == nullptr && size > 0) return Missing("graph_def");
  const absl::string_view bytes(static_cast<const char*>(graph_def), size);
  return session->session().Extend(
      [&](Graph& graph) { return ImportGraphDef(bytes, ImportOptions(), &graph); });
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam

namespace impl = warpbeam::frontend;

wb_session* wb_session_open(const char* path, const wb_options* options, wb_status* status) {
  if (path == nullptr) return impl::Given(impl::Missing("path"), status);
  return impl::Given(impl::OpenPath(path, impl::OrDefaults(options)), status);
}

wb_session* wb_session_of_graph(const void* graph_def, size_t size, const wb_options* options,
                                wb_status* status) {
  if (graph_def == nullptr && size > 0) return impl::Given(impl::Missing("graph_def"), status);
  const absl::string_view bytes(static_cast<const char*>(graph_def), size);
  return impl::Given(impl::OpenGraph(bytes, impl::OrDefaults(options)), status);
}

void wb_session_extend(wb_session* session, const void* graph_def, size_t size, wb_status* status) {
  impl::SetStatus(status, impl::Extend(session, graph_def, size));
}

void wb_session_run(wb_session* session, const char* const* feed_names, wb_tensor* const* feeds,
                    int num_feeds, const char* const* fetch_names, wb_tensor** fetched,
                    int num_fetches, const char* const* targets, int num_targets,
                    wb_status* status) {
  impl::Clear(fetched, num_fetches);
  impl::SetStatus(status, impl::RunStep(session, feed_names, feeds, num_feeds, fetch_names, fetched,
                                        num_fetches, targets, num_targets));
}

void wb_session_run_signature(wb_session* session, const char* signature,
                              const char* const* input_names, wb_tensor* const* inputs,
                              int num_inputs, const char* const* output_names, wb_tensor** outputs,
                              int num_outputs, wb_status* status) {
  impl::Clear(outputs, num_outputs);
  impl::SetStatus(status, impl::RunSignature(session, signature, input_names, inputs, num_inputs,
                                             output_names, outputs, num_outputs));
}

int wb_session_num_devices(const wb_session* session) {
  return session == nullptr ? 0 : static_cast<int>(session->devices.size());
}

const char* wb_session_device(const wb_session* session, int index) {
  if (index < 0 || index >= wb_session_num_devices(session)) return nullptr;
  return session->devices[static_cast<size_t>(index)].c_str();
}

const char* wb_session_signature(const wb_session* session, int index) {
  if (session == nullptr || session->model() == nullptr) return nullptr;
  return impl::NameAt(session->model()->signatures(), index);
}

const char* wb_session_input(const wb_session* session, const char* signature, int index) {
  const auto* const found = impl::FindSignature(session, signature);
  return found == nullptr ? nullptr : impl::NameAt(found->inputs, index);
}

const char* wb_session_output(const wb_session* session, const char* signature, int index) {
  const auto* const found = impl::FindSignature(session, signature);
  return found == nullptr ? nullptr : impl::NameAt(found->outputs, index);
}

void wb_session_close(wb_session* session, wb_status* status) {
  impl::SetStatus(status,
                  session == nullptr ? impl::Missing("session") : session->session().Close());
}

void wb_session_delete(wb_session* session) { delete session; }

wb_callable* wb_callable_new(wb_session* session, const char* const* feed_names, int num_feeds,
                             const char* const* fetch_names, int num_fetches,
                             const char* const* targets, int num_targets, wb_status* status) {
  auto callable = impl::NewCallable(session, feed_names, num_feeds, fetch_names, num_fetches,
                                    targets, num_targets);
  impl::SetStatus(status, callable.status());
  return callable.ok() ? new wb_callable(*callable) : nullptr;
}

void wb_callable_run(wb_callable* callable, wb_tensor* const* feeds, wb_tensor** fetched,
                     wb_status* status) {
  impl::SetStatus(status, impl::RunCallable(callable, feeds, fetched));
}

void wb_callable_delete(wb_callable* callable) {
  // It fails for one that is not there, which cannot be.
  if (callable != nullptr) (void)callable->session->ReleaseCallable(callable->handle);
  delete callable;
}
