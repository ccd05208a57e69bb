// What inspect says of a model is what becomes of it: "it runs here" exactly when every signature
// of it runs. Of all models of the tests, as they are and with one thing in them changed.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "absl/strings/match.h"
#include "frontend/model/model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/saved_model.pb.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {
namespace {

namespace fs = std::filesystem;
using tensorflow::GraphDef;
using tensorflow::MetaGraphDef;
using tensorflow::NodeDef;
using tensorflow::SavedModel;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModels[] = "frontend/model/testdata/";

// A copy of a model, the graph of which may be changed.
class Copy {
 public:
  explicit Copy(const std::string& model) {
    const char* root = std::getenv("TEST_TMPDIR");
    path_ = fs::path(root == nullptr ? "." : root) / "copy";
    fs::remove_all(path_);
    fs::copy(kModels + model, path_, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      fs::permissions(entry, fs::perms::owner_write, fs::perm_options::add);
    }
    std::ifstream file(path_ / "saved_model.pb", std::ios::binary);
    EXPECT_TRUE(proto_.ParseFromIstream(&file));
  }
  MetaGraphDef& meta() { return *proto_.mutable_meta_graphs(0); }
  GraphDef& graph() { return *meta().mutable_graph_def(); }
  NodeDef* Node(const std::string& op) { return Find(graph().mutable_node(), op); }
  // In the bodies of functions whose names hold `function`.
  NodeDef* NodeIn(const std::string& function, const std::string& op) {
    for (auto& f : *graph().mutable_library()->mutable_function()) {
      if (!absl::StrContains(f.signature().name(), function)) continue;
      if (NodeDef* node = Find(f.mutable_node_def(), op); node != nullptr) return node;
    }
    ADD_FAILURE() << function << " has no " << op;
    return nullptr;
  }
  fs::path path() const { return path_; }
  std::string Write() {
    std::ofstream file(path_ / "saved_model.pb", std::ios::binary | std::ios::trunc);
    EXPECT_TRUE(proto_.SerializeToOstream(&file));
    return path_.string();
  }

 private:
  template <class Nodes>
  static NodeDef* Find(Nodes* nodes, const std::string& op) {
    for (NodeDef& node : *nodes) {
      if (node.op() == op) return &node;
    }
    return nullptr;
  }

  fs::path path_;
  SavedModel proto_;
};

// Some value that fits: two of whatever may be any number.
Tensor SomeValue(const TensorPort& port) {
  std::vector<int64_t> extents = port.shape.has_rank() ? port.shape.dims() : std::vector<int64_t>();
  for (int64_t& extent : extents) {
    if (extent < 0) extent = 2;
  }
  auto tensor = Tensor::Allocate(port.dtype, *Shape::Make(extents));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  if (IsPlainData(port.dtype)) memset(tensor->raw_data(), 0, tensor->bytes());
  return *std::move(tensor);
}

// The first thing that goes wrong when every signature runs once.
Status RunAll(const std::string& path) {
  SavedModel proto;
  WB_RETURN_IF_ERROR(ReadSavedModelFile(path, &proto));
  for (const MetaGraphDef& meta : proto.meta_graphs()) {
    const auto& tags = meta.meta_info_def().tags();
    WB_ASSIGN_OR_RETURN(
        auto model, frontend::LoadSavedModel(SessionOptions(), path, {tags.begin(), tags.end()}));
    for (const auto& [name, signature] : model->signatures()) {
      NamedTensors inputs, outputs;
      for (const auto& [input, port] : signature.inputs) {
        Tensor value = SomeValue(port);
        // The parts of a sparse tensor, whose shapes the signature does not say.
        if (absl::EndsWith(input, "/dense_shape")) value = Tensor::Vector<int64_t>({3, 3});
        if (absl::EndsWith(input, "/values")) value = Tensor::Vector<float>({1, 2});
        if (absl::EndsWith(input, "/indices")) {
          value = Tensor::FromValues<int64_t>(Shape({2, 2}), std::vector<int64_t>{0, 0, 1, 1});
        }
        inputs.emplace_back(input, std::move(value));
      }
      if (signature.outputs.empty()) continue;
      WB_RETURN_IF_ERROR(Annotate(model->Run(name, inputs, &outputs), name));
    }
  }
  return OkStatus();
}

struct Inspected {
  bool runs_here;
  std::string out;
};

Inspected Inspect(const std::string& path) {
  std::ostringstream out, err;
  Console console{out, err, /*is_terminal=*/false};
  const int code = RunProgram({"inspect", path}, console);
  const bool says_so = absl::StrContains(out.str(), "it runs here");
  EXPECT_EQ(code == 0, says_so) << out.str() << err.str();
  return {says_so, out.str() + err.str()};
}

// What inspect printed.
std::string Agrees(const std::string& path) {
  const Inspected inspected = Inspect(path);
  const Status ran = RunAll(path);
  EXPECT_EQ(inspected.runs_here, ran.ok()) << ran << "\n" << inspected.out;
  return inspected.out;
}

const char* const kAll[] = {"tf1", "tf2", "recurrent"};

TEST(InspectAgrees, ModelsAsTheyAre) {
  for (const char* name : kAll) {
    SCOPED_TRACE(name);
    EXPECT_THAT(Agrees(Copy(name).Write()), HasSubstr("it runs here"));
  }
}

// What may go wrong with any model. False: it has nothing of the kind.
const std::pair<const char*, std::function<bool(Copy&)>> kChanges[] = {
    {"no checkpoint", [](Copy& c) { return fs::remove_all(c.path() / "variables") > 0; }},
    {"cut off",
     [](Copy& c) {
       for (const auto& entry : fs::directory_iterator(c.path() / "variables")) {
         if (entry.path().extension() != ".index") fs::resize_file(entry.path(), 1);
       }
       return true;
     }},
    {"no assets",
     [](Copy& c) {
       const bool has = fs::exists(c.path() / "assets" / "vocab.txt");
       fs::remove_all(c.path() / "assets");
       return has;
     }},
    {"an output that is not there",
     [](Copy& c) {
       auto& signature = (*c.meta().mutable_signature_def())["serving_default"];
       signature.mutable_outputs()->begin()->second.set_name("nowhere:0");
       return true;
     }},
    {"an output of a node that has fewer",
     [](Copy& c) {
       auto& signature = (*c.meta().mutable_signature_def())["serving_default"];
       auto& output = signature.mutable_outputs()->begin()->second;
       output.set_name(output.name().substr(0, output.name().size() - 1) + "9");
       return true;
     }},
    {"an input of another dtype",
     [](Copy& c) {
       auto& signature = (*c.meta().mutable_signature_def())["serving_default"];
       signature.mutable_inputs()->begin()->second.set_dtype(tensorflow::DT_INT32);
       return true;
     }},
    {"an input of another rank",
     [](Copy& c) {
       auto& signature = (*c.meta().mutable_signature_def())["serving_default"];
       signature.mutable_inputs()->begin()->second.mutable_tensor_shape()->add_dim()->set_size(1);
       return true;
     }},
    {"an output of another dtype",
     [](Copy& c) {
       auto& signature = (*c.meta().mutable_signature_def())["serving_default"];
       signature.mutable_outputs()->begin()->second.set_dtype(tensorflow::DT_INT32);
       return true;
     }},
    {"an input that is left out",
     [](Copy& c) {
       auto& signature = (*c.meta().mutable_signature_def())["serving_default"];
       signature.clear_inputs();
       return true;
     }},
    {"no restore op of that name",
     [](Copy& c) {
       c.meta().mutable_saver_def()->set_restore_op_name("nowhere");
       return true;
     }},
    {"a Python function that nothing needs",
     [](Copy& c) {
       NodeDef* node = c.graph().add_node();
       node->set_name("python");
       node->set_op("PyFunc");
       (*node->mutable_attr())["token"].set_s("pyfunc_0");
       (*node->mutable_attr())["Tin"].mutable_list();
       (*node->mutable_attr())["Tout"].mutable_list()->add_type(tensorflow::DT_FLOAT);
       return true;
     }},
    {"a restored tensor of another name",
     [](Copy& c) {
       for (NodeDef& node : *c.graph().mutable_node()) {
         if (!absl::EndsWith(node.name(), "RestoreV2/tensor_names")) continue;
         (*node.mutable_attr())["value"].mutable_tensor()->set_string_val(0, "nowhere");
         return true;
       }
       return false;
     }},
};

TEST(InspectAgrees, ModelsWithOneThingChanged) {
  for (const char* name : kAll) {
    for (const auto& [what, change] : kChanges) {
      SCOPED_TRACE(absl::StrCat(name, ": ", what));
      Copy copy(name);
      if (change(copy)) Agrees(copy.Write());
    }
  }
}

TEST(InspectAgrees, FunctionsThatAreCalledAndNot) {
  {
    Copy copy("recurrent");
    EXPECT_THAT(Agrees(copy.Write()), Not(HasSubstr("problems")));
  }
  {
    // The function of the loop's condition has a kernel, but not for what it is given.
    Copy copy("recurrent");
    NodeDef* loop = copy.NodeIn("__inference_predict", "While");
    (*loop->mutable_attr())["cond"].mutable_func()->set_name(loop->attr().at("body").func().name());
    EXPECT_THAT(Agrees(copy.Write()), HasSubstr("While"));
  }
  {
    Copy copy("recurrent");
    NodeDef* loop = copy.NodeIn("__inference_predict", "While");
    (*loop->mutable_attr())["body"].mutable_func()->set_name("nowhere");
    EXPECT_THAT(Agrees(copy.Write()), HasSubstr("calls the function 'nowhere' ('body')"));
  }
  {
    Copy copy("recurrent");
    NodeDef* call = copy.NodeIn("signature_wrapper", "StatefulPartitionedCall");
    (*call->mutable_attr())["f"].mutable_func()->set_name("nowhere");
    EXPECT_THAT(Agrees(copy.Write()), HasSubstr("calls the function 'nowhere' ('f')"));
  }
  {
    // The problem is in a branch, which is not compiled before it is taken: n = 0 takes 'even'.
    Copy copy("tf2");
    NodeDef* branch = copy.NodeIn("factorial", "StatelessIf");
    (*branch->mutable_attr())["else_branch"].mutable_func()->set_name("nowhere");
    EXPECT_FALSE(Inspect(copy.Write()).runs_here);
  }
}

TEST(InspectAgrees, NotesKeepNothingFromRunning) {
  Copy copy("tf1");
  auto& signature = (*copy.meta().mutable_signature_def())["serving_default"];
  signature.mutable_outputs()->begin()->second.set_dtype(tensorflow::DT_INT32);
  EXPECT_THAT(Agrees(copy.Write()),
              HasSubstr("output 'y' is said to be int32, but the graph computes float"));
}

}  // namespace
}  // namespace cli
}  // namespace warpbeam
