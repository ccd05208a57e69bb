// Which ops reach files: in a session that allows none, no op does. Every op of the registry is
// tried with names of a file for all its strings, as constants, so that folding is tried, and
// otherwise.
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/build/node_builder.h"
#include "graph/op/op_registry.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

// A folder with one file, and what happens to the two.
class WatchedFolder {
 public:
  WatchedFolder() : path_(::testing::TempDir() + "watched"), events_(inotify_init1(IN_NONBLOCK)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    std::ofstream(file()) << "word\n";
    EXPECT_GE(inotify_add_watch(events_, path_.c_str(), IN_ALL_EVENTS), 0);
  }
  ~WatchedFolder() { close(events_); }
  std::string file() const { return path_ + "/file"; }
  // Since the last call.
  bool WasTouched() {
    char events[4096];
    bool touched = false;
    while (read(events_, events, sizeof(events)) > 0) touched = true;
    return touched;
  }

 private:
  const std::string path_;
  const int events_;
};

// A node of any op: its strings name the file, its numbers are small, its types the first allowed.
class AnyNode {
 public:
  AnyNode(const OpSchema& op, std::string text, int rank, bool constants)
      : op_(op), text_(std::move(text)), rank_(rank), constants_(constants) {}

  StatusOr<const Node*> Build(Graph* graph) {
    for (const AttrSpec& attr : op_.attrs) {
      if (!attr.default_value.has_value()) attrs_.Set(attr.name, Value(attr));
    }
    // The names of files are often attributes with a default.
    for (const AttrSpec& attr : op_.attrs) {
      const bool is_free = !attr.allowed_values.has_value();
      if (attr.type == "string" && is_free && absl::StrContains(attr.name, "file")) {
        attrs_.Set(attr.name, text_);
      }
      if (attr.name == "descriptor_source") attrs_.Set(attr.name, text_);
    }
    NodeBuilder builder(graph, op_.name);
    for (const ArgSpec& arg : op_.inputs) {
      std::vector<OutputRef> inputs;
      for (const DType type : TypesOf(arg)) {
        WB_ASSIGN_OR_RETURN(const OutputRef in, Input(graph, arg.is_ref ? RefType(type) : type));
        inputs.push_back(in);
      }
      if (arg.number_attr.empty() && arg.type_list_attr.empty()) {
        builder.Input(inputs[0]);
      } else {
        builder.Input(inputs);
      }
    }
    for (const auto& [name, value] : attrs_) builder.Attr(name, value);
    return builder.Name("tried").Build();
  }

 private:
  AttrValue Value(const AttrSpec& attr) const {
    const bool is_chosen = attr.allowed_values.has_value();
    const int64_t number = attr.has_minimum ? std::max<int64_t>(1, attr.minimum) : 1;
    if (attr.type == "type") {
      const auto types = attr.allowed_values.list<DType>();
      return types.empty() ? DType::kString : types[0];
    }
    if (attr.type == "list(type)") return std::vector<DType>(number, DType::kString);
    if (attr.type == "string") {
      return is_chosen ? std::string(attr.allowed_values.list<std::string>()[0]) : text_;
    }
    if (attr.type == "list(string)") return std::vector<std::string>(number, text_);
    if (attr.type == "int") return number;
    if (attr.type == "list(int)") return std::vector<int64_t>(number, 1);
    if (attr.type == "float") return 1.0f;
    if (attr.type == "list(float)") return std::vector<float>(number, 1.0f);
    if (attr.type == "bool") return true;
    if (attr.type == "shape") return PartialShape(Shape());
    if (attr.type == "list(shape)") return std::vector<PartialShape>(number, PartialShape(Shape()));
    if (attr.type == "tensor") return Tensor::Scalar<std::string>(text_);
    if (attr.type == "func") return FunctionRef{"same", {}};
    if (attr.type == "list(func)") return std::vector<FunctionRef>(number, FunctionRef{"same", {}});
    return AttrValue();
  }
  // As given, or its default.
  AttrValue AttrOf(const std::string& name) const {
    if (const AttrValue* given = attrs_.Find(name); given != nullptr) return *given;
    const AttrSpec* const attr = op_.FindAttr(name);
    return attr == nullptr ? AttrValue() : attr->default_value;
  }
  std::vector<DType> TypesOf(const ArgSpec& arg) const {
    if (!arg.type_list_attr.empty()) return AttrOf(arg.type_list_attr).list<DType>();
    const DType type = arg.type_attr.empty() ? arg.type : AttrOf(arg.type_attr).type();
    const AttrValue number = arg.number_attr.empty() ? AttrValue() : AttrOf(arg.number_attr);
    return std::vector<DType>(number.has_value() ? static_cast<size_t>(number.i()) : 1, type);
  }
  StatusOr<OutputRef> Input(Graph* graph, DType type) const {
    if (IsRef(type)) {
      return NodeBuilder(graph, "VariableV2")
          .Attr("dtype", BaseType(type))
          .Attr("shape", PartialShape(Shape({2})))  // of a table's handle
          .BuildOutput();
    }
    if (!constants_ || !(IsPlainData(type) || type == DType::kString)) {
      return NodeBuilder(graph, "Placeholder").Attr("dtype", type).BuildOutput();
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::vector<int64_t>(rank_, 1)));
    WB_ASSIGN_OR_RETURN(Tensor value, Tensor::Allocate(type, shape));
    if (type == DType::kString) {
      *value.data<std::string>() = text_;
    } else {
      memset(value.raw_data(), 0, value.bytes());
    }
    WB_ASSIGN_OR_RETURN(const Node* const node, AddConstant(graph, "c", std::move(value)));
    return OutputRef{node->id(), 0};
  }

  const OpSchema& op_;
  const std::string text_;
  const int rank_;
  const bool constants_;
  AttrMap attrs_;
};

// A graph of one such node, run.
Status Try(const OpSchema& op, const std::string& file, int rank, bool constants,
           const CapabilitySet& allow) {
  auto graph = std::make_shared<Graph>();
  auto same = std::make_shared<Function>();
  WB_ASSIGN_OR_RETURN(same->signature,
                      OpSchemaBuilder("same").Input("x: string").Output("y: string").Build());
  same->returns = {{"y", "x"}};
  WB_RETURN_IF_ERROR(graph->functions().Add(same));
  WB_ASSIGN_OR_RETURN(const Node* const node,
                      AnyNode(op, file, rank, constants).Build(graph.get()));
  const std::string name = node->name();
  SessionOptions options;
  options.allow = allow;
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(options, graph));
  RunOptions run;
  run.timeout_ms = 500;
  const Status ran = session->Run(run, {}, {}, {name}, nullptr, nullptr);
  session->Close(100).IgnoreError();
  return ran;
}

TEST(FileAccess, NoOpReachesAFileWhereNoneIsAllowed) {
  WatchedFolder folder;
  int declared = 0;
  for (const OpSchema* op : OpRegistry::Global().All()) {
    bool was_denied = false;
    for (const bool constants : {true, false}) {
      for (int rank = 0; rank < (constants ? 3 : 1); ++rank) {
        SCOPED_TRACE(absl::StrCat(op->name, constants ? " of constants" : "", ", rank ", rank));
        const Status s = Try(*op, folder.file(), rank, constants, CapabilitySet());
        EXPECT_FALSE(folder.WasTouched()) << s;
        was_denied |= IsPermissionDenied(s);
      }
    }
    if (op->capability == Capability::kNone) continue;
    ++declared;
    EXPECT_TRUE(was_denied) << op->name;
  }
  EXPECT_GT(declared, 30);
}

// The test above sees what it is to see.
TEST(FileAccess, OpsReachFilesWhereTheyMay) {
  WatchedFolder folder;
  for (const char* op : {"ReadFile", "WriteFile", "DecodeProtoV2", "GenerateVocabRemapping",
                         "FixedUnigramCandidateSampler"}) {
    bool touched = false;
    for (int rank = 0; rank < 3; ++rank) {
      Try(*OpRegistry::Global().Find(op), folder.file(), rank, true, CapabilitySet::All())
          .IgnoreError();
      touched |= folder.WasTouched();
    }
    EXPECT_TRUE(touched) << op;
  }
}

}  // namespace
}  // namespace warpbeam
