// Graphs as bytes and as text. What is imported is exported and must then import again.
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "graph/io/graph_export.h"
#include "graph/io/graph_file.h"
#include "proto/graph.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/graph_mutator.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

ImportOptions Options() {
  ImportOptions options;
  options.limits.max_nodes = 20'000;
  options.limits.max_expansion = 16 << 20;
  return options;
}

void ExportAndImport(const Graph& graph) {
  const StatusOr<std::string> exported = ExportGraphDef(graph);
  if (!exported.ok()) return;
  Graph again;
  const Status imported = ImportGraphDef(*exported, Options(), &again);
  if (imported.ok() && again.num_nodes() == graph.num_nodes()) return;
  fprintf(stderr, "what was exported does not import: %s\n", imported.ToString().c_str());
  abort();
}

void Run(absl::string_view input) {
  Graph binary;
  if (ImportGraphDef(input, Options(), &binary).ok()) ExportAndImport(binary);
  Graph text;
  if (ImportGraphText(input, Options(), &text).ok()) ExportAndImport(text);
}

std::string AsText(const std::string& graph) {
  tensorflow::GraphDef proto;
  std::string text;
  if (proto.ParseFromString(graph)) google::protobuf::TextFormat::PrintToString(proto, &text);
  return text;
}

}  // namespace

// The graphs of conformance cases, every fourth one as text.
StatusOr<std::vector<std::string>> ReadSeedPack(const std::string& path) {
  WB_ASSIGN_OR_RETURN(std::vector<CaseBytes> cases, LoadCases({path}));
  std::vector<std::string> seeds;
  for (const CaseBytes& bytes : cases) {
    conformance::Case c;
    if (!c.ParseFromString(bytes.wire_form)) return DataLoss(path, " holds what is no case");
    seeds.push_back(seeds.size() % 4 == 0 ? AsText(c.graph()) : c.graph());
  }
  return seeds;
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
  tensorflow::GraphDef graph;
  if (random.OneIn(2) && graph.ParseFromString(bytes)) {
    warpbeam::fuzz::MutateGraph(random, &graph);
    bytes = warpbeam::fuzz::WireForm(graph);
    bytes.resize(std::min(bytes.size(), max_size));
  } else {
    warpbeam::fuzz::MutateBytes(random, max_size, &bytes);
  }
  memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
