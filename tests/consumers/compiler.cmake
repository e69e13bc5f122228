# What picklock says of the compiler described by -D options.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/picklock_requirements.cmake)
picklock_compiler_problem(problem)
if(problem)
  message(FATAL_ERROR "${problem}")
endif()
