/* The part of NCCL that the probes use. */
#ifndef STEELYARD_FAKE_NCCL_H
#define STEELYARD_FAKE_NCCL_H

#include <cuda_runtime_api.h>

enum ncclResult_t {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclRemoteError = 6
};
enum ncclDataType_t { ncclFloat = 7 };
enum ncclRedOp_t { ncclSum = 0 };
typedef struct FakeComm* ncclComm_t;
struct ncclUniqueId {
  char internal[128];
};

extern "C" {
FAKE_API const char* ncclGetErrorString(ncclResult_t);
FAKE_API ncclResult_t ncclGetVersion(int*);
FAKE_API ncclResult_t ncclGetUniqueId(ncclUniqueId*);
FAKE_API ncclResult_t ncclCommInitAll(ncclComm_t*, int, const int*);
FAKE_API ncclResult_t ncclCommInitRank(ncclComm_t*, int, ncclUniqueId, int);
FAKE_API ncclResult_t ncclCommDestroy(ncclComm_t);
FAKE_API ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t*);
FAKE_API ncclResult_t ncclAllReduce(const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
FAKE_API ncclResult_t ncclAllGather(const void*, void*, std::size_t, ncclDataType_t, ncclComm_t, cudaStream_t);
FAKE_API ncclResult_t ncclReduceScatter(const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t);
FAKE_API ncclResult_t ncclSend(const void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
FAKE_API ncclResult_t ncclRecv(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
FAKE_API ncclResult_t ncclGroupStart();
FAKE_API ncclResult_t ncclGroupEnd();
}

#endif
