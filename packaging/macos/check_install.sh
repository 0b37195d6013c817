#!/usr/bin/env bash
# Installs the disk image as a person does, has Spanlight check itself, removes it and looks at what is left:
#   bash packaging/macos/check_install.sh dist/spanlight-VERSION-macos-arm64.dmg
set -euo pipefail

image=$1
place=/Applications/Spanlight.app
mount=$(mktemp -d)
home=$(mktemp -d)

finish() {
    hdiutil detach -quiet "$mount" 2>/dev/null || true
    rm -rf "$home"
}
trap finish EXIT

if [ -e "$place" ]; then
    echo "$place is there already: it would be replaced." >&2
    exit 1
fi
hdiutil attach -quiet -nobrowse -readonly -mountpoint "$mount" "$image"
[ "$(readlink "$mount/Applications")" = /Applications ]
cp -R "$mount/Spanlight.app" "$place"
hdiutil detach -quiet "$mount"

echo "== what is installed checks itself"
plutil -lint "$place/Contents/Info.plist"
codesign --verify --deep --strict "$place"
SPANLIGHT_HOME=$home "$place/Contents/MacOS/spanlight" --version
SPANLIGHT_HOME=$home "$place/Contents/MacOS/spanlight" --check

echo "== removed"
rm -rf "$place"
left=$(find "$HOME/Library" -maxdepth 3 -iname '*spanlight*' 2>/dev/null || true)
if [ -n "$left" ]; then
    echo "These are left though all data was to be below SPANLIGHT_HOME:" >&2
    echo "$left" >&2
    exit 1
fi
echo "Nothing is left but the data below SPANLIGHT_HOME:"
find "$home" -type f | sed "s|^$home|  SPANLIGHT_HOME|"
