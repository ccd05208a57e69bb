#include "runtime/device/cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
Staging::~Staging() {
  if (ring_ == nullptr) return;
  const CurrentGpu on(context_.ordinal());
  for (const InUse& piece : in_use_) cudaEventDestroy(piece.passed);
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  cudaFreeHost(ring_);
}

Status Staging::WaitForOldest() {
  const InUse oldest = in_use_.front();
  WB_RETURN_IF_ERROR(context_.Check(
      cudaEventSynchronize(oldest.passed),
      "waiting for a copy through pinned memory (cudaEventSynchronize)", stream_name_));
  in_use_.pop_front();
  events_.push_back(oldest.passed);
  begin_ = (begin_ + oldest.bytes) % kRing;
  used_ -= oldest.bytes;
  return OkStatus();
}

// A piece is in one part: what the ring has left at its end is taken as well where that is too
// little.
StatusOr<char*> Staging::Take(size_t bytes) {
  if (ring_ == nullptr) {
    void* ring = nullptr;
    WB_RETURN_IF_ERROR(context_.Check(cudaHostAlloc(&ring, kRing, cudaHostAllocDefault),
                                      "taking pinned memory for copies (cudaHostAlloc)"));
    ring_ = static_cast<char*>(ring);
  }
  while (!in_use_.empty() && cudaEventQuery(in_use_.front().passed) == cudaSuccess) {
    WB_RETURN_IF_ERROR(WaitForOldest());
  }
  const size_t rounded = (bytes + 255) / 256 * 256;
  for (;;) {
    const size_t end = (begin_ + used_) % kRing;
    const size_t skipped = end + rounded > kRing ? kRing - end : 0;
    if (used_ + skipped + rounded <= kRing) {
      taken_ = skipped + rounded;
      used_ += taken_;
      return ring_ + (end + skipped) % kRing;
    }
    WB_RETURN_IF_ERROR(WaitForOldest());
  }
}

// The piece that was taken last is free when the stream has come to here. Where no event can say so
// the stream is waited for: the piece would be lost to the ring, or another copy's while this one
// still uses it.
Status Staging::Release(cudaStream_t stream) {
  const Status marked = Mark(stream);
  if (!marked.ok()) {
    if (context_.is_usable()) cudaStreamSynchronize(stream);
    used_ -= taken_;
  }
  return marked;
}

Status Staging::Mark(cudaStream_t stream) {
  if (events_.empty()) {
    cudaEvent_t event = nullptr;
    WB_RETURN_IF_ERROR(context_.Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                                      "making a CUDA event (cudaEventCreateWithFlags)"));
    events_.push_back(event);
  }
  WB_RETURN_IF_ERROR(context_.Check(cudaEventRecord(events_.back(), stream),
                                    "recording a CUDA event (cudaEventRecord)", stream_name_));
  in_use_.push_back({taken_, events_.back()});
  events_.pop_back();
  return OkStatus();
}

Status Staging::ToGpu(cudaStream_t stream, void* to, const void* from, size_t bytes) {
  for (size_t done = 0; done < bytes; done += kPiece) {
    const size_t piece = std::min(kPiece, bytes - done);
    WB_ASSIGN_OR_RETURN(char* const pinned, Take(piece));
    memcpy(pinned, static_cast<const char*>(from) + done, piece);
    const Status copied = context_.Check(cudaMemcpyAsync(static_cast<char*>(to) + done, pinned,
                                                         piece, cudaMemcpyHostToDevice, stream),
                                         "copying to a GPU (cudaMemcpyAsync)", stream_name_);
    WB_RETURN_IF_ERROR(Release(stream));
    WB_RETURN_IF_ERROR(copied);
  }
  return OkStatus();
}

Status Staging::ToHost(cudaStream_t stream, void* to, const void* from, size_t bytes) {
  for (size_t done = 0; done < bytes; done += kPiece) {
    const size_t piece = std::min(kPiece, bytes - done);
    WB_ASSIGN_OR_RETURN(char* const pinned, Take(piece));
    Status copied = context_.Check(cudaMemcpyAsync(pinned, static_cast<const char*>(from) + done,
                                                   piece, cudaMemcpyDeviceToHost, stream),
                                   "copying from a GPU (cudaMemcpyAsync)", stream_name_);
    if (copied.ok()) {
      void* const target = static_cast<char*>(to) + done;
      copied = context_.Check(calls_.Enqueue(stream, [=] { memcpy(target, pinned, piece); }),
                              "enqueuing a copy out of pinned memory (cudaLaunchHostFunc)",
                              stream_name_);
    }
    WB_RETURN_IF_ERROR(Release(stream));
    WB_RETURN_IF_ERROR(copied);
  }
  return OkStatus();
}

}  // namespace warpbeam
