# The CUDA and NCCL plugins. Only kernels.cu needs nvcc; no link to libcuda or NVML, the runtime is static.
find_program(STEELYARD_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
set(cuda_root "")
if(STEELYARD_NVCC)
  file(REAL_PATH ${STEELYARD_NVCC} nvcc_file)
  cmake_path(GET nvcc_file PARENT_PATH cuda_root)
  cmake_path(GET cuda_root PARENT_PATH cuda_root)
endif()
find_path(STEELYARD_CUDA_INCLUDE cublasLt.h HINTS ${cuda_root}/include)
find_library(STEELYARD_CUDART_STATIC cudart_static HINTS ${cuda_root}/lib64 ${cuda_root}/lib PATH_SUFFIXES stubs)
if(NOT STEELYARD_NVCC OR NOT STEELYARD_CUDA_INCLUDE OR NOT STEELYARD_CUDART_STATIC)
  if(STEELYARD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "STEELYARD_CUDA is ON but nvcc, cublasLt.h or libcudart_static.a was not found")
  endif()
  message(STATUS "steelyard: no CUDA toolkit found, the CUDA and NCCL plugins are not built")
  return()
endif()

# From Turing to Blackwell, and PTX for what comes later.
set(STEELYARD_CUDA_ARCHITECTURES 75 80 86 89 90 100 120 CACHE STRING "Compute capabilities that the CUDA plugin is built for")
set(gencode "")
foreach(architecture ${STEELYARD_CUDA_ARCHITECTURES})
  list(APPEND gencode -gencode=arch=compute_${architecture},code=sm_${architecture})
endforeach()
list(GET STEELYARD_CUDA_ARCHITECTURES -1 newest)
list(APPEND gencode -gencode=arch=compute_${newest},code=compute_${newest})
message(STATUS "steelyard: CUDA plugins with ${STEELYARD_NVCC} for ${STEELYARD_CUDA_ARCHITECTURES} and PTX")

set(kernels ${CMAKE_CURRENT_BINARY_DIR}/probe_kernels.o)
add_custom_command(
  OUTPUT ${kernels}
  COMMAND ${STEELYARD_NVCC} -c -std=c++17 -O3 -Xcompiler=-fPIC,-fvisibility=hidden -I${PROJECT_SOURCE_DIR}/lib -I${PROJECT_SOURCE_DIR}/include
          ${gencode} --threads 2 -o ${kernels} ${CMAKE_CURRENT_LIST_DIR}/cuda/kernels.cu
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cuda/kernels.cu ${CMAKE_CURRENT_LIST_DIR}/cuda/kernels.hpp ${CMAKE_CURRENT_LIST_DIR}/cuda/launch.hpp
  COMMENT "Compiling GPU kernels"
  VERBATIM)
add_custom_target(steelyard_probe_kernels DEPENDS ${kernels})

function(steelyard_gpu_plugin backend)
  add_library(steelyard_probe_${backend} MODULE ${ARGN} ${kernels})
  add_dependencies(steelyard_probe_${backend} steelyard_probe_kernels)
  set_source_files_properties(${kernels} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_include_directories(steelyard_probe_${backend} SYSTEM PRIVATE ${STEELYARD_CUDA_INCLUDE})
  target_link_libraries(steelyard_probe_${backend} PRIVATE steelyard_probe_core steelyard_warnings ${STEELYARD_CUDART_STATIC} Threads::Threads rt)
  target_link_options(steelyard_probe_${backend} PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL -Wl,--gc-sections)
  steelyard_probe_place(steelyard_probe_${backend})
  install(TARGETS steelyard_probe_${backend} LIBRARY DESTINATION ${STEELYARD_LIBEXEC_DIR})
endfunction()

steelyard_gpu_plugin(cuda ${STEELYARD_CUDA_SOURCES} ${CMAKE_CURRENT_LIST_DIR}/cuda/plugin.cpp)

find_path(STEELYARD_NCCL_INCLUDE nccl.h HINTS ${cuda_root}/include)
find_library(STEELYARD_NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${cuda_root}/lib64 ${cuda_root}/lib)
if(STEELYARD_NCCL_INCLUDE AND STEELYARD_NCCL_LIBRARY)
  steelyard_gpu_plugin(nccl ${STEELYARD_CUDA_BASE} ${CMAKE_CURRENT_LIST_DIR}/nccl/engine.cpp ${CMAKE_CURRENT_LIST_DIR}/nccl/plugin.cpp)
  target_include_directories(steelyard_probe_nccl SYSTEM PRIVATE ${STEELYARD_NCCL_INCLUDE})
  target_link_libraries(steelyard_probe_nccl PRIVATE ${STEELYARD_NCCL_LIBRARY})
else()
  message(STATUS "steelyard: no NCCL found, its plugin is not built")
endif()
