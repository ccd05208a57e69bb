// What the ops that make tables share: the spec in their attributes, their kernels and shapes.
//
//   WB_ASSIGN_OR_RETURN(TableSpec spec, ReadTableSpec(init));
//   return NewTableKernel(init, std::move(spec), &NewStaticTable, /*anonymous=*/false);
//
// Ownership: the session's ResourceStore owns tables. Thread safety: any thread. Errors:
// INVALID_ARGUMENT for attributes that make no table, or another one than has the name already.
#ifndef WARPBEAM_OPS_TABLE_TABLE_KERNEL_H_
#define WARPBEAM_OPS_TABLE_TABLE_KERNEL_H_

#include <memory>

#include "graph/op/shape_context.h"
#include "ops/data/anonymous_resource.h"
#include "ops/queue/named_resource.h"
#include "ops/table/lookup_table.h"

namespace warpbeam {

// key_dtype, value_dtype and, where there is one, value_shape.
StatusOr<TableSpec> ReadTableSpec(const KernelInit& init);

// Makes a table from the op's inputs; `name` is the resource's.
class TableMaker {
 public:
  virtual ~TableMaker() = default;
  virtual StatusOr<std::shared_ptr<LookupTable>> Make(KernelContext& ctx,
                                                      const std::string& name) = 0;
  virtual const TableSpec& spec() const = 0;
};
// A kernel whose table has the name in its attributes; one for each run with `anonymous`.
StatusOr<std::unique_ptr<Kernel>> NewTableKernel(KernelInit& init,
                                                 std::unique_ptr<TableMaker> maker, bool anonymous);

// A table that its attributes say all of.
using PlainTableMaker = std::shared_ptr<LookupTable> (*)(TableSpec spec);
StatusOr<std::unique_ptr<Kernel>> NewTableKernel(KernelInit& init, TableSpec spec,
                                                 PlainTableMaker make, bool anonymous);

// The handle's shape, and what is known of keys and values behind it.
Status TableHandleShape(ShapeContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_TABLE_TABLE_KERNEL_H_
