// CudnnDescriptor: what cuDNN's backend API describes convolutions by, as far as it is called.
//
// An attribute is taken where the descriptor's kind has it, with its type; finalising wants all
// that the kind needs, finalised parts among them, and checks that sizes go together. Operations,
// graphs, engines' settings and plans keep the convolution, so that their parts may go. A graph is
// a convolution, and behind a forward one perhaps the addition of a bias, and behind that a Relu;
// with groups there are no engines for more than the convolution.
//
//   CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
//   graph.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation);
//   graph.Finalize();                              // graph.convolution()
//
// Thread safety: one thread at a time. Errors: the library's codes; Reason() has more.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_CUDNN_DESCRIPTORS_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_CUDNN_DESCRIPTORS_H_

#include <cudnn.h>

#include <map>
#include <memory>
#include <vector>

#include "tests/cuda_stand_in/convolve.h"

namespace warpbeam::cuda_stand_in {

// One of the ways to compute a convolution.
struct CudnnEngine {
  std::vector<cudnnBackendNumericalNote_t> notes;
  bool has_plan;   // else the library finds out late that it cannot
  bool is_wanted;  // else it computes in ways that we promise not to, and the stand-in does not
};

// An operation on each element of what another one made: the addition of a bias, or a Relu.
struct CudnnPointwise {
  bool adds_bias = false;
  CudnnOperand x, bias, y;
};

class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type) : type_(type) {}

  cudnnStatus_t Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                    int64_t count, const void* values);
  cudnnStatus_t Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                    int64_t most, int64_t* count, void* values) const;
  cudnnStatus_t Finalize();

  cudnnBackendDescriptorType_t type() const { return type_; }
  bool is_finalized() const { return is_finalized_; }
  // Of an operation and of what is made of it.
  const std::shared_ptr<const CudnnConvolution>& convolution() const { return convolution_; }
  const CudnnEngine* engine() const { return engine_; }  // of settings and a plan
  int64_t workspace_bytes() const;                       // of a plan
  // The addresses that a variant pack has for numbers of operands; null: none.
  void* Address(int64_t operand) const;
  void* workspace() const;

 private:
  struct Attribute {
    cudnnBackendAttributeType_t type;
    int64_t count;
    std::vector<char> bytes;
  };
  template <class T>
  std::vector<T> All(cudnnBackendAttributeName_t name) const;
  template <class T>
  T One(cudnnBackendAttributeName_t name) const;
  // The part of that kind; null: it is not there or not finalised.
  const CudnnDescriptor* Part(cudnnBackendAttributeName_t name,
                              cudnnBackendDescriptorType_t type) const;

  cudnnStatus_t ReadOperand(CudnnOperand* operand) const;
  cudnnStatus_t FinalizeTensor();
  cudnnStatus_t FinalizeWindow();
  cudnnStatus_t FinalizeOperation();
  cudnnStatus_t FinalizePointwise();
  cudnnStatus_t FinalizeGraph();
  // Graphs, heuristics and plans: the convolution is their part's.
  cudnnStatus_t FinalizeFrom(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type);
  cudnnStatus_t FinalizeWritten();
  cudnnStatus_t FinalizeArguments();
  std::vector<const CudnnEngine*> Engines() const;
  cudnnStatus_t GetEngines(int64_t most, int64_t* count, void* values) const;
  cudnnStatus_t GetWords(int64_t most, int64_t* count, void* values) const;

  const cudnnBackendDescriptorType_t type_;
  bool is_finalized_ = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes_;
  std::shared_ptr<const CudnnConvolution> convolution_;
  std::shared_ptr<const CudnnPointwise> pointwise_;
  const CudnnEngine* engine_ = nullptr;
};

}  // namespace warpbeam::cuda_stand_in

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_CUDNN_DESCRIPTORS_H_
