# Compiler settings and the two functions every room uses: starling_room() and starling_tests().

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(STARLING_CCACHE ccache)
if(STARLING_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are cached only if the cache may look past their time stamps. What is not in the cache is
  # not preprocessed to find that out: the list of headers that the compiler writes is enough.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${STARLING_CCACHE}")
endif()

find_package(Threads REQUIRED)

# Private to the project's own targets; never exported. Options are aggregates whose defaults stand in the
# type, so initialisers that leave members out are meant.
add_library(starling_warnings INTERFACE)
target_compile_options(starling_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Woverloaded-virtual
  -Wno-missing-field-initializers
  $<$<BOOL:${STARLING_WERROR}>:-Werror>)

# Same bits everywhere: no fused multiply-add chosen by the optimiser, strict IEEE otherwise.
add_compile_options(-ffp-contract=off)
if(STARLING_SANITIZE)
  # Null pointers and objects of another size stop the address sanitizer, too, and what is not aligned is looked for
  # where bytes become values, in wire/; everywhere these checks would take half of the time to compile.
  add_compile_options(
    -fsanitize=${STARLING_SANITIZE} -fno-sanitize=null,object-size,alignment -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${STARLING_SANITIZE})
  add_compile_definitions(STARLING_SANITIZED=1)
endif()

# starling_room(<target> SOURCES <file>... HEADERS <public header>...)
# Adds the files of this folder to a library target. Public headers are installed; those without a source of their
# name are compiled alone. For the others that source does it, which includes its header first: the lint reads
# sources without precompiled headers.
function(starling_room target)
  cmake_parse_arguments(ROOM "" "" "SOURCES;HEADERS" ${ARGN})
  if(STARLING_PRECOMPILE)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional> <span> <sstream>
      <string> <vector>)
  endif()
  target_sources(${target} PRIVATE ${ROOM_SOURCES})
  set(alone ${ROOM_HEADERS})
  list(TRANSFORM ROOM_SOURCES REPLACE "\\.cpp$" ".hpp" OUTPUT_VARIABLE headers_of_sources)
  list(REMOVE_ITEM alone ${headers_of_sources})
  set(with_source ${ROOM_HEADERS})
  list(REMOVE_ITEM with_source ${alone})
  target_sources(${target} PUBLIC
    FILE_SET with_source TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${with_source}
    FILE_SET alone TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${alone})
  set_target_properties(${target} PROPERTIES INTERFACE_HEADER_SETS_TO_VERIFY alone)
endfunction()

# starling_not_sanitized(<file>...): sources of the library that are little but templates of Eigen, which take a
# third of a minute each to instrument.
function(starling_not_sanitized)
  if(STARLING_SANITIZE)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY starling PROPERTIES
      COMPILE_OPTIONS -fno-sanitize=all SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# Tests are most of what there is to compile. The headers they share are compiled once, by the first of them,
# and the tests themselves are not optimised; what they test is. With sanitizers their own memory is still
# watched, but undefined behaviour is looked for in the library: the checks would double the time to compile.
function(starling_compile_quickly target)
  target_compile_options(${target} PRIVATE -O0 -fpch-preprocess)
  if(STARLING_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
  get_property(first GLOBAL PROPERTY STARLING_FIRST_TESTS)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY STARLING_FIRST_TESTS ${target})
    target_precompile_headers(${target} PRIVATE
      <algorithm> <chrono> <filesystem> <fstream> <functional> <map> <memory> <numeric> <optional>
      <span> <sstream> <string> <thread> <vector> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endfunction()

# starling_tests(<room> [ONE_THREAD] [LABELS <label>...] [TIMEOUT <s>] SOURCES <file>... [LIBRARIES <target>...])
# One test program a room; each test is its own process under ctest, but with sanitizers each half of the
# program is one, and slow ones are left out. Label "fast" by default. ONE_THREAD: nothing in it runs beside
# anything else, so there is nothing for the thread sanitizer to see, and it is not built with it.
function(starling_tests room)
  if(NOT STARLING_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(TESTS "ONE_THREAD" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(TESTS_ONE_THREAD AND STARLING_SANITIZE STREQUAL "thread")
    return()
  endif()
  if(NOT TESTS_LABELS)
    set(TESTS_LABELS fast)
  endif()
  if(STARLING_SANITIZE AND "slow" IN_LIST TESTS_LABELS)
    return()
  endif()
  if(NOT TESTS_TIMEOUT)
    set(TESTS_TIMEOUT 120)
  endif()
  set(name starling_${room}_tests)
  add_executable(${name} ${TESTS_SOURCES})
  target_link_libraries(${name} PRIVATE starling_test_support ${TESTS_LIBRARIES}
                        starling_warnings)
  starling_compile_quickly(${name})
  if(STARLING_SANITIZE)  # starting a sanitized process costs more than most tests
    foreach(half 0 1)  # so that a long program does not keep one core waiting
      add_test(NAME "${room}/${half}" COMMAND ${name})
      set_tests_properties("${room}/${half}" PROPERTIES
        TIMEOUT 900 LABELS "${TESTS_LABELS}"
        ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half}")
    endforeach()
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${room}/" DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       PROPERTIES TIMEOUT ${TESTS_TIMEOUT})
  # gtest_discover_tests() flattens lists among its properties, so several labels are set afterwards.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
  file(WRITE "${labels_file}"
    "foreach(test IN LISTS ${name}_TESTS)\n"
    "  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${TESTS_LABELS}\")\n"
    "endforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
endfunction()
