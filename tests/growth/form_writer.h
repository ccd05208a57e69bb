// FormWriter: nodes of a GraphDef, written one after another by what they read.
//
//   FormWriter w(&graph);
//   std::string x = w.Scalar("x", 1);
//   for (int i = 0; i < n; ++i) x = w.Float("Neg", w.Name("neg", i), {x});
//   w.Text("s", "text");                                        // "s"
//
// Each call gives the name of the node that it adds. Inputs that begin with '^' are control inputs
// and stand last. Ownership: the graph outlives the writer. Thread safety: none. Errors: none;
// whether the graph is any good the importer says.
#ifndef WARPBEAM_TESTS_GROWTH_FORM_WRITER_H_
#define WARPBEAM_TESTS_GROWTH_FORM_WRITER_H_

#include <string>
#include <vector>

#include "graph/types/dtype.h"

namespace tensorflow {
class GraphDef;
class NodeDef;
}  // namespace tensorflow

namespace warpbeam {

class FormWriter {
 public:
  using Inputs = std::vector<std::string>;

  explicit FormWriter(tensorflow::GraphDef* graph) : graph_(*graph) {}

  static std::string Name(const char* prefix, int number) {
    return prefix + std::to_string(number);
  }

  // The node, for what attributes it has besides.
  tensorflow::NodeDef* Node(const std::string& op, const std::string& name,
                            const Inputs& inputs = {});
  // With the attribute T = float.
  std::string Float(const std::string& op, const std::string& name, const Inputs& inputs);
  std::string NoOp(const std::string& name, const Inputs& inputs = {});
  // A float that is fed 1 unless a run feeds something else.
  std::string Fed(const std::string& name);
  std::string Scalar(const std::string& name, float value, const Inputs& inputs = {});
  std::string Int(const std::string& name, int value);
  std::string Bool(const std::string& name, bool value);
  std::string Text(const std::string& name, const std::string& value);
  std::string Vector(const std::string& name, const std::vector<int>& values);
  // A constant of so many floats, all of them `value`.
  std::string Filled(const std::string& name, int size, float value);

  static void SetType(tensorflow::NodeDef* node, const char* attr, DType type);
  static void SetInt(tensorflow::NodeDef* node, const char* attr, int value);

 private:
  tensorflow::GraphDef& graph_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GROWTH_FORM_WRITER_H_
