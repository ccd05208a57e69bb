# Where the files of an installation go: sourced by tools/install and tools/package, not run.
#
#   writable_folder PATH            prints its absolute path; it is made if need be, and must be writable
#   header_version                  prints what the headers say of themselves
#   build_for_installing            builds the library and the program; sets `version`. Where `with_cuda` is yes, the
#                                   library's plug-in for GPUs, too
#   lay_out ROOT LIB MOVABLE        LIB, such as lib, is where libraries are below ROOT; MOVABLE (yes or no) says whether
#                                   the folder is found from the files in it or is /usr

writable_folder() {
  if ! mkdir -p "$1" 2>/dev/null || [ ! -w "$1" ]; then
    echo "${0##*/}: cannot write to '$1': give a folder that this user may write to" >&2
    return 1
  fi
  (cd "$1" && pwd)
}

header_version() {
  sed -n 's/^#define WB_VERSION_[A-Z]* //p' frontend/c/c_api.h | paste -sd.
}

build_for_installing() {
  local targets=(//tools/packaging:libwarpbeam.so //tools:warpbeam) configs=(--config=self_contained)
  if [ "${with_cuda:-no}" = yes ]; then
    targets+=(//tools/packaging:libwarpbeam_cuda.so)
    configs+=(--config=cuda)
  fi
  run_bazel build "${configs[@]}" "${targets[@]}"
  version=$(header_version)
}

# A file that was there is replaced at once: programs that run go on with the old one.
_put() {
  local mode=$1 from=$2 to=$3
  mkdir -p "$(dirname "$to")"
  install -m "$mode" "$from" "$to.new"
  mv -f "$to.new" "$to"
}

_filled() {
  local from=$1 to=$2
  mkdir -p "$(dirname "$to")"
  sed -e "s|@VERSION@|$version|g" -e "s|@PREFIX@|$_prefix|g" -e "s|@LIBDIR@|$_libdir|g" -e "s|@RPATH@ *|$_rpath|g" \
    -e "s|@HEADERS@|$_headers|g" "$from" > "$to"
}

lay_out() {
  local root=$1 lib=$2 movable=$3 major=${version%%.*}
  local up=${lib//[!\/]/}  # a slash for each folder between the root and the libraries, but one
  local _prefix=/usr _libdir="\${prefix}/$lib" _rpath='' _headers="../../${up//\//../}../include"
  if [ "$movable" = yes ]; then
    _prefix="\${pcfiledir}/../..${up//\//\/..}"
    _rpath='-Wl,-rpath,${libdir} '
  fi
  _put 644 bazel-bin/tools/packaging/libwarpbeam.so "$root/$lib/libwarpbeam.so.$version"
  _put 755 bazel-bin/tools/warpbeam "$root/bin/warpbeam"
  strip --strip-unneeded "$root/$lib/libwarpbeam.so.$version" "$root/bin/warpbeam"
  # One of another build would not fit.
  rm -f "$root/$lib"/libwarpbeam_cuda.so.*
  if [ "${with_cuda:-no}" = yes ]; then
    _put 644 bazel-bin/tools/packaging/libwarpbeam_cuda.so "$root/$lib/libwarpbeam_cuda.so.$version"
    strip --strip-unneeded "$root/$lib/libwarpbeam_cuda.so.$version"
  fi
  ln -sfn "libwarpbeam.so.$version" "$root/$lib/libwarpbeam.so.$major"
  ln -sfn "libwarpbeam.so.$major" "$root/$lib/libwarpbeam.so"
  rm -rf "$root/include/warpbeam"
  python3 tools/packaging/headers.py . "$root/include"
  _filled tools/packaging/warpbeamConfig.cmake "$root/$lib/cmake/warpbeam/warpbeamConfig.cmake"
  _filled tools/packaging/warpbeamConfigVersion.cmake "$root/$lib/cmake/warpbeam/warpbeamConfigVersion.cmake"
  _filled tools/packaging/warpbeam.pc "$root/$lib/pkgconfig/warpbeam.pc"
  python3 tools/packaging/command_pages.py "$root/bin/warpbeam" "$version" "$root/share"
  mkdir -p "$root/share/doc/warpbeam"
  python3 tools/packaging/notices.py LICENSE > "$root/share/doc/warpbeam/copyright"
}
