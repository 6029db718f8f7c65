# The helper program that runs one probe in a process of its own, and the plugins that it loads.
set(STEELYARD_MPI AUTO CACHE STRING "Build the MPI plugin for collectives between ranks: AUTO, ON or OFF")
set(STEELYARD_CUDA AUTO CACHE STRING "Build the CUDA and NCCL probe plugins: AUTO, ON or OFF")
foreach(option STEELYARD_MPI STEELYARD_CUDA)
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ${option} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${option} is '${${option}}'; allowed are AUTO, ON and OFF")
  endif()
endforeach()

find_package(Threads REQUIRED)
target_link_libraries(steelyard PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

# Products for wider instruction sets, chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/host/product_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/host/product_avx512.cpp PROPERTIES 
    COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mfma;$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>")  # of the compiler's own avx512fintrin.h
endif()

set(STEELYARD_LIBEXEC_DIR ${CMAKE_INSTALL_LIBEXECDIR}/steelyard)

# Helper and plugins lie in one folder, in the build tree as after installation.
set(STEELYARD_PROBE_DIR ${PROJECT_BINARY_DIR}/libexec/steelyard)
function(steelyard_probe_place target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${STEELYARD_PROBE_DIR} LIBRARY_OUTPUT_DIRECTORY ${STEELYARD_PROBE_DIR})
endfunction()

add_executable(steelyard_probe ${CMAKE_CURRENT_LIST_DIR}/helper/main.cpp)
set_target_properties(steelyard_probe PROPERTIES OUTPUT_NAME steelyard-probe)
target_include_directories(steelyard_probe PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(steelyard_probe PRIVATE steelyard steelyard_warnings Threads::Threads ${CMAKE_DL_LIBS})
steelyard_probe_place(steelyard_probe)
install(TARGETS steelyard_probe RUNTIME DESTINATION ${STEELYARD_LIBEXEC_DIR})

# The library looks for the helper here when it lies in none of the usual places.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/run/places.cpp PROPERTIES COMPILE_DEFINITIONS
  "STEELYARD_BUILD_PROBE_DIR=\"${STEELYARD_PROBE_DIR}\";STEELYARD_INSTALL_PROBE_DIR=\"${CMAKE_INSTALL_PREFIX}/${STEELYARD_LIBEXEC_DIR}\"")

if(NOT STEELYARD_MPI STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    message(STATUS "steelyard: MPI plugin with ${MPI_CXX_LIBRARIES}")
    add_library(steelyard_ranks_mpi MODULE ${CMAKE_CURRENT_LIST_DIR}/mpi/mpi.cpp)
    target_include_directories(steelyard_ranks_mpi PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(steelyard_ranks_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_link_libraries(steelyard_ranks_mpi PRIVATE MPI::MPI_CXX steelyard_warnings)
    steelyard_probe_place(steelyard_ranks_mpi)
    add_dependencies(steelyard_probe steelyard_ranks_mpi)
    install(TARGETS steelyard_ranks_mpi LIBRARY DESTINATION ${STEELYARD_LIBEXEC_DIR})
  elseif(STEELYARD_MPI STREQUAL "ON")
    message(FATAL_ERROR "STEELYARD_MPI is ON but no MPI was found (Debian: libopenmpi-dev)")
  else()
    message(STATUS "steelyard: no MPI found, ranks talk over TCP only (Debian: libopenmpi-dev)")
  endif()
endif()

# What a plugin needs of the library: requests, results, statistics, ranks.
add_library(steelyard_probe_core STATIC EXCLUDE_FROM_ALL
  calibrate/file_write.cpp calibrate/rates.cpp calibrate/sampler.cpp calibrate/statistics.cpp
  probes/probe.cpp probes/collectives.cpp probes/run/write_lines.cpp
  probes/ranks/launcher.cpp probes/ranks/plugin.cpp probes/ranks/socket.cpp probes/ranks/tcp.cpp $<TARGET_OBJECTS:steelyard_load>)
target_include_directories(steelyard_probe_core PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/lib)
target_link_libraries(steelyard_probe_core PUBLIC nlohmann_json::nlohmann_json yaml-cpp::yaml-cpp ${CMAKE_DL_LIBS} PRIVATE steelyard_warnings)

set(STEELYARD_CUDA_SOURCES device.cpp gemm.cpp launch_probes.cpp library.cpp matmul.cpp memory.cpp nvml.cpp peer.cpp probes.cpp probes_base.cpp state.cpp transfer.cpp)
list(TRANSFORM STEELYARD_CUDA_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/cuda/)
# NCCL's plugin takes these of the CUDA room.
set(STEELYARD_CUDA_BASE device.cpp library.cpp nvml.cpp probes_base.cpp)
list(TRANSFORM STEELYARD_CUDA_BASE PREPEND ${CMAKE_CURRENT_LIST_DIR}/cuda/)

if(NOT STEELYARD_CUDA STREQUAL "OFF")
  include(${CMAKE_CURRENT_LIST_DIR}/cuda.cmake)
endif()
