// Error texts as people report them: the code must come first (or, where a text is vague, among the first three).
#include <algorithm>
#include <steelyard/stack.hpp>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "rules/rules.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

struct Report {
  const char* code;
  const char* symptom;
  const char* gpu = "";
  const char* driver = "";
  const char* cuda = "";
  const char* framework = "";
  const char* version = "";
  const char* os = "";
  int gpus = 0;
};

const Report reports[] = {
    {"LIB_DRIVER_MISMATCH", "cuInit returns 803 in the pod while the host is fine: CUDA error 803", "", "535.129.03", "12.4"},
    {"LIB_DRIVER_MISMATCH", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH in the container", "A100-SXM4-80GB", "535.104.05"},
    {"LIB_DRIVER_MISMATCH", "cudaGetDeviceCount() failed: system has unsupported display driver / cuda driver combination"},
    {"LIB_DRIVER_MISMATCH", "ldconfig finds /usr/local/cuda/compat/libcuda.so.1 first", "", "550.54.15", "12.8"},
    {"FWD_COMPAT_UNSUPPORTED",
     "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW", "RTX 2080 Ti"},
    {"FWD_COMPAT_UNSUPPORTED", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "TITAN RTX", "450.80.02"},
    {"NO_KERNEL_IMAGE", "NVIDIA GeForce RTX 3090 with CUDA capability sm_86 is not compatible with the current PyTorch installation", "RTX 3090", "",
     "", "PyTorch", "1.7.1"},
    {"NO_KERNEL_IMAGE", "Found GPU0 Tesla K80 which is of cuda capability 3.7. PyTorch no longer supports this GPU because it is too old.", "K80"},
    {"NO_KERNEL_IMAGE", "CUDA error: invalid device function", "RTX 5080", "570.124.06", "12.4"},
    {"NO_KERNEL_IMAGE", "ptxas fatal : Value 'sm_120' is not defined for option 'gpu-name'", "RTX 5090"},
    {"NO_KERNEL_IMAGE", "nvrtc: error: invalid value for --gpu-architecture (-arch)", "RTX 4090", "", "11.3"},
    {"NO_KERNEL_IMAGE", "cudaErrorNoKernelImageForDevice", "B200", "570.124.06", "", "PyTorch", "2.6.0+cu124"},
    {"NO_KERNEL_IMAGE", "CUDA_ERROR_NO_BINARY_FOR_GPU on the new cards", "RTX PRO 6000 Blackwell Server Edition"},
    {"NO_KERNEL_IMAGE", "nvcc fatal   : Unsupported gpu architecture 'compute_89'", "RTX 4090", "", "11.7"},
    {"NO_KERNEL_IMAGE", "warning that the card is too new for this torch, kernels fail", "RTX 5070 Ti", "", "", "PyTorch", "2.4.0"},
    {"NO_KERNEL_IMAGE", "wheel no longer contains sm_61", "GTX 1080 Ti", "", "", "PyTorch", "2.8.0+cu129"},
    {"PTX_TOO_NEW", "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "",
     "535.183.01", "12.6"},
    {"PTX_TOO_NEW", "ptxas application ptx input, line 9; fatal : Unsupported .version 8.4; current version is '8.2'", "A100-SXM4-80GB", "535.54.03"},
    {"PTX_TOO_NEW", "cudaErrorUnsupportedPtxVersion: the provided PTX was compiled with an unsupported toolchain", "T4", "470.141.03", "11.8"},
    {"DRIVER_TOO_OLD", "CUDA driver version is insufficient for CUDA runtime version", "", "418.67", "10.2"},
    {"DRIVER_TOO_OLD", "RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver", "",
     "535.54.03", "", "PyTorch", "2.11.0"},
    {"DRIVER_TOO_OLD", "after pip install -U torch it falls back to CPU: driver too old", "L40S", "550.90.07", "", "PyTorch", "2.12.0"},
    {"DRIVER_TOO_OLD", "API call is not supported in the installed CUDA driver", "", "470.57.02", "12.1"},
    {"DRIVER_TOO_OLD", "the cu130 image does not find the GPU", "H100-SXM5-80GB", "550.54.15"},
    {"DRIVER_OK_MINOR_COMPAT", "nvidia-smi shows CUDA 12.2 but the wheel is cu128: does it run?", "A100-SXM4-80GB", "535.129.03", "12.8"},
    {"DRIVER_OK_MINOR_COMPAT", "can I use CUDA 12.4 with this driver", "L4", "525.105.17", "12.4"},
    {"DRIVER_OK_MINOR_COMPAT", "works although nvidia-smi prints an older CUDA", "H100-SXM5-80GB", "535.54.03", "12.6"},
    {"CONTAINER_REQUIRE",
     "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.1, please update your driver to a newer version, or use an earlier "
     "cuda container: unknown",
     "T4", "470.82.01"},
    {"CONTAINER_REQUIRE", "pod stays in CrashLoopBackOff: unsatisfied condition: brand = tesla", "RTX 4090", "525.60.13"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]]"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "unknown or invalid runtime name: nvidia", "", "550.54.14"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "Failed to initialize NVML: Unknown Error after some hours in the container"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "nvidia-container-cli: container error: cgroup subsystem devices not found: unknown"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "since the driver upgrade docker containers with --gpus all no longer start", "", "560.94", "", "", "",
     "Windows 11, Docker Desktop"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "failed to discover GPU from NVML: unresolvable CDI devices nvidia.com/gpu=all"},
    {"WRONG_CUDA_VARIANT", "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory", "", "", "12.1"},
    {"WRONG_CUDA_VARIANT", "Could not load library libcudnn_cnn_infer.so.8", "", "", "12.4", "PyTorch", "2.4.0"},
    {"WRONG_CUDA_VARIANT", "undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12"},
    {"WRONG_CUDA_VARIANT", "The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.1)", "", "", "11.8",
     "PyTorch", "2.3.0+cu121"},
    {"WRONG_CUDA_VARIANT", "flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi"},
    {"WRONG_CUDA_VARIANT", "AssertionError: Torch not compiled with CUDA enabled"},
    {"WRONG_CUDA_VARIANT", "RuntimeError: operator torchvision::nms does not exist", "", "", "", "PyTorch", "2.5.1"},
    {"WRONG_CUDA_VARIANT", "Cannot dlopen some GPU libraries. Skipping registering GPU devices...", "", "", "12.4", "TensorFlow", "2.11"},
    {"WRONG_CUDA_VARIANT", "Failed to create CUDAExecutionProvider, falls back to CPU", "", "", "12.2", "ONNX Runtime GPU", "1.17.0"},
    {"WRONG_CUDA_VARIANT", "pip replaced the torch of the image by a CPU build"},
    {"WRONG_CUDA_VARIANT", "bitsandbytes was compiled without GPU support", "", "", "11.8"},
    {"WRONG_CUDA_VARIANT", "ImportError: vllm/_C.abi3.so: undefined symbol: _ZNK3c1011StorageImpl27throw_data_ptr_access_error", "", "", "", "vLLM",
     "0.6.3"},
    {"FEATURE_CC_TOO_LOW",
     "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla V100 GPU has compute capability 7.0",
     "V100-SXM2-32GB"},
    {"FEATURE_CC_TOO_LOW", "RuntimeError: FlashAttention only supports Ampere GPUs or newer.", "RTX 2080 Ti"},
    {"FEATURE_CC_TOO_LOW", "type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')", "A100-SXM4-80GB"},
    {"FEATURE_CC_TOO_LOW", "The quantization method fp8 is not supported for the current GPU. Minimum capability: 89. Current capability: 86.",
     "RTX 3090"},
    {"FEATURE_CC_TOO_LOW", "torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+", "A6000"},
    {"FEATURE_CC_TOO_LOW", "Feature '.bf16' requires .target sm_80 or higher", "T4"},
    {"FEATURE_CC_TOO_LOW", "sinks are only supported in FlashAttention 3", "A100-SXM4-80GB"},
    {"FEATURE_CC_TOO_LOW", "NVFP4 checkpoint fails to load", "H100-SXM5-80GB"},
    {"FEATURE_CC_TOO_LOW", "requires device with capability > (8, 0) but your GPU has capability (7, 5) (too old)", "T4"},
    {"GLIBC_TOO_OLD", "/lib64/libm.so.6: version `GLIBC_2.29' not found (required by libtritonserver.so)", "", "", "", "", "", "CentOS 7"},
    {"GLIBC_TOO_OLD", "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found"},
    {"GLIBC_TOO_OLD", "torch-2.7.0-cp311-cp311-manylinux_2_28_x86_64.whl is not a supported wheel on this platform", "", "", "", "PyTorch", "2.7.0",
     "Ubuntu 18.04"},
    {"FABRIC_NOT_READY", "cudaErrorSystemNotReady on a p4d instance", "A100-SXM4-40GB"},
    {"FABRIC_NOT_READY", "Error 802: system not yet initialized", "H100-SXM5-80GB", "535.161.08"},
    {"FABRIC_NOT_READY", "nvidia-smi -q shows Fabric State: In Progress, all collectives fail", "H200-SXM-141GB"},
    {"FABRIC_NOT_READY", "transport/nvls.cc: NCCL WARN Cuda failure 'CUDA_ERROR_SYSTEM_NOT_READY', Cuda multicast bind failed", "H100-SXM5-80GB"},
    {"FABRIC_NOT_READY", "request to query NVSwitch device information failed: NV_WARN_NOTHING_TO_DO", "B200"},
    {"FM_VERSION_MISMATCH", "fabric manager NVIDIA GPU driver interface version 535.161.08 don't match with driver version 535.183.01", "",
     "535.183.01"},
    {"FM_VERSION_MISMATCH", "nvidia-fabricmanager.service failed to start after the driver was updated", "H100-SXM5-80GB", "550.127.05"},
    {"FM_NOT_NEEDED", "nv-fabricmanager: NV_WARN_NOTHING_TO_DO", "A40"},
    {"FM_NOT_NEEDED", "nvidia-fabricmanager service fails to start", "A100-PCIe-80GB", "550.54.15"},
    {"P2P_BROKEN", "all_reduce_perf hangs on two cards", "RTX 4090", "525.78.01", "", "nccl-tests", "", "", 2},
    {"P2P_BROKEN", "tensor parallel 2 gives garbage output", "RTX 4090", "", "", "vLLM", "", "", 2},
    {"P2P_BROKEN", "peer access is not supported between these two devices", "RTX 3090", "", "", "", "", "", 2},
    {"P2P_BROKEN", "training is stuck at the first allreduce until NCCL_P2P_DISABLE=1 is set", "RTX 3080", "", "", "PyTorch", "", "", 4},
    {"DRIVER_BUG", "NCCL hangs with this driver, 535 is fine", "L40S", "555.42.02"},
    {"DRIVER_BUG", "regression: crashes since the update of the driver to 550.40.07, works again after a downgrade", "A100-SXM4-80GB", "550.40.07"},
    {"DRIVER_BUG", "Xid 119, timeout waiting for RPC from GSP", "H100-SXM5-80GB", "535.104.05"},
    {"OPEN_MODULE_REQUIRED", "NVRM: The NVIDIA GPU installed in this system requires use of the NVIDIA open kernel modules."},
    {"OPEN_MODULE_REQUIRED", "nvidia-smi: No devices were found", "RTX 5070 Ti", "570.133.07"},
    {"OPEN_MODULE_REQUIRED", "RmInitAdapter failed! (0x22:0x56:894)", "RTX PRO 6000 Blackwell Workstation Edition", "575.57.08"},
    {"OPEN_MODULE_REQUIRED", "the card is not detected with the distribution's nvidia-driver package", "RTX 5090", "570.86.16"},
    {"NVML_MISMATCH", "Failed to initialize NVML: Driver/library version mismatch", "", "535.171.04"},
    {"NVML_MISMATCH", "NVRM: API mismatch: the client has the version 550.54.15, but this kernel module has the version 535.161.07"},
    {"NVML_MISMATCH", "nvidia-smi fails after an apt upgrade until the next reboot"},
    {"WSL2_DRIVER", "torch.cuda.is_available() returns False", "RTX 4090", "", "", "PyTorch", "2.3.0", "WSL2"},
    {"WSL2_DRIVER", "Could not find libcuda.so.1", "", "", "", "TensorFlow", "2.15", "Windows 11 WSL2"},
    {"WSL2_DRIVER", "nvidia-container-cli: initialization error: WSL environment detected but no adapters were found"},
    // Packages and libraries in other words than the linker's.
    {"WRONG_CUDA_VARIANT", "the installer took torch 2.4 away and put torch 2.6 in its place, now xformers was built for another release"},
    {"WRONG_CUDA_VARIANT", "nvidia-nccl-cu12 and nvidia-nccl-cu13 lie in one environment"},
    {"WRONG_CUDA_VARIANT", "cudnn64_9.dll is missing", "RTX 4070"},
    {"NO_KERNEL_IMAGE", "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"},
    {"NO_KERNEL_IMAGE", "Target GPU SM 61 is not supported by this release", "GTX 1080"},
    {"NO_KERNEL_IMAGE", "the launcher installs a cu124 torch", "RTX 5090"},
    {"FEATURE_CC_TOO_LOW", "fp8 is not supported on sm_80", "A100-SXM4-80GB"},
    {"FEATURE_CC_TOO_LOW", "the kernel needs SM90", "L40S"},
    {"OPEN_MODULE_REQUIRED", "not supported by open nvidia.ko because it does not include the required GPU System Processor", "P4"},
    {"FM_VERSION_MISMATCH", "fabric manager went to 550.163 by an update, the driver is still 550.144"},
    {"DRIVER_BUG", "GSP heartbeat timed out", "RTX 5090", "590.48.01"},
    // Messages of single tools, and two messages at once.
    {"NO_KERNEL_IMAGE", "the serialized plan was generated on an incompatible device, expecting compute 8.9 got compute 8.0, please rebuild", "L40S"},
    {"WRONG_CUDA_VARIANT", "the .engine file was built with an older TensorRT: version tag does not match"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "nvidia-device-plugin-daemonset: could not load NVML library: libnvidia-ml.so.1"},
    {"NO_KERNEL_IMAGE", "inductor: ptxas stops with 'sm_103a is not defined'"},
    {"FEATURE_CC_TOO_LOW", "Assertion error (deepgemm-src/attention.hpp:136): Unsupported architecture", "A100-SXM4-80GB"},
    {"FEATURE_CC_TOO_LOW", "no FP4 MoE backend supports this configuration", "L40S"},
    {"WRONG_CUDA_VARIANT", "Error building extension 'cpu_adam' at the first step", "", "", "", "DeepSpeed", "0.15.0"},
    {"WRONG_CUDA_VARIANT", "ModuleNotFoundError: No module named 'pointops_cuda'"},
    {"WRONG_CUDA_VARIANT", "nvrtc: error: failed to open libnvrtc-builtins.so.12.4", "L4", "550.54.15", "12.4"},
    {"FEATURE_CC_TOO_LOW", "the int8 mode only works with sm >= 75", "V100-SXM2-32GB"},
    {"FEATURE_CC_TOO_LOW", "ERROR: Your GPU does not support Int8 Matmul!", "P100-PCIe-16GB"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "apptainer exec image.sif: ImportError: libcuda.so.1: cannot open shared object file: No such file or directory"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "podman run: CUDA driver version is insufficient for CUDA runtime version", "", "550.54.14", "11.8"},
    {"NVML_MISMATCH",
     "nvidia-smi: Driver/library version mismatch, and the model server prints: forward compatibility was attempted on non supported HW"},
    {"FM_NOT_NEEDED", "apt installed nvidia-fabricmanager on our box with two GeForce RTX 3090, its service failed"},
    {"FM_VERSION_MISMATCH", "the driver went up by the run file, fabric manager was held back by apt and fails"},
    {"FM_VERSION_MISMATCH", "nvidia-fabricmanager-535 is installed, validator pods fail", "H100-SXM5-80GB", "550.90.07"},
    {"PTX_TOO_NEW", "kernels compiled on the login node fail to load on this node", "A100-SXM4-80GB", "535.54.03", "12.6"},
    {"DRIVER_BUG", "allocation fails with this branch, it is working with 550.x", "", "570.133.20"},
    {"FEATURE_CC_TOO_LOW", "NVRM: this GPU is supported through the NVIDIA 580.xx Legacy drivers; the 600.10 NVIDIA driver will ignore this GPU"},
    {"LIB_DRIVER_MISMATCH", "kernel version 535.54.3 does not match DSO version 535.104.5 -- cannot find working devices in this configuration"},
    // Complaints in Chinese words.
    {"DRIVER_TOO_OLD", "显卡驱动版本过低，请升级驱动后再试"},
    {"NVML_MISMATCH", "nvidia-smi 报错：驱动和库版本不一致，前几天系统自动更新过驱动，一直没有重启"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "宿主机正常，docker 容器里看不到 GPU"},
    {"NO_KERNEL_IMAGE", "这个镜像里的 torch 不支持 sm_120 架构", "RTX 5090"},
    {"FEATURE_CC_TOO_LOW", "V100 不支持 bf16，训练直接报错", "V100-SXM2-32GB"},
    {"WRONG_CUDA_VARIANT", "编译 flash-attn 时 CUDA 版本与 PyTorch 的不一致"},
    {"P2P_BROKEN", "四卡训练一开始就卡死，单卡没有问题", "RTX 4090", "", "", "", "", "", 4},
    {"DRIVER_BUG", "升级驱动之后多机训练频繁掉卡，回退到 550 恢复正常", "H100-SXM5-80GB"},
    // A subject, but no known message.
    {"FABRIC_NOT_READY", "the nvswitch box shows 8 boards and none can be used", "", "570.124.06"},
    {"PTX_TOO_NEW", "no luck with the PTX that our compiler writes", "", "550.54.15", "12.6"},
    {"CONTAINER_TOOLKIT_TOO_OLD", "in the pod the GPU device is not mounted"},
    {"WSL2_DRIVER", "GPU access blocked by the operating system"},
    {"WSL2_DRIVER", "installed cuda-drivers in Ubuntu, now no CUDA-capable device is detected", "RTX 3060", "", "12.1", "", "",
     "Ubuntu 22.04 on WSL2"},
};

StackRequest request_of(const Report& report) {
  StackRequest request;
  request.symptom = report.symptom;
  request.gpu = report.gpu;
  request.driver = report.driver;
  request.cuda = report.cuda;
  request.framework = report.framework;
  request.framework_version = report.version;
  request.os = report.os;
  if (report.gpus) request.gpu_count = report.gpus;
  return request;
}

}  // namespace

TEST_CASE("reports as people write them") {
  const rules::Book book = rules::embedded_book("reference");
  for (const Report& report : reports) {
    const StackReport answer = check_stack(request_of(report), Catalog::embedded(), book);
    INFO(report.symptom);
    INFO(join(answer.codes, ", "));
    CHECK((answer.codes.empty() ? "none" : answer.codes.front()) == std::string(report.code));
    CHECK(answer.verdict != "unknown");
    CHECK(answer.verdict != "impossible");
    if (report.code != std::string("DRIVER_OK_MINOR_COMPAT")) CHECK_FALSE(answer.fixes.empty());
  }
}

TEST_CASE("texts without a fault of the stack give no code") {
  const rules::Book book = rules::embedded_book("reference");
  for (const char* text :
       {"step 1200 | loss 2.318 | 412.3 ms | tokens/s 318,400", "NET/IB : Using [0]mlx5_0:1/IB [RO]; Init COMPLETE",
        "Successfully configured all the available NVSwitches to route GPU NVLink traffic.", "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
        "fatal: the repository does not exist", "the download of the weights timed out", "cuDNN version: Could not collect; Is CUDA available: True",
        "pod evicted: ephemeral storage exceeded", "训练正常，吞吐 4.1 万 tokens/s，驱动 580",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024"}) {
    StackRequest request;
    request.symptom = text;
    INFO(text);
    const StackReport answer = check_stack(request, Catalog::embedded(), book);
    CHECK(answer.codes.empty());
    CHECK(answer.verdict == "unknown");
  }
}
