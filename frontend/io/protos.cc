#include "frontend/io/protos.h"

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace io {

DecodedProto DecodeProto(ScopeRef scope_ref, const Input& bytes, const std::string& message_type,
                         const std::vector<std::string>& field_names,
                         const std::vector<DType>& output_types,
                         const std::string& descriptor_source, const std::string& message_format,
                         bool sanitize) {
  const Scope scope = scope_ref.scope();
  const std::vector<Output> out =
      BuildOutputs(scope.Named(scope.OpNameOr("DecodeProto")), "DecodeProtoV2", {bytes},
                   OpAttrs()
                       .Set("message_type", message_type)
                       .Set("field_names", field_names)
                       .Set("output_types", output_types)
                       .Set("descriptor_source", descriptor_source)
                       .Set("message_format", message_format)
                       .Set("sanitize", sanitize),
                   1 + static_cast<int>(output_types.size()));
  return {out[0], std::vector<Output>(out.begin() + 1, out.end())};
}

Output EncodeProto(ScopeRef scope, const Input& sizes, const InputList& values,
                   const std::vector<std::string>& field_names, const std::string& message_type,
                   const std::string& descriptor_source) {
  return BuildOutput(scope.scope(), "EncodeProto", {sizes, values},
                     OpAttrs()
                         .Set("field_names", field_names)
                         .Set("message_type", message_type)
                         .Set("descriptor_source", descriptor_source));
}

}  // namespace io
}  // namespace frontend
}  // namespace warpbeam
