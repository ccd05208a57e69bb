# find_package(warpbeam): the target warpbeam::warpbeam, for C++17 and C.
#
# The component dist, servers and sessions of a cluster, is in the same library. The component cuda is a file that the
# library opens by itself: it is there if Warpbeam was installed with it.
get_filename_component(_warpbeam_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_warpbeam_headers "${CMAKE_CURRENT_LIST_DIR}/@HEADERS@" ABSOLUTE)

if(NOT TARGET warpbeam::warpbeam)
  add_library(warpbeam::warpbeam SHARED IMPORTED)
  set_target_properties(warpbeam::warpbeam PROPERTIES
    IMPORTED_LOCATION "${_warpbeam_libraries}/libwarpbeam.so"
    INTERFACE_INCLUDE_DIRECTORIES "${_warpbeam_headers}")
  get_property(_warpbeam_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CXX" IN_LIST _warpbeam_languages)
    set_target_properties(warpbeam::warpbeam PROPERTIES INTERFACE_COMPILE_FEATURES cxx_std_17)
  endif()
  unset(_warpbeam_languages)
endif()

set(warpbeam_dist_FOUND TRUE)
set(_warpbeam_components dist)
if(EXISTS "${_warpbeam_libraries}/libwarpbeam_cuda.so.@VERSION@")
  set(warpbeam_cuda_FOUND TRUE)
  string(APPEND _warpbeam_components ", cuda")
endif()
foreach(_warpbeam_component IN LISTS warpbeam_FIND_COMPONENTS)
  if(NOT warpbeam_${_warpbeam_component}_FOUND AND warpbeam_FIND_REQUIRED_${_warpbeam_component})
    set(warpbeam_FOUND FALSE)
    set(warpbeam_NOT_FOUND_MESSAGE "warpbeam has no component ${_warpbeam_component}; it has: ${_warpbeam_components}")
  endif()
endforeach()
unset(_warpbeam_component)
unset(_warpbeam_components)
unset(_warpbeam_libraries)
unset(_warpbeam_headers)
