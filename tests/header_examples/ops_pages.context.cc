// What docs/add_an_op.md uses without declaring it (header_examples.py).
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "gtest/gtest.h"
#include "ops/launch/elementwise_table.h"
#include "ops/launch/op_record.h"
#include "ops/launch/type_list.h"
#include "runtime/kernel/kernel_registry.h"

using namespace warpbeam;
using namespace warpbeam::WB_PASS;

//== add_an_op.md
struct DocumentedKernel : Kernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&);
};
template <bool kLog>
using SoftmaxKernel = DocumentedKernel;
