#!/usr/bin/env bash
# The sources of a package that is installed, of the version that is: below source/ in the current folder.
#
#   debian_source.sh BINARY_PACKAGE
#
# Where packages come from is what apt was told on this machine. What was fetched once is kept beside Bazel's disk cache.
set -euo pipefail
binary=$1
read -r source version < <(dpkg-query -W -f '${source:Package} ${source:Version}\n' "$binary")
kept=${HOME:+$HOME/.cache/warpbeam/sources/${source}_$version.tar.gz}
if [ -n "$kept" ] && tar -xzf "$kept" 2>/dev/null; then exit; fi
rm -rf source
apt=$PWD/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"

# "    500 URI SUITE/COMPONENT ARCHITECTURE Packages", below the version that is installed.
apt-cache policy "$binary" | awk '
  /^ \*\*\*/ { is_ours = 1; next }
  is_ours && /^ {5}[^ ]/ { exit }
  is_ours && / Packages$/ { split($3, place, "/"); print "deb-src", $2, place[1], place[2] }
' | sort -u > "$apt/sources.list"
if [ ! -s "$apt/sources.list" ]; then
  echo "apt knows no archive that has $binary in the installed version ($version): run 'apt-get update'" >&2
  exit 1
fi
options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
apt-get "${options[@]}" -q update
apt-get "${options[@]}" -q source --download-only "$source=$version"
dpkg-source --no-check -x ./*.dsc source
rm -rf "$apt" ./*.tar.* ./*.dsc
if [ -n "$kept" ] && mkdir -p "${kept%/*}" 2>/dev/null; then
  tar -czf "$kept.$$" source && mv -f "$kept.$$" "$kept" || rm -f "$kept.$$"
fi
