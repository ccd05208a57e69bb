#include "graph/io/graph_import.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "google/protobuf/arena.h"
#include "google/protobuf/io/coded_stream.h"
#include "graph/build/assemble.h"
#include "graph/io/function_io.h"
#include "graph/io/graph_version.h"
#include "graph/io/node_io.h"
#include "graph/io/plain_node.h"
#include "graph/types/shown_name.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

using google::protobuf::io::CodedInputStream;
using tensorflow::GraphDef;
using tensorflow::NodeDef;

// Takes what a graph says beside its nodes, then these one by one.
class Importer {
 public:
  // `bytes` is the size of the whole message.
  Importer(const ImportOptions& options, size_t bytes, Graph* graph)
      : options_(options),
        graph_(*graph),
        budget_(options.limits.max_expansion + static_cast<int64_t>(bytes)),
        ignored_(graph->ops()),
        assembler_(assembling_, graph) {
    if (!options.prefix.empty()) prefix_ = absl::StrCat(options.prefix, "/");
    for (const auto& [input, target] : options.input_map) input_map_[FullName(input)] = target;
    for (const auto& [input, target] : input_map_) missing_.emplace(NodeOf(input));
    assembling_.infer_shapes = options.infer_shapes;
    assembling_.allow_internal_names = options.allow_internal_names;
    assembling_.warn = true;
  }

  // What nodes `rest` has are not looked at; `num_nodes` will come.
  Status Begin(const GraphDef& rest, int64_t num_nodes) {
    WB_RETURN_IF_ERROR(CountNodes(num_nodes));
    WB_RETURN_IF_ERROR(TakeVersions(rest));
    for (const auto& function : rest.library().function()) {
      WB_RETURN_IF_ERROR(CountNodes(function.node_def_size()));
    }
    if (options_.clear_devices) {
      tensorflow::FunctionDefLibrary library = rest.library();
      for (auto& function : *library.mutable_function()) {
        for (auto& node : *function.mutable_node_def()) node.clear_device();
      }
      ReadFunctions(library, &budget_, &ignored_, &graph_.functions(), &function_problems_);
    } else {
      ReadFunctions(rest.library(), &budget_, &ignored_, &graph_.functions(), &function_problems_);
    }
    KeepUnknown(rest);
    forgets_scalars_ = rest.versions().producer() <= kLastWithoutScalars;
    assembler_.Reserve(num_nodes);
    return OkStatus();
  }

  // `plain` is the same node on the wire, or null.
  void AddNode(const NodeDef& proto, const PlainNode* plain = nullptr) {
    auto spec = NodeFromProto(proto, &budget_, &ignored_);
    if (!spec.ok()) {
      problems_.push_back(Annotate(spec.status(), absl::StrCat("node '", ShownName(proto.name()),
                                                               "' (", ShownName(proto.op()), ")")));
      // The node stands in for itself, so that its consumers do not report it missing.
      spec = NodeSpec();
      spec->name = proto.name();
    } else if (plain != nullptr) {
      known_attrs_.Keep(*plain, *spec);
    }
    Take(*std::move(spec));
  }

  // A node on the wire, unless its attributes have to be read first. What nodes have written alike
  // is read once and shared.
  bool AddPlainNode(const PlainNode& node) {
    const AttrMap* attrs = known_attrs_.Find(node);
    if (attrs == nullptr) return false;
    Take(node.ToSpec(*attrs));
    return true;
  }

  Status Finish() {
    WB_RETURN_IF_ERROR(CheckInputMap());
    ignored_.Warn();
    assembling_.limits.max_output_bytes = budget_.left();
    problems_.insert(problems_.end(), function_problems_.begin(), function_problems_.end());
    return assembler_.Finish(std::move(problems_));
  }

 private:
  void Take(NodeSpec spec) {
    if (!input_map_.empty()) missing_.erase(spec.name);
    for (std::string& input : spec.inputs) Connect(&input);
    if (!prefix_.empty()) AddPrefix(&spec);
    if (forgets_scalars_ && spec.op == "Placeholder") ForgetScalar(&spec);
    if (options_.clear_devices) spec.device.clear();
    if (spec.device.empty()) spec.device = options_.default_device;
    assembler_.Add(std::move(spec));
  }

  // The name of an input in full: a node alone stands for its first output.
  static std::string FullName(const std::string& input) {
    const bool is_node = !absl::StartsWith(input, "^") && !absl::StrContains(input, ":");
    return is_node ? absl::StrCat(input, ":0") : input;
  }

  void Connect(std::string* input) const {
    if (!input_map_.empty()) {
      const auto mapped = input_map_.find(FullName(*input));
      if (mapped != input_map_.end()) {
        *input = mapped->second;
        return;
      }
    }
    if (!prefix_.empty()) input->insert(absl::StartsWith(*input, "^") ? 1 : 0, prefix_);
  }

  // Each input that is mapped must at least have a node.
  Status CheckInputMap() const {
    if (missing_.empty()) return OkStatus();
    return InvalidArgument("the input map names nodes that the graph does not have: ",
                           absl::StrJoin(missing_, ", "));
  }

  static absl::string_view NodeOf(absl::string_view input) {
    absl::ConsumePrefix(&input, "^");
    return input.substr(0, input.rfind(':'));
  }

  Status CountNodes(int64_t more) {
    num_nodes_ += more;
    if (num_nodes_ > options_.limits.max_nodes) {
      return ResourceExhausted("the graph has more than the ", options_.limits.max_nodes,
                               " nodes that are allowed");
    }
    return OkStatus();
  }

  void AddPrefix(NodeSpec* spec) const {
    static constexpr absl::string_view kColocation = "loc:@";
    spec->name.insert(0, prefix_);
    const AttrValue* classes = spec->attrs.Find("_class");
    if (classes == nullptr) return;
    std::vector<std::string> renamed = classes->list<std::string>();
    for (std::string& name : renamed) {
      if (absl::StartsWith(name, kColocation)) name.insert(kColocation.size(), prefix_);
    }
    if (!renamed.empty()) spec->attrs.Set("_class", std::move(renamed));
  }

  Status TakeVersions(const GraphDef& rest) {
    GraphVersions versions;
    versions.producer = rest.versions().producer();
    versions.min_consumer = rest.versions().min_consumer();
    versions.bad_consumers.assign(rest.versions().bad_consumers().begin(),
                                  rest.versions().bad_consumers().end());
    WB_RETURN_IF_ERROR(CheckVersions(versions));
    if (!rest.has_versions()) return OkStatus();
    GraphVersions& all = graph_.versions();
    if (graph_.num_nodes() == 0) {
      all = std::move(versions);
      return OkStatus();
    }
    // What is true of both: as old as the older one, and for readers of both.
    all.producer = std::min(all.producer, versions.producer);
    all.min_consumer = std::max(all.min_consumer, versions.min_consumer);
    for (int bad : versions.bad_consumers) {
      auto& known = all.bad_consumers;
      if (std::find(known.begin(), known.end(), bad) == known.end()) known.push_back(bad);
    }
    return OkStatus();
  }

  // For a Placeholder of such a producer, or of one that says nothing of itself, the empty shape
  // stood for one that is not known.
  static constexpr int kLastWithoutScalars = 21;

  static void ForgetScalar(NodeSpec* spec) {
    const AttrValue* shape = spec->attrs.Find("shape");
    if (shape == nullptr || shape->kind() != AttrValue::Kind::kShape) return;
    if (shape->shape().rank() == 0) spec->attrs.Set("shape", PartialShape());
  }

  // What a Graph has no place for: debug information, registered gradients, unknown fields.
  void KeepUnknown(const GraphDef& rest) {
    GraphDef kept;
    if (rest.has_debug_info()) *kept.mutable_debug_info() = rest.debug_info();
    CopyOldVersion(rest, &kept);
    CopyUnknownFields(rest, &kept);
    const auto& library = rest.library();
    *kept.mutable_library()->mutable_registered_gradients() = library.registered_gradients();
    CopyUnknownFields(library, kept.mutable_library());
    if (kept.library().ByteSizeLong() == 0) kept.clear_library();
    if (kept.ByteSizeLong() > 0) graph_.set_unknown_fields(kept.SerializeAsString());
  }

  // It is deprecated, and so only a field like any other.
  static void CopyOldVersion(const GraphDef& from, GraphDef* to) {
    const auto* field = GraphDef::descriptor()->FindFieldByNumber(GraphDef::kVersionFieldNumber);
    to->GetReflection()->SetInt32(to, field, from.GetReflection()->GetInt32(from, field));
  }

  static void CopyUnknownFields(const google::protobuf::Message& from,
                                google::protobuf::Message* to) {
    to->GetReflection()->MutableUnknownFields(to)->MergeFrom(
        from.GetReflection()->GetUnknownFields(from));
  }

  const ImportOptions& options_;
  Graph& graph_;
  ValueBudget budget_;
  std::string prefix_;
  std::map<std::string, std::string> input_map_;  // by full names
  std::set<std::string> missing_;                 // nodes of the input map that have not come yet
  IgnoredAttrs ignored_;
  int64_t num_nodes_ = 0;
  bool forgets_scalars_ = false;
  KnownAttrs known_attrs_;
  std::vector<Status> problems_, function_problems_;
  AssembleOptions assembling_;
  GraphAssembler assembler_;
};

// Moves past the value of a field of this tag; false where the bytes end first.
bool SkipValue(uint32_t tag, CodedInputStream* in) {
  uint64_t number;
  switch (tag & 7) {
    case 0:
      return in->ReadVarint64(&number);
    case 1:
      return in->Skip(8);
    case 2:
      return in->ReadVarint64(&number) && number <= INT32_MAX && in->Skip(static_cast<int>(number));
    case 5:
      return in->Skip(4);
    default:
      return false;
  }
}

// The nodes of a serialized graph, one at a time.
class NodeReader {
 public:
  explicit NodeReader(absl::string_view bytes) : bytes_(bytes) {}

  // Everything but the nodes, and how many of these there are.
  Status ReadRest(std::string* rest, int64_t* num_nodes) const {
    *num_nodes = 0;
    return ForEachField([&](uint32_t tag, int begin, int, int end) {
      if (tag == kNodeTag) {
        ++*num_nodes;
      } else {
        rest->append(bytes_.data() + begin, end - begin);
      }
      return OkStatus();
    });
  }

  Status ReadNodes(Importer* importer) {
    return ForEachField([&](uint32_t tag, int, int value, int end) {
      return tag == kNodeTag ? ReadNode(value, end, importer) : OkStatus();
    });
  }

 private:
  static constexpr uint32_t kNodeTag = (1 << 3) | 2;
  // Nodes are parsed into an arena that is emptied now and then: their maps free nothing one by
  // one.
  static constexpr int kNodesPerArena = 64;

  // Calls f(tag, begin, value, end), with positions of the field and of what follows its tag.
  template <typename F>
  Status ForEachField(F f) const {
    CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes_.data()),
                        static_cast<int>(bytes_.size()));
    for (;;) {
      const int begin = in.CurrentPosition();
      const uint32_t tag = in.ReadTag();
      if (tag == 0 && in.ConsumedEntireMessage()) return OkStatus();
      const int value = in.CurrentPosition();
      if (tag == 0 || !SkipValue(tag, &in)) {
        return InvalidArgument("these ", bytes_.size(),
                               " bytes are no GraphDef: broken or cut off at byte ", begin);
      }
      WB_RETURN_IF_ERROR(f(tag, begin, value, in.CurrentPosition()));
    }
  }

  // `begin` is where the message's length stands.
  Status ReadNode(int begin, int end, Importer* importer) {
    const int index = count_++;
    CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes_.data()) + begin, end - begin);
    uint64_t length = 0;
    in.ReadVarint64(&length);
    const bool plain = plain_.Read(bytes_.substr(end - length, length));
    if (plain && importer->AddPlainNode(plain_)) return OkStatus();
    if (parsed_++ % kNodesPerArena == 0) arena_.Reset();
    auto* node = google::protobuf::Arena::CreateMessage<NodeDef>(&arena_);
    if (!node->ParseFromCodedStream(&in)) {
      return InvalidArgument("these ", bytes_.size(), " bytes are no GraphDef: node number ", index,
                             node->name().empty() ? "" : absl::StrCat(" ('", node->name(), "')"),
                             ", at byte ", begin,
                             ", does not parse (broken, nested too deeply or "
                             "with text that is not UTF-8)");
    }
    importer->AddNode(*node, plain ? &plain_ : nullptr);
    return OkStatus();
  }

  absl::string_view bytes_;
  google::protobuf::Arena arena_;
  PlainNode plain_;  // kept for its memory
  int count_ = 0;
  int parsed_ = 0;  // into the arena
};

}  // namespace

Status ImportGraphDef(const GraphDef& proto, const ImportOptions& options, Graph* graph) {
  Importer importer(options, proto.ByteSizeLong(), graph);
  WB_RETURN_IF_ERROR(importer.Begin(proto, proto.node_size()));
  for (const NodeDef& node : proto.node()) importer.AddNode(node);
  return importer.Finish();
}

Status ImportGraphDef(absl::string_view wire_form, const ImportOptions& options, Graph* graph) {
  if (wire_form.size() > INT32_MAX) {
    return ResourceExhausted("a GraphDef may have at most 2 GiB, this one has ", wire_form.size(),
                             " bytes");
  }
  Importer importer(options, wire_form.size(), graph);
  NodeReader reader(wire_form);
  std::string rest_bytes;
  int64_t num_nodes = 0;
  WB_RETURN_IF_ERROR(reader.ReadRest(&rest_bytes, &num_nodes));
  google::protobuf::Arena arena;
  auto* rest = google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
  if (!rest->ParseFromString(rest_bytes)) {
    return InvalidArgument("these ", wire_form.size(),
                           " bytes are no GraphDef: its versions or functions do not parse");
  }
  WB_RETURN_IF_ERROR(importer.Begin(*rest, num_nodes));
  WB_RETURN_IF_ERROR(reader.ReadNodes(&importer));
  return importer.Finish();
}

}  // namespace warpbeam
