#include "runtime/checkpoint/bundle_entry.h"

#include <limits>

#include "absl/strings/str_format.h"
#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "proto/tensor_bundle.pb.h"
#include "runtime/checkpoint/slice_io.h"

namespace warpbeam {
namespace {

// Whoever looks at a checkpoint looks at each, by a name that has five digits for its number.
constexpr int32_t kMostShards = 100'000;

}  // namespace

StatusOr<BundleHeader> BundleHeader::Parse(absl::string_view bytes) {
  tensorflow::BundleHeaderProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLoss("the checkpoint's header cannot be parsed");
  }
  BundleHeader header;
  header.num_shards = proto.num_shards();
  header.is_big_endian = proto.endianness() == tensorflow::BundleHeaderProto::BIG;
  header.producer = proto.version().producer();
  header.min_consumer = proto.version().min_consumer();
  if (header.num_shards < 0 || header.num_shards > kMostShards) {
    return DataLoss("the checkpoint has ", header.num_shards, " shards; there may be ",
                    kMostShards);
  }
  if (header.min_consumer > 1) {
    return FailedPrecondition("the checkpoint needs a reader of version ", header.min_consumer,
                              " or later; this one is of version 1");
  }
  return header;
}

std::string BundleHeader::Serialize() const {
  tensorflow::BundleHeaderProto proto;
  proto.set_num_shards(num_shards);
  proto.set_endianness(is_big_endian ? tensorflow::BundleHeaderProto::BIG
                                     : tensorflow::BundleHeaderProto::LITTLE);
  proto.mutable_version()->set_producer(producer);
  proto.mutable_version()->set_min_consumer(min_consumer);
  return proto.SerializeAsString();
}

StatusOr<BundleEntry> BundleEntry::Parse(absl::string_view bytes) {
  tensorflow::BundleEntryProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLoss("the record cannot be parsed");
  }
  const auto damaged = [](const Status& s) { return DataLoss(s.message()); };
  BundleEntry entry;
  const StatusOr<DType> dtype = DTypeFromNumber(proto.dtype());
  if (!dtype.ok()) return damaged(dtype.status());
  entry.dtype = *dtype;
  const StatusOr<PartialShape> partial = ShapeFromProto(proto.shape());
  if (!partial.ok()) return damaged(partial.status());
  const StatusOr<Shape> shape = partial->AsShape();
  if (!shape.ok()) return damaged(shape.status());
  entry.shape = *shape;
  entry.shard = proto.shard_id();
  entry.offset = proto.offset();
  entry.size = proto.size();
  entry.masked_crc = proto.crc32c();
  if (entry.offset < 0 || entry.size < 0 || entry.shard < 0) {
    return DataLoss("a negative offset, size or shard");
  }
  if (entry.size > std::numeric_limits<int64_t>::max() - entry.offset) {
    return DataLoss(entry.size, " bytes behind byte ", entry.offset, " are in no file");
  }
  for (const auto& slice : proto.slices()) {
    WB_ASSIGN_OR_RETURN(TensorSlice s, SliceFromProto(slice));
    const StatusOr<Shape> fits = s.ShapeIn(entry.shape);
    if (!fits.ok()) return damaged(fits.status());
    entry.slices.push_back(std::move(s));
  }
  return entry;
}

std::string BundleEntry::Serialize() const {
  tensorflow::BundleEntryProto proto;
  proto.set_dtype(static_cast<tensorflow::DataType>(NumberOf(dtype)));
  ShapeToProto(shape, proto.mutable_shape());
  proto.set_shard_id(shard);
  proto.set_offset(offset);
  proto.set_size(size);
  proto.set_crc32c(masked_crc);
  for (const TensorSlice& s : slices) SliceToProto(s, proto.add_slices());
  return proto.SerializeAsString();
}

std::string IndexFileName(absl::string_view prefix) { return absl::StrCat(prefix, ".index"); }

std::string DataFileName(absl::string_view prefix, int32_t shard, int32_t num_shards) {
  return absl::StrFormat("%s.data-%05d-of-%05d", prefix, shard, num_shards);
}

}  // namespace warpbeam
