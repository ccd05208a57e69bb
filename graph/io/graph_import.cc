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

// Takes a graph's nodes one by one and then everything else.
class Importer {
 public:
  // `bytes` is the size of the whole message.
  Importer(const ImportOptions& options, size_t bytes, Graph* graph)
      : options_(options),
        graph_(*graph),
        budget_(options.limits.max_expansion + static_cast<int64_t>(bytes)),
        ignored_(graph->ops()) {
    if (!options.prefix.empty()) prefix_ = absl::StrCat(options.prefix, "/");
    for (const auto& [input, target] : options.input_map) input_map_[FullName(input)] = target;
  }

  absl::Status AddNode(const NodeDef& proto) {
    WB_RETURN_IF_ERROR(CountNodes(1));
    auto spec = NodeFromProto(proto, &budget_, &ignored_);
    if (!spec.ok()) {
      problems_.push_back(Annotate(spec.status(), absl::StrCat("node '", ShownName(proto.name()),
                                                               "' (", ShownName(proto.op()), ")")));
      // The node stands in for itself, so that its consumers do not report it missing.
      spec = NodeSpec();
      spec->name = proto.name();
    }
    Take(*std::move(spec));
    return absl::OkStatus();
  }

  // The same of a node on the wire. What nodes have written alike is read once and shared.
  absl::Status AddPlainNode(const PlainNode& node, bool* known) {
    const AttrMap* attrs = known_attrs_.Find(node);
    *known = attrs != nullptr;
    if (!*known) return absl::OkStatus();
    WB_RETURN_IF_ERROR(CountNodes(1));
    Take(node.ToSpec(*attrs));
    return absl::OkStatus();
  }
  // After AddNode of what `node` was read from.
  void Remember(const PlainNode& node) {
    if (specs_.back().op.empty() || !prefix_.empty()) return;
    known_attrs_.Keep(node, specs_.back());
  }

  // What nodes `rest` has are not looked at.
  absl::Status Finish(const GraphDef& rest) {
    WB_RETURN_IF_ERROR(TakeVersions(rest));
    WB_RETURN_IF_ERROR(CheckInputMap());
    for (const auto& function : rest.library().function()) {
      WB_RETURN_IF_ERROR(CountNodes(function.node_def_size()));
    }
    if (options_.clear_devices) {
      tensorflow::FunctionDefLibrary library = rest.library();
      for (auto& function : *library.mutable_function()) {
        for (auto& node : *function.mutable_node_def()) node.clear_device();
      }
      ReadFunctions(library, &budget_, &ignored_, &graph_.functions(), &problems_);
    } else {
      ReadFunctions(rest.library(), &budget_, &ignored_, &graph_.functions(), &problems_);
    }
    ignored_.Warn();
    KeepUnknown(rest);
    if (rest.versions().producer() <= kLastWithoutScalars) ForgetScalars();
    AssembleOptions options;
    options.infer_shapes = options_.infer_shapes;
    options.warn = true;
    options.limits.max_output_bytes = budget_.left();
    return AssembleGraph(std::move(specs_), options, &graph_, std::move(problems_));
  }

 private:
  void Take(NodeSpec spec) {
    for (std::string& input : spec.inputs) Connect(&input);
    if (!prefix_.empty()) AddPrefix(&spec);
    if (options_.clear_devices) spec.device.clear();
    if (spec.device.empty()) spec.device = options_.default_device;
    specs_.push_back(std::move(spec));
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
  absl::Status CheckInputMap() const {
    if (input_map_.empty()) return absl::OkStatus();
    std::set<absl::string_view> missing;
    for (const auto& [input, target] : input_map_) missing.insert(NodeOf(input));
    for (const NodeSpec& spec : specs_) {
      absl::string_view name = spec.name;
      if (absl::ConsumePrefix(&name, prefix_)) missing.erase(name);
    }
    if (missing.empty()) return absl::OkStatus();
    return InvalidArgument("the input map names nodes that the graph does not have: ",
                           absl::StrJoin(missing, ", "));
  }

  static absl::string_view NodeOf(absl::string_view input) {
    absl::ConsumePrefix(&input, "^");
    return input.substr(0, input.rfind(':'));
  }

  absl::Status CountNodes(int64_t more) {
    num_nodes_ += more;
    if (num_nodes_ > options_.limits.max_nodes) {
      return ResourceExhausted("the graph has more than the ", options_.limits.max_nodes,
                               " nodes that are allowed");
    }
    return absl::OkStatus();
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

  absl::Status TakeVersions(const GraphDef& rest) {
    GraphVersions versions;
    versions.producer = rest.versions().producer();
    versions.min_consumer = rest.versions().min_consumer();
    versions.bad_consumers.assign(rest.versions().bad_consumers().begin(),
                                  rest.versions().bad_consumers().end());
    WB_RETURN_IF_ERROR(CheckVersions(versions));
    if (!rest.has_versions()) return absl::OkStatus();
    GraphVersions& all = graph_.versions();
    if (graph_.num_nodes() == 0) {
      all = std::move(versions);
      return absl::OkStatus();
    }
    // What is true of both: as old as the older one, and for readers of both.
    all.producer = std::min(all.producer, versions.producer);
    all.min_consumer = std::max(all.min_consumer, versions.min_consumer);
    for (int bad : versions.bad_consumers) {
      auto& known = all.bad_consumers;
      if (std::find(known.begin(), known.end(), bad) == known.end()) known.push_back(bad);
    }
    return absl::OkStatus();
  }

  // For a Placeholder of such a producer, or of one that says nothing of itself, the empty shape
  // stood for one that is not known.
  static constexpr int kLastWithoutScalars = 21;

  void ForgetScalars() {
    for (NodeSpec& spec : specs_) {
      if (spec.op != "Placeholder") continue;
      const AttrValue* shape = spec.attrs.Find("shape");
      if (shape == nullptr || shape->kind() != AttrValue::Kind::kShape) continue;
      if (shape->shape().rank() == 0) spec.attrs.Set("shape", PartialShape());
    }
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
  IgnoredAttrs ignored_;
  int64_t num_nodes_ = 0;
  std::vector<NodeSpec> specs_;
  KnownAttrs known_attrs_;
  std::vector<absl::Status> problems_;
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

// The nodes of a serialized graph, one at a time; everything else goes to `rest`.
class NodeReader {
 public:
  NodeReader(absl::string_view bytes, Importer* importer) : bytes_(bytes), importer_(importer) {}

  absl::Status ReadAll(std::string* rest) {
    constexpr uint32_t kNodeTag = (1 << 3) | 2;
    CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes_.data()),
                        static_cast<int>(bytes_.size()));
    for (;;) {
      const int begin = in.CurrentPosition();
      const uint32_t tag = in.ReadTag();
      if (tag == 0 && in.ConsumedEntireMessage()) return absl::OkStatus();
      const int value = in.CurrentPosition();
      if (tag == 0 || !SkipValue(tag, &in)) {
        return InvalidArgument("these ", bytes_.size(),
                               " bytes are no GraphDef: broken or cut off at byte ", begin);
      }
      if (tag == kNodeTag) {
        WB_RETURN_IF_ERROR(ReadNode(value, in.CurrentPosition()));
      } else {
        rest->append(Piece(begin, in.CurrentPosition()));
      }
    }
  }

 private:
  // Nodes are parsed into an arena that is emptied now and then: their maps free nothing one by
  // one.
  static constexpr int kNodesPerArena = 64;

  std::string_view Piece(int begin, int end) const {
    return {bytes_.data() + begin, static_cast<size_t>(end - begin)};
  }

  // `begin` is where the message's length stands.
  absl::Status ReadNode(int begin, int end) {
    const int index = count_++;
    CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes_.data()) + begin, end - begin);
    uint64_t length = 0;
    in.ReadVarint64(&length);
    const bool plain = plain_.Read(bytes_.substr(end - length, length));
    if (plain) {
      bool known = false;
      WB_RETURN_IF_ERROR(importer_->AddPlainNode(plain_, &known));
      if (known) return absl::OkStatus();
    }
    if (parsed_++ % kNodesPerArena == 0) arena_.Reset();
    auto* node = google::protobuf::Arena::CreateMessage<NodeDef>(&arena_);
    if (!node->ParseFromCodedStream(&in)) {
      return InvalidArgument("these ", bytes_.size(), " bytes are no GraphDef: node number ", index,
                             node->name().empty() ? "" : absl::StrCat(" ('", node->name(), "')"),
                             ", at byte ", begin,
                             ", does not parse (broken, nested too deeply or "
                             "with text that is not UTF-8)");
    }
    WB_RETURN_IF_ERROR(importer_->AddNode(*node));
    if (plain) importer_->Remember(plain_);
    return absl::OkStatus();
  }

  absl::string_view bytes_;
  Importer* importer_;
  google::protobuf::Arena arena_;
  PlainNode plain_;  // kept for its memory
  int count_ = 0;
  int parsed_ = 0;  // into the arena
};

}  // namespace

absl::Status ImportGraphDef(const GraphDef& proto, const ImportOptions& options, Graph* graph) {
  Importer importer(options, proto.ByteSizeLong(), graph);
  for (const NodeDef& node : proto.node()) WB_RETURN_IF_ERROR(importer.AddNode(node));
  return importer.Finish(proto);
}

absl::Status ImportGraphDef(absl::string_view wire_form, const ImportOptions& options,
                            Graph* graph) {
  if (wire_form.size() > INT32_MAX) {
    return ResourceExhausted("a GraphDef may have at most 2 GiB, this one has ", wire_form.size(),
                             " bytes");
  }
  Importer importer(options, wire_form.size(), graph);
  std::string rest_bytes;
  WB_RETURN_IF_ERROR(NodeReader(wire_form, &importer).ReadAll(&rest_bytes));
  google::protobuf::Arena arena;
  auto* rest = google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
  if (!rest->ParseFromString(rest_bytes)) {
    return InvalidArgument("these ", wire_form.size(),
                           " bytes are no GraphDef: its versions or functions do not parse");
  }
  return importer.Finish(*rest);
}

}  // namespace warpbeam
