# Settings that every target of the project shares.
function(picklock_target_settings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # What users of a library may see the public headers say, by a pragma.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(BUILD_SHARED_LIBS)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wno-missing-field-initializers)
  # g++ 12 sees overlapping copies in `"literal" + std::string` where there are none (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  # Without optimisation it takes a coroutine's frame for one that nobody's operator new has made.
  target_compile_options(${target} PRIVATE
                         $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Debug>>:-Wno-mismatched-new-delete>)
  if(PICKLOCK_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${PICKLOCK_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${PICKLOCK_SANITIZE})
  endif()
endfunction()

# picklock_library(<layer> [DEPENDS ...] [PUBLIC_DEPENDS ...]): a static library of every .cpp in this
# folder (or, with SOURCES, of those) under the name picklock_<layer>.
function(picklock_library layer)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${layer}/*.cpp)
  endif()
  if(NOT arg_SOURCES)
    return()
  endif()
  add_library(picklock_${layer} STATIC ${arg_SOURCES})
  target_include_directories(
    picklock_${layer}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/emulator/include>)
  target_link_libraries(picklock_${layer} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  picklock_target_settings(picklock_${layer})
endfunction()
