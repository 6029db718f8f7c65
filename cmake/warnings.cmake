# Warnings for our own targets only.
add_library(steelyard_warnings INTERFACE)
target_compile_options(steelyard_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports impossible overlaps inside std::string concatenation (GCC bug 105651).
  target_compile_options(steelyard_warnings INTERFACE -Wno-restrict -Wno-missing-field-initializers)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (STEELYARD_SANITIZE OR STEELYARD_SANITIZE_THREADS))
  # GCC's manual, -fsanitize: sanitizers raise the rate of false warnings, most of all of this one. The plain build has it on.
  target_compile_options(steelyard_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
if(STEELYARD_WERROR)
  target_compile_options(steelyard_warnings INTERFACE -Werror)
endif()
