#include "tests/fuzz/tensor_mutator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "graph/types/number.h"
#include "proto/tensor.pb.h"
#include "tests/fuzz/byte_mutator.h"

namespace warpbeam {
namespace fuzz {
namespace {

constexpr int64_t kMostBytes = 1 << 20;

template <typename T>
T EdgeFloat(RandomSource& random) {
  using Limits = std::numeric_limits<T>;
  const T edges[] = {0,
                     static_cast<T>(-0.0),
                     1,
                     -1,
                     static_cast<T>(0.5),
                     2,
                     -3,
                     static_cast<T>(1e6),
                     static_cast<T>(-1e18),
                     Limits::max(),
                     Limits::lowest(),
                     Limits::denorm_min(),
                     Limits::infinity(),
                     -Limits::infinity(),
                     Limits::quiet_NaN()};
  return random.Pick(edges);
}

// Gives element `at` a value where code breaks.
void SetEdge(RandomSource& random, size_t at, Tensor* tensor) {
  const int64_t edge = random.EdgeInt();
  switch (tensor->dtype()) {
    case DType::kFloat:
      tensor->flat<float>()[at] = EdgeFloat<float>(random);
      return;
    case DType::kDouble:
      tensor->flat<double>()[at] = EdgeFloat<double>(random);
      return;
    case DType::kString:
      MutateBytes(random, kMostBytes, &tensor->flat<std::string>()[at]);
      return;
    case DType::kBool:
      tensor->flat<bool>()[at] = (edge & 1) != 0;
      return;
    case DType::kResource:
    case DType::kVariant:
      return;
    default: {
      const size_t size = DTypeSize(tensor->dtype());
      memcpy(tensor->data<char>() + at * size, &edge, std::min(size, sizeof edge));
    }
  }
}

void MutateElement(RandomSource& random, Tensor* tensor) {
  if (tensor->num_elements() == 0) return;
  SetEdge(random, random.Below(static_cast<size_t>(tensor->num_elements())), tensor);
}

// A small tensor of another shape, whose values are those of `tensor` over and over.
Tensor Resized(RandomSource& random, const Tensor& tensor) {
  std::vector<int64_t> dims;
  for (int i = 0; i < tensor.rank(); ++i) dims.push_back(tensor.dim(i));
  if (random.OneIn(4) && dims.size() < 8) {
    dims.insert(dims.begin() + random.IntBelow(static_cast<int>(dims.size()) + 1), 1);
  } else if (random.OneIn(4) && !dims.empty()) {
    dims.erase(dims.begin() + random.IntBelow(static_cast<int>(dims.size())));
  } else if (!dims.empty()) {
    int64_t& dim = random.Pick(dims);
    static constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 8, 17, 33};
    dim = random.OneIn(2) ? random.Pick(kSizes) : dim + (random.OneIn(2) ? 1 : -1);
    if (dim < 0) dim = 0;
  }
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(count, dim, &count) || count > (1 << 16)) return tensor;
  }
  const StatusOr<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return tensor;
  StatusOr<Tensor> made = Tensor::Allocate(tensor.dtype(), *shape);
  if (!made.ok()) return tensor;
  const auto size = static_cast<int64_t>(DTypeSize(tensor.dtype()));
  if (IsPlainData(tensor.dtype())) memset(made->raw_data(), 0, made->bytes());
  for (int64_t i = 0; tensor.num_elements() > 0 && i < count; ++i) {
    CopyElements(tensor.dtype(), made->data<char>() + i * size,
                 tensor.data<char>() + i % tensor.num_elements() * size, 1);
  }
  return *std::move(made);
}

// One value for a whole tensor, whose size is anything.
void MakeFill(RandomSource& random, tensorflow::TensorProto* proto) {
  proto->clear_tensor_content();
  MutateShape(random, proto->mutable_tensor_shape());
}

double NumberAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat:
      return t.data<float>()[i];
    case DType::kDouble:
      return t.data<double>()[i];
    case DType::kInt32:
      return t.data<int32_t>()[i];
    case DType::kInt64:
      return static_cast<double>(t.data<int64_t>()[i]);
    case DType::kUInt8:
      return t.data<uint8_t>()[i];
    case DType::kBool:
      return t.data<bool>()[i] ? 1 : 0;
    default:
      return static_cast<double>(i % 5);
  }
}

template <typename T>
T FromNumber(double v) {
  const bool fits = std::abs(v) < 100;  // of every type
  return static_cast<T>(fits ? static_cast<int>(std::is_unsigned_v<T> ? std::abs(v) : v) : 0);
}

void SetNumberAt(double v, int64_t i, Tensor* t) {
  switch (t->dtype()) {
    case DType::kFloat:
      t->data<float>()[i] = static_cast<float>(v);
      return;
    case DType::kDouble:
      t->data<double>()[i] = v;
      return;
    case DType::kHalf:
      t->data<Half>()[i] = Half(static_cast<float>(v));
      return;
    case DType::kBFloat16:
      t->data<BFloat16>()[i] = BFloat16(static_cast<float>(v));
      return;
    case DType::kInt32:
      t->data<int32_t>()[i] = FromNumber<int32_t>(v);
      return;
    case DType::kInt64:
      t->data<int64_t>()[i] = FromNumber<int64_t>(v);
      return;
    case DType::kInt16:
      t->data<int16_t>()[i] = FromNumber<int16_t>(v);
      return;
    case DType::kInt8:
      t->data<int8_t>()[i] = FromNumber<int8_t>(v);
      return;
    case DType::kUInt8:
      t->data<uint8_t>()[i] = FromNumber<uint8_t>(v);
      return;
    case DType::kString:
      t->data<std::string>()[i] = std::to_string(v);
      return;
    default:
      return;  // zero
  }
}

}  // namespace

void MutateShape(RandomSource& random, tensorflow::TensorShapeProto* proto) {
  switch (random.Below(6)) {
    case 0:
      proto->set_unknown_rank(!proto->unknown_rank());
      return;
    case 1:
      proto->add_dim()->set_size(random.OneIn(2) ? 1 : random.EdgeInt());
      return;
    case 2:
      if (proto->dim_size() > 0) proto->mutable_dim()->RemoveLast();
      return;
    default:
      if (proto->dim_size() == 0) return;
      auto* const dim = proto->mutable_dim(random.IntBelow(proto->dim_size()));
      if (random.OneIn(2)) return dim->set_size(random.EdgeInt());
      // Without a sign, since the size may be an edge already.
      dim->set_size(static_cast<int64_t>(static_cast<uint64_t>(dim->size()) +
                                         (random.OneIn(2) ? uint64_t{1} : ~uint64_t{0})));
  }
}

int RandomType(RandomSource& random) {
  static constexpr int kCommon[] = {1, 1, 2, 3, 3, 9, 7, 10, 4, 8, 19, 14};
  return random.OneIn(4) ? 1 + random.IntBelow(24) : random.Pick(kCommon);
}

void MutateTensor(RandomSource& random, tensorflow::TensorProto* proto) {
  const size_t choice = random.Below(16);
  if (choice == 0) {
    proto->set_dtype(static_cast<tensorflow::DataType>(RandomType(random)));
  } else if (choice == 1) {
    MakeFill(random, proto);
  } else if (choice == 2) {
    MutateShape(random, proto->mutable_tensor_shape());
  } else if (choice == 3) {
    MutateBytes(random, kMostBytes, proto->mutable_tensor_content());
  } else {
    StatusOr<Tensor> tensor = TensorFromProto(*proto, kMostBytes);
    if (!tensor.ok()) return;
    Tensor changed = *std::move(tensor);
    if (choice < 7) {
      changed = Resized(random, changed);
    } else {
      MutateElement(random, &changed);
    }
    TensorToProto(changed, TensorForm::kContent, proto).IgnoreError();
  }
}

void FillTensor(RandomSource& random, tensorflow::TensorProto* proto) {
  StatusOr<Tensor> tensor = TensorFromProto(*proto, kMostBytes);
  if (!tensor.ok() || tensor->num_elements() == 0) return;
  StatusOr<Tensor> made = Tensor::Allocate(tensor->dtype(), tensor->shape());
  if (!made.ok()) return;
  if (IsPlainData(made->dtype())) memset(made->raw_data(), 0, made->bytes());
  const size_t rule = random.Below(6);
  const RandomSource same = random;
  const int64_t count = made->num_elements();
  for (int64_t i = 0; i < count; ++i) {
    RandomSource one_edge = same;
    if (rule < 2) SetEdge(rule == 0 ? one_edge : random, static_cast<size_t>(i), &*made);
    if (rule == 2) SetNumberAt(random.IntBelow(8) - 2, i, &*made);
    if (rule == 3) SetNumberAt(static_cast<double>(i % 90), i, &*made);
    if (rule == 4) SetNumberAt(static_cast<double>((count - i) % 90), i, &*made);
    if (rule == 5) SetNumberAt(random.OneIn(2) ? 1 : 0, i, &*made);
  }
  TensorToProto(*made, TensorForm::kContent, proto).IgnoreError();
}

void MakeTensor(RandomSource& random, int type, tensorflow::TensorProto* proto) {
  static constexpr int64_t kSizes[] = {0, 1, 1, 2, 2, 2, 3, 4, 5, 17};
  proto->Clear();
  proto->set_dtype(tensorflow::DT_FLOAT);
  const int rank = random.OneIn(8) ? random.IntBelow(8) : random.IntBelow(5);
  for (int i = 0; i < rank; ++i) {
    proto->mutable_tensor_shape()->add_dim()->set_size(random.Pick(kSizes));
  }
  proto->add_float_val(1);
  ConvertTensor(type, proto);
  FillTensor(random, proto);
}

void ConvertTensor(int type, tensorflow::TensorProto* proto) {
  const StatusOr<Tensor> from = TensorFromProto(*proto, kMostBytes);
  const StatusOr<DType> dtype = DTypeFromNumber(type);
  if (!from.ok() || !dtype.ok()) return;
  StatusOr<Tensor> to = Tensor::Allocate(*dtype, from->shape());
  if (!to.ok()) return;
  if (IsPlainData(*dtype)) memset(to->raw_data(), 0, to->bytes());
  for (int64_t i = 0; i < from->num_elements(); ++i) SetNumberAt(NumberAt(*from, i), i, &*to);
  TensorToProto(*to, TensorForm::kContent, proto).IgnoreError();
}

}  // namespace fuzz
}  // namespace warpbeam
