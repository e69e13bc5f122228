# What users see of the build: the targets picklock::emulator and so on, the same by add_subdirectory and by
# find_package; what `cmake --install` installs; the Debian packages that cpack makes.
#
# Users link libpicklock, put together from the objects of the layers. As a shared library it is all there is, and
# only what the public headers declare is visible in it. Static, the lock client is an archive of its own,
# libpicklock_client, because it needs nothing of the system's: what the rest needs (Lua, xxhash) stays outside of
# it. In a build that has picklock as a subdirectory the static targets stand for their layers instead, so that
# nothing is compiled that is not used.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(client_layers base resp scripts lockclient lockclient_asio)
set(emulator_layers keyspace commands lua engine facade server)
if(PICKLOCK_BUILD_RACE)
  list(APPEND emulator_layers race)
endif()
list(TRANSFORM client_layers REPLACE "(.+)" "$<TARGET_OBJECTS:picklock_\\1>" OUTPUT_VARIABLE client_objects)
list(TRANSFORM emulator_layers REPLACE "(.+)" "$<TARGET_OBJECTS:picklock_\\1>" OUTPUT_VARIABLE emulator_objects)
list(TRANSFORM PICKLOCK_SYSTEM_MODULES PREPEND PkgConfig::PICKLOCK_ OUTPUT_VARIABLE system_libraries)

set(libraries "")
if(BUILD_SHARED_LIBS)
  add_library(picklock SHARED ${client_objects} ${emulator_objects})
  target_link_libraries(picklock PRIVATE ${system_libraries} Threads::Threads)
  set(libraries picklock)
elseif(PICKLOCK_INSTALL)
  add_library(picklock_client STATIC ${client_objects})
  target_link_libraries(picklock_client INTERFACE Threads::Threads)
  add_library(picklock STATIC ${emulator_objects})
  target_link_libraries(picklock INTERFACE picklock_client)
  foreach(library ${system_libraries})
    target_link_libraries(picklock INTERFACE $<INSTALL_INTERFACE:$<LINK_ONLY:${library}>>)
  endforeach()
  set_target_properties(picklock_client PROPERTIES EXPORT_NAME client_library)
  set(libraries picklock picklock_client)
endif()
if(libraries)
  set_target_properties(picklock PROPERTIES EXPORT_NAME library VERSION ${PROJECT_VERSION}
                                            SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set_target_properties(${libraries} PROPERTIES LINKER_LANGUAGE CXX)
endif()

# picklock_install_pc(<name>): the same for pkg-config, by what picklock_public, which calls this, was given.
function(picklock_install_pc name)
  set(pc_name picklock-${name})
  list(TRANSFORM arg_NEEDS PREPEND picklock- OUTPUT_VARIABLE pc_requires)
  string(REPLACE "_" "-" pc_name "${pc_name}")
  string(REPLACE "_" "-" pc_requires "${pc_requires}")
  # Static libraries are the rule: what they need is said outright and not for `pkg-config --static` alone.
  set(pc_libraries "-lpicklock")
  if(NOT BUILD_SHARED_LIBS)
    list(APPEND pc_requires ${arg_MODULES})
    set(pc_libraries "-lpicklock -lpicklock_client")
    if(arg_CLIENT)
      set(pc_libraries "-lpicklock_client")
    endif()
  endif()
  if(arg_ARCHIVE)
    get_target_property(options ${arg_ARCHIVE} INTERFACE_LINK_OPTIONS)
    string(REPLACE "LINKER:" "-Wl," options "${options}")
    string(PREPEND pc_libraries "${options} -l${arg_ARCHIVE} ")
  endif()
  list(TRANSFORM arg_DEFINITIONS PREPEND "-D" OUTPUT_VARIABLE pc_flags)
  list(JOIN pc_requires " " pc_requires)
  list(JOIN pc_flags " " pc_flags)
  # The libraries' folder may be one deeper (Debian's, of an installation into /usr).
  file(RELATIVE_PATH pc_prefix /usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig /usr)
  string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/picklock.pc.in ${PROJECT_BINARY_DIR}/packaging/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/packaging/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endfunction()

# picklock_public(<name> LAYER <layer> INCLUDES <folder>... [NEEDS <name>...] [MODULES <pkg-config module>...]
# [CLIENT] [ARCHIVE <target>] [DEFINITIONS ...]): the target picklock::<name> and its picklock-<name>.pc. CLIENT: it
# needs no more than libpicklock_client. The archive is linked beside the library.
set(picklock_components "")
function(picklock_public name)
  cmake_parse_arguments(arg "CLIENT" "LAYER;ARCHIVE" "INCLUDES;NEEDS;MODULES;DEFINITIONS" ${ARGN})
  set(target picklock_public_${name})
  add_library(${target} INTERFACE)
  add_library(picklock::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_compile_definitions(${target} INTERFACE ${arg_DEFINITIONS})
  foreach(folder ${arg_INCLUDES})
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${folder}>)
  endforeach()
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(PICKLOCK_SANITIZE)
    target_compile_options(${target} INTERFACE $<BUILD_INTERFACE:-fsanitize=${PICKLOCK_SANITIZE}>)
    target_link_options(${target} INTERFACE $<BUILD_INTERFACE:-fsanitize=${PICKLOCK_SANITIZE}>)
  endif()

  set(installed_library picklock::library)
  if(arg_CLIENT)
    set(installed_library picklock::client_library)
  endif()
  # The archive comes first: the linker looks for what it lacks in what follows.
  target_link_libraries(${target} INTERFACE ${arg_ARCHIVE})
  if(BUILD_SHARED_LIBS)
    target_link_libraries(${target} INTERFACE picklock)
  else()
    target_link_libraries(${target} INTERFACE $<BUILD_INTERFACE:$<LINK_ONLY:picklock_${arg_LAYER}>>
                                              $<INSTALL_INTERFACE:${installed_library}>)
  endif()
  target_link_libraries(${target} INTERFACE Threads::Threads)
  foreach(need ${arg_NEEDS})
    target_link_libraries(${target} INTERFACE picklock_public_${need})
  endforeach()
  set(picklock_components ${picklock_components} ${name} PARENT_SCOPE)
  if(PICKLOCK_INSTALL)
    install(TARGETS ${target} EXPORT picklock-targets)
    picklock_install_pc(${name})
  endif()
endfunction()

picklock_public(emulator LAYER facade INCLUDES emulator/include MODULES ${PICKLOCK_SYSTEM_MODULES})
picklock_public(server LAYER server INCLUDES emulator/include NEEDS emulator)
picklock_public(lockclient CLIENT LAYER lockclient INCLUDES emulator/include lockclient/include)
# The definitions are said for users of <picklock/asio.hpp>; lockclient/asio/CMakeLists.txt says why.
get_target_property(asio_definitions picklock_lockclient_asio INTERFACE_COMPILE_DEFINITIONS)
picklock_public(lockclient_asio CLIENT LAYER lockclient_asio INCLUDES lockclient/asio/include NEEDS lockclient
                DEFINITIONS ${asio_definitions})
if(PICKLOCK_BUILD_RACE)
  picklock_public(race LAYER race INCLUDES fuzz/include NEEDS emulator lockclient)
  picklock_public(simtime LAYER race INCLUDES fuzz/include NEEDS race ARCHIVE picklock_simtime)
endif()

if(NOT PICKLOCK_INSTALL)
  return()
endif()

set(headers emulator/include/ lockclient/include/ lockclient/asio/include/)
if(PICKLOCK_BUILD_RACE)
  list(APPEND headers fuzz/include/)
  list(APPEND libraries picklock_simtime)
endif()
install(DIRECTORY ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(TARGETS ${libraries} EXPORT picklock-targets ARCHIVE COMPONENT development LIBRARY COMPONENT development)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/picklock)
install(EXPORT picklock-targets NAMESPACE picklock:: DESTINATION ${config_folder} COMPONENT development)
configure_package_config_file(cmake/picklock-config.cmake.in ${PROJECT_BINARY_DIR}/packaging/picklock-config.cmake
                              INSTALL_DESTINATION ${config_folder} NO_SET_AND_CHECK_MACRO
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 every minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/packaging/picklock-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/packaging/picklock-config.cmake
              ${PROJECT_BINARY_DIR}/packaging/picklock-config-version.cmake cmake/picklock_requirements.cmake
        DESTINATION ${config_folder} COMPONENT development)

install(TARGETS picklock-server COMPONENT programs)
if(TARGET picklock-fuzz)
  install(TARGETS picklock-fuzz COMPONENT programs)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/picklock RENAME copyright COMPONENT programs)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpicklock-dev RENAME copyright COMPONENT development)

# `cpack` in the build folder: picklock, the programs, and libpicklock-dev, the library.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The picklock authors")
set(CPACK_PACKAGE_VENDOR picklock)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME picklock)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpicklock-dev)
list(TRANSFORM PICKLOCK_SYSTEM_MODULES REPLACE "(.+)" "PICKLOCK_PACKAGE_OF_\\1" OUTPUT_VARIABLE names)
set(packages "")
foreach(name ${names})
  list(APPEND packages ${${name}})
endforeach()
list(JOIN packages ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libasio-dev, pkg-config")
include(CPack)
