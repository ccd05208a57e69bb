#include "tests/fuzz/call_script_mutator.h"

#include <google/protobuf/message.h>

#include <map>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "proto/master.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/call_request.h"
#include "tests/fuzz/call_script.pb.h"
#include "tests/fuzz/message_mutator.h"
#include "tests/fuzz/wire_form.h"
#include "tests/fuzz/worker_script.h"

namespace warpbeam {
namespace fuzz {
namespace {

using calls::Call;
using calls::Script;
using conformance::Case;
using google::protobuf::Message;
using tensorflow::GraphDef;

constexpr char kFirst[] = "#0";
constexpr int kMostCalls = 40;
constexpr int kMostSteps = 4;

void Add(Call::Method method, const Message& request, Script* script) {
  Call* const call = script->add_calls();
  call->set_method(method);
  call->set_request(WireForm(request));
}

// How many nodes from the first on need none of the others: at most half of them.
int FirstPart(const GraphDef& graph) {
  std::set<std::string> known;
  int whole = 0;
  std::set<std::string> missing;
  for (int i = 0; i < graph.node_size() / 2; ++i) {
    known.insert(graph.node(i).name());
    missing.erase(graph.node(i).name());
    for (const std::string& input : graph.node(i).input()) {
      const size_t begin = !input.empty() && input[0] == '^' ? 1 : 0;
      const std::string name = input.substr(begin, input.find(':') - begin);
      if (known.count(name) == 0) missing.insert(name);
    }
    if (missing.empty()) whole = i + 1;
  }
  return whole;
}

// The graph in two parts, as from a client that goes on building it.
void AddGraph(const Case& c, Script* script) {
  tensorflow::CreateSessionRequest create;
  tensorflow::ExtendSessionRequest extend;
  if (!create.mutable_graph_def()->ParseFromString(c.graph())) return;
  create.mutable_config()->set_allow_soft_placement(true);
  create.mutable_config()->mutable_experimental();
  create.set_target("grpc://localhost");
  *extend.mutable_graph_def()->mutable_versions() = create.graph_def().versions();
  auto* const nodes = create.mutable_graph_def()->mutable_node();
  const int first = FirstPart(create.graph_def());
  for (int i = first; first > 0 && i < nodes->size(); ++i) {
    *extend.mutable_graph_def()->add_node() = nodes->Get(i);
  }
  if (first > 0) nodes->DeleteSubrange(first, nodes->size() - first);
  Add(Call::CREATE_SESSION, create, script);
  extend.set_session_handle(kFirst);
  if (first > 0) Add(Call::EXTEND_SESSION, extend, script);
}

// Names come with their output's number, as clients send them.
std::string Full(const std::string& name) {
  return name.find(':') == std::string::npos ? name + ":0" : name;
}

void AddStep(const conformance::Step& step, const std::string& partial_run, Script* script) {
  tensorflow::RunStepRequest run;
  run.set_session_handle(kFirst);
  run.set_store_errors_in_response_body(true);
  run.mutable_options();
  run.set_partial_run_handle(partial_run);
  for (const auto& feed : step.feeds()) {
    run.add_feed()->set_name(Full(feed.name()));
    run.mutable_feed(run.feed_size() - 1)->mutable_tensor()->ParseFromString(feed.tensor());
  }
  for (const auto& expected : step.expected()) run.add_fetch(Full(expected.name()));
  if (partial_run.empty()) *run.mutable_target() = step.targets();
  Add(Call::RUN_STEP, run, script);
}

void AddPartialRun(const conformance::Step& step, int number, Script* script) {
  tensorflow::PartialRunSetupRequest setup;
  setup.set_session_handle(kFirst);
  for (const auto& feed : step.feeds()) setup.add_feed(Full(feed.name()));
  for (const auto& expected : step.expected()) setup.add_fetch(Full(expected.name()));
  *setup.mutable_target() = step.targets();
  Add(Call::PARTIAL_RUN_SETUP, setup, script);
  AddStep(step, absl::StrCat("#", number), script);
}

// Handles of callables count from 1 in each session.
void AddCallable(const conformance::Step& step, int number, Script* script) {
  tensorflow::MakeCallableRequest make;
  make.set_session_handle(kFirst);
  tensorflow::RunCallableRequest run;
  run.set_session_handle(kFirst);
  run.set_handle(number + 1);
  for (const auto& feed : step.feeds()) {
    make.mutable_options()->add_feed(Full(feed.name()));
    run.add_feed()->ParseFromString(feed.tensor());
  }
  for (const auto& expected : step.expected()) {
    make.mutable_options()->add_fetch(Full(expected.name()));
  }
  *make.mutable_options()->mutable_target() = step.targets();
  Add(Call::MAKE_CALLABLE, make, script);
  Add(Call::RUN_CALLABLE, run, script);
}

int CountOf(const Script& script, Call::Method method) {
  int count = 0;
  for (const Call& call : script.calls()) count += call.method() == method;
  return count;
}

void MutateRequest(RandomSource& random, size_t max_size, const Script& script, Call* call) {
  const std::unique_ptr<Message> request = NewRequest(call->method());
  if (random.OneIn(16) || !request->ParseFromString(call->request())) {
    return MutateBytes(random, max_size, call->mutable_request());
  }
  const auto* const handle = request->GetDescriptor()->FindFieldByName("session_handle");
  if (handle != nullptr && random.OneIn(12)) {
    const int sessions = CountOf(script, Call::CREATE_SESSION);
    request->GetReflection()->SetString(request.get(), handle,
                                        absl::StrCat("#", random.IntBelow(sessions + 1)));
  } else {
    MutateMessage(random, request.get());
  }
  call->set_request(WireForm(*request));
}

void MutateCalls(RandomSource& random, size_t max_size, Script* script) {
  auto* const all = script->mutable_calls();
  const int i = random.IntBelow(all->size());
  Call* const call = all->Mutable(i);
  switch (random.Below(20)) {
    case 0:
      return all->DeleteSubrange(i, 1);
    case 1:
      return all->SwapElements(i, random.IntBelow(all->size()));
    case 2:
    case 3:
    case 4: {
      // The same again, at once or at the end.
      if (all->size() >= kMostCalls) return;
      const Call copied = *call;
      *all->Add() = copied;
      for (int at = all->size() - 1; random.OneIn(2) && at > i + 1; --at) {
        all->SwapElements(at, at - 1);
      }
      return;
    }
    case 5:
      // Most requests begin with the same field: they are taken for each other.
      return call->set_method(static_cast<Call::Method>(random.IntBelow(Call::Method_ARRAYSIZE)));
    case 6:
    case 7:
      return call->set_aside(!call->aside());
    case 8: {
      Call* const added = all->Add();
      const bool resets = random.OneIn(3);
      added->set_method(resets ? Call::RESET : Call::CLOSE_SESSION);
      tensorflow::CloseSessionRequest close;
      close.set_session_handle(kFirst);
      if (!resets) added->set_request(WireForm(close));
      return all->SwapElements(all->size() - 1, i);
    }
    default:
      return MutateRequest(random, max_size, *script, call);
  }
}

// Handles of the script become those of one that runs after so many others of each kind.
void Renumber(const std::map<std::string, int>& before, Script* script) {
  for (Call& call : *script->mutable_calls()) {
    const std::unique_ptr<Message> request = NewRequest(call.method());
    if (!request->ParseFromString(call.request())) continue;
    ReplaceHandles(request.get(), [&](const std::string& name, int number) {
      return absl::StrCat("#", number + before.at(name));
    });
    call.set_request(WireForm(*request));
  }
}

}  // namespace

Script ScriptOf(const Case& c, Flavour flavour) {
  Script script;
  if (flavour == Flavour::kWorker) {
    AddWorkerCalls(c, &script);
    return script;
  }
  AddGraph(c, &script);
  for (int i = 0; i < c.steps_size() && i < kMostSteps; ++i) {
    if (flavour == Flavour::kSteps) AddStep(c.steps(i), "", &script);
    if (flavour == Flavour::kCallables) AddCallable(c.steps(i), i, &script);
    if (flavour == Flavour::kPartialRuns) AddPartialRun(c.steps(i), i, &script);
  }
  if (flavour == Flavour::kCallables) {
    tensorflow::ReleaseCallableRequest release;
    release.set_session_handle(kFirst);
    release.set_handle(1);
    Add(Call::RELEASE_CALLABLE, release, &script);
  }
  tensorflow::ListDevicesRequest list;
  list.set_session_handle(kFirst);
  Add(Call::LIST_DEVICES, list, &script);
  tensorflow::CloseSessionRequest close;
  close.set_session_handle(kFirst);
  Add(Call::CLOSE_SESSION, close, &script);
  return script;
}

std::string MutateScript(RandomSource& random, absl::string_view input, size_t max_size) {
  std::string bytes(input);
  Script script;
  if (random.OneIn(64) || !script.ParseFromString(bytes) || script.calls().empty()) {
    MutateBytes(random, max_size, &bytes);
    return bytes;
  }
  MutateCalls(random, max_size, &script);
  std::string made = WireForm(script);
  return made.size() <= max_size ? made : bytes;
}

std::string CrossScripts(RandomSource& random, absl::string_view input, absl::string_view donor,
                         size_t max_size) {
  Script first, second;
  if (!first.ParseFromString(std::string(input)) || !second.ParseFromString(std::string(donor))) {
    return std::string(input);
  }
  const Script alone = first;
  // Where the second begins before the first has opened its own sessions, they meet each other's.
  Renumber({{"session_handle", CountOf(first, Call::CREATE_SESSION)},
            {"partial_run_handle", CountOf(first, Call::PARTIAL_RUN_SETUP)},
            {"graph_handle", CountOf(first, Call::REGISTER_GRAPH)}},
           &second);
  Script both;
  int a = 0, b = 0;
  while (a < first.calls_size() || b < second.calls_size()) {
    const bool takes_first =
        b == second.calls_size() || (a < first.calls_size() && (a == 0 || random.OneIn(2)));
    *both.add_calls() = takes_first ? first.calls(a++) : second.calls(b++);
  }
  std::string made = WireForm(both);
  return made.size() <= max_size && both.calls_size() <= 2 * kMostCalls ? made : WireForm(alone);
}

}  // namespace fuzz
}  // namespace warpbeam
