// Gradients on a GPU against central differences on the CPU: a row makes a small graph of one op or
// a few, once of doubles for the CPU, whose forward is run at points beside each other, and once of
// floats for a simulated GPU with the kernels of real ones, with the nodes of its gradients.
//
//   const Row row{"Transpose", {{{2, 3}}}, Op("Transpose", {Ints({1, 0})})};
//   CheckRow(row);
//
// The numbers are fed, so that nothing is computed before the step, on another device. A row names
// the ops whose kernels for GPUs it is about: each must have one and must have run on the GPU.
//
// Ownership: values. Thread safety: none. Errors: failed expectations.
#ifndef WARPBEAM_TESTS_GPU_FINITE_DIFFERENCES_H_
#define WARPBEAM_TESTS_GPU_FINITE_DIFFERENCES_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/graph.h"
#include "graph/types/tensor.h"

namespace warpbeam {
namespace finite_differences {

using Refs = std::vector<OutputRef>;
using Attrs = std::vector<std::pair<const char*, AttrValue>>;

// Adds nodes to a graph of floats or of doubles. The first error is kept.
class Maker {
 public:
  Maker(Graph* graph, DType dtype, std::string device)
      : graph_(graph), dtype_(dtype), device_(std::move(device)) {}
  DType dtype() const { return dtype_; }
  DType complex() const {
    return dtype_ == DType::kDouble ? DType::kComplex128 : DType::kComplex64;
  }
  const Status& status() const { return status_; }

  OutputRef Op(const std::string& op, const std::vector<NodeInput>& inputs,
               const Attrs& attrs = {});
  // All outputs of the op.
  Refs Outputs(const std::string& op, const std::vector<NodeInput>& inputs,
               const Attrs& attrs = {});
  OutputRef Constant(const Tensor& value);
  // Numbers of the graph's type.
  OutputRef Numbers(const Shape& shape, const std::vector<double>& values);

 private:
  Node* Add(NodeBuilder builder);

  Graph* graph_;
  DType dtype_;
  std::string device_;
  Status status_;
};

// Makes y of the xs.
using Build = std::function<OutputRef(Maker& m, const Refs& x)>;

// An op of the xs and, behind them, of constants.
Build Op(const char* op, std::vector<Tensor> constants = {}, Attrs attrs = {});
// An op whose first input is a list of all xs, and behind it constants.
Build OpOfList(const char* op, std::vector<Tensor> constants = {}, Attrs attrs = {});
Tensor Ints(std::vector<int32_t> values);
Tensor Int(int32_t value);
Tensor Pairs(std::vector<int32_t> values);  // of the shape [n, 2]
Tensor Longs(std::vector<int64_t> values);
Tensor LongPairs(std::vector<int64_t> values);
std::vector<int64_t> List(std::vector<int64_t> values);

// Where an x is: different numbers from `low` to `high`, in no order.
struct X {
  Shape shape;
  double low = -1, high = 1;
};

// What the differences are of: doubles on the CPU, floats where it has no doubles, and floats on
// the GPU where the CPU has none either. Those of floats are rounded, and compared less sharply.
enum class Forward { kDouble, kFloat, kOnGpu };

struct Row {
  std::string ops;  // separated by spaces; the first is the one that is differentiated
  std::vector<X> xs;
  Build build;
  Forward forward = Forward::kDouble;
};

std::vector<Row> Together(std::vector<std::vector<Row>> parts);
std::vector<Row> RowsOfNeuralOps();
std::vector<Row> RowsOfMath();
std::vector<Row> RowsOfArrays();

void CheckRow(const Row& row);

// The ops of none of the rows that have a kernel for GPUs and a gradient.
std::vector<std::string> OpsWithout(const std::vector<Row>& rows);

}  // namespace finite_differences
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GPU_FINITE_DIFFERENCES_H_
