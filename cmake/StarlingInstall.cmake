# Installation and the package file: find_package(starling) gives starling::starling and, when built,
# starling::simulation.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(STARLING_EXPORTED starling)
if(TARGET starling_simulation)
  list(APPEND STARLING_EXPORTED starling_simulation)
endif()

install(TARGETS ${STARLING_EXPORTED} EXPORT starling-targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET with_source DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILE_SET alone DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET starling_torch)
  install(TARGETS starling_torch LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/starling")
endif()
if(TARGET starling_sim)
  install(TARGETS starling_sim LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/starling")
endif()
if(TARGET starling_program)
  install(TARGETS starling_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

install(EXPORT starling-targets NAMESPACE starling::
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/starling")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/starling-config.cmake.in"
  "${PROJECT_BINARY_DIR}/starling-config.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/starling")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/starling-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/starling-config.cmake"
              "${PROJECT_BINARY_DIR}/starling-config-version.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/starling")
