#!/bin/sh
# Starts Spanlight; where it cannot run, one sentence says why. packaging/linux/package.py fills in what stands in @ @.
here=$(readlink -f "$0")
folder=${here%/*}/@FOLDER@
for needed in "$folder/spanlight" "$folder/_internal/base_library.zip" "$folder"/_internal/libpython*; do
    if ! [ -e "$needed" ]; then
        echo "Spanlight is not whole: $needed is missing. Install it again." >&2
        exit 2
    fi
done
machine=$(uname -m)
if [ "$machine" != "@MACHINE@" ]; then
    echo "This Spanlight was made for @MACHINE@, and this computer is $machine. Get the one made for it." >&2
    exit 2
fi
has=$(getconf GNU_LIBC_VERSION 2>/dev/null)
has=${has#glibc }
minor=${has#*.}
minor=${minor%%.*}
if [ "${has%%.*}" != 2 ] || [ "${minor:-0}" -lt "@GLIBC_MINOR@" ]; then
    echo "This Spanlight needs glibc 2.@GLIBC_MINOR@ or newer, as @SYSTEM@ has it, and here is ${has:-none}. Use a newer system, or start it from its source." >&2
    exit 2
fi
exec "$folder/spanlight" "$@"
