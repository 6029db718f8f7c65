# Warnings for our own targets only.
add_library(steelyard_warnings INTERFACE)
target_compile_options(steelyard_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports impossible overlaps inside std::string concatenation (GCC bug 105651).
  target_compile_options(steelyard_warnings INTERFACE -Wno-restrict -Wno-missing-field-initializers)
endif()
if(STEELYARD_WERROR)
  target_compile_options(steelyard_warnings INTERFACE -Werror)
endif()
