// The variables of a graph as the objects that they were in the program that saved it, and where an
// object-based checkpoint keeps their values.
//
// TensorFlow 2 saves a tree of objects: each has children with names, from the root on. A
// checkpoint holds a tree like it, whose objects say under which keys their values are. Names of
// variables mean nothing in it and need not be unique, so that a value is found by the path of its
// object.
//
//   SavedObjects saved = ObjectsOf(meta_graph_def);
//   WB_ASSIGN_OR_RETURN(auto there, CheckpointObjects::Parse(bytes));   // of the tensor kKey
//   std::vector<std::string> keys = there.KeysOf(saved);   // keys[i] is of saved.variables[i]
//
// Ownership: values. Thread safety: immutable. Errors: DATA_LOSS for bytes that are no tree of
// objects. All of it is linear in the size of the trees.
#ifndef WARPBEAM_GRAPH_IO_META_GRAPH_OBJECT_GRAPH_H_
#define WARPBEAM_GRAPH_IO_META_GRAPH_OBJECT_GRAPH_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/types/errors.h"

namespace tensorflow {
class MetaGraphDef;
}  // namespace tensorflow

namespace warpbeam {

struct SavedObjects {
  struct Object {
    int parent = -1;   // an earlier one; the root has none
    std::string name;  // as a child of it
  };
  struct Variable {
    std::string node;  // the VarHandleOp
    int object = 0;    // an index into `objects`
  };
  // Only those that can be reached from the root, which is the first; every one has one parent, the
  // nearest to the root.
  std::vector<Object> objects;
  std::vector<Variable> variables;
};

// Empty for a graph that was saved without objects. Which node an object became is known from the
// calls of the functions that captured it, else from a name that only one of them has.
SavedObjects ObjectsOf(const tensorflow::MetaGraphDef& proto);

class CheckpointObjects {
 public:
  // The tensor of a checkpoint that holds its tree: a string.
  static constexpr char kKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";

  static StatusOr<CheckpointObjects> Parse(absl::string_view bytes);

  // The key of each variable's value, "" for those that the checkpoint does not have.
  std::vector<std::string> KeysOf(const SavedObjects& saved) const;
  // The same by the name that a checkpoint by names would use; "" for none.
  std::string KeyOfName(absl::string_view full_name) const;

 private:
  struct Object {
    std::map<std::string, int, std::less<>> children;
    std::string value_key;
  };
  std::vector<Object> objects_;
  std::map<std::string, std::string, std::less<>> by_name_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_META_GRAPH_OBJECT_GRAPH_H_
