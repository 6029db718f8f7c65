/* The part of cuBLASLt that the probes use. */
#ifndef STEELYARD_FAKE_CUBLASLT_H
#define STEELYARD_FAKE_CUBLASLT_H

#include <cuda_runtime_api.h>

#include <cstdint>

enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_NOT_SUPPORTED = 15 };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasLtMatmulDescAttributes_t { CUBLASLT_MATMUL_DESC_TRANSA = 3 };
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 };

typedef struct FakeBlas* cublasLtHandle_t;
typedef struct FakeOperation* cublasLtMatmulDesc_t;
typedef struct FakeLayout* cublasLtMatrixLayout_t;
typedef struct FakePreference* cublasLtMatmulPreference_t;
struct cublasLtMatmulAlgo_t {
  std::uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  std::size_t workspaceSize;
  cublasStatus_t state;
};

extern "C" {
FAKE_API cublasStatus_t cublasLtCreate(cublasLtHandle_t*);
FAKE_API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t*, cublasComputeType_t, cudaDataType_t);
FAKE_API cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void*, std::size_t);
FAKE_API cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t);
FAKE_API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t*, cudaDataType_t, std::uint64_t rows, std::uint64_t cols, std::int64_t ld);
FAKE_API cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t);
FAKE_API cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t*);
FAKE_API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void*,
                                                             std::size_t);
FAKE_API cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t);
FAKE_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                       cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
                                                       cublasLtMatmulHeuristicResult_t[], int*);
FAKE_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void* alpha, const void* a, cublasLtMatrixLayout_t,
                                       const void* b, cublasLtMatrixLayout_t, const void* beta, const void* c, cublasLtMatrixLayout_t, void* d,
                                       cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void* workspace, std::size_t, cudaStream_t);
}

#endif
