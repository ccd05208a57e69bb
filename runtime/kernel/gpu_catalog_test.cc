#include "runtime/kernel/gpu_catalog.h"

#include "graph/op/op_schema.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

OpSchema SchemaOf(PassOn what) {
  OpSchema schema;
  schema.passes_on = what;
  return schema;
}

TEST(GpuCatalog, WhatIsGivenInAnotherShapeIsNotTouched) {
  for (const PassOn what : {PassOn::kValue, PassOn::kDefault, PassOn::kReshaped, PassOn::kEach}) {
    EXPECT_TRUE(TouchesNoDeviceMemory(SchemaOf(what), false, false));
  }
  for (const PassOn what : {PassOn::kNothing, PassOn::kChecked}) {
    EXPECT_FALSE(TouchesNoDeviceMemory(SchemaOf(what), false, false));
    EXPECT_FALSE(TouchesNoDeviceMemory(SchemaOf(what), false, true));
    EXPECT_TRUE(TouchesNoDeviceMemory(SchemaOf(what), true, true));
  }
}

TEST(GpuCatalog, ShapesAreNoDeviceMemory) {
  OpSchema schema;
  schema.reads_shapes_only = true;
  EXPECT_TRUE(TouchesNoDeviceMemory(schema, false, true));
  EXPECT_FALSE(TouchesNoDeviceMemory(schema, false, false));
}

}  // namespace
}  // namespace warpbeam
