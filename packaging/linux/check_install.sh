#!/usr/bin/env bash
# Proves a Debian package by using it, as root on Debian:
#   bash packaging/linux/check_install.sh dist/spanlight_VERSION_ARCHITECTURE.deb [SUITE]
# In a fresh minimal Debian (debootstrap; SUITE is bookworm) the package is installed with what it depends on, and nothing
# else; `spanlight --check` is run, by root and by an ordinary user; that user's window is opened on a PDF named on the
# command line, under an X server outside, is asked by keyboard, handed a second file, and photographed
# (dist/installed.png); the package is purged, and what is left then is listed. Exits with 1 where anything is not so.
set -euo pipefail
package=$(readlink -f "$1")
suite=${2:-bookworm}
shots=$(dirname "$package")
[ "$(id -u)" = 0 ] || { echo "Start this as root: it makes a Debian of its own with debootstrap." >&2; exit 1; }
missing=()
for pair in debootstrap:debootstrap Xvfb:xvfb xdotool:xdotool import:imagemagick openbox:openbox; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
if [ "${#missing[@]}" -gt 0 ]; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

root=$(mktemp -d)
chmod 755 "$root"
display=:$((90 + RANDOM % 900))
server=
finish() {
    local code=$?
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    for folder in tmp/.X11-unix dev/shm dev/pts dev proc; do
        mountpoint -q "$root/$folder" && umount -l "$root/$folder" || true
    done
    if grep -q " $root/" /proc/mounts; then
        echo "$root is still in use; it stays." >&2
    else
        rm -rf --one-file-system "$root"
    fi
    [ "$code" = 0 ] || echo "FAILED" >&2
}
trap finish EXIT

step() { printf '\n== %s\n' "$*"; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
reader() {
    chroot --userspec=reader:reader "$root" env -i PATH=/usr/bin:/bin HOME=/home/reader USER=reader LANG=C.UTF-8 \
        XDG_RUNTIME_DIR=/run/user/1000 DISPLAY="$display" "$@"
}
listing() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./run \) -prune -o -print | sort); }
fail() { echo "$*" >&2; exit 1; }
until_true() { # SECONDS COMMAND...
    local end=$((SECONDS + $1)); shift
    until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 0.2; done
}

step "A minimal Debian ($suite)"
# What this machine itself installs from, where it says so.
mirror=${MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Label: Debian' 'Component: main' 2>/dev/null | head -n 1)}
mirror=${mirror:-http://deb.debian.org/debian}
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$shots/debootstrap.log" 2>&1 || { tail "$shots/debootstrap.log"; exit 1; }
rm "$shots/debootstrap.log"
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/shm "$root/dev/shm"
mount --bind /dev/pts "$root/dev/pts"
inside useradd --create-home --shell /bin/sh reader
mkdir -p "$root/run/user/1000"
inside chown reader:reader /run/user/1000
cp "$package" "$root/tmp/spanlight.deb"
du -sm --one-file-system "$root" | cut -f1 | sed 's/$/ MB/'

step "What the package depends on"
inside apt-get update -qq
inside apt-get satisfy -y -qq --no-install-recommends "$(dpkg-deb -f "$package" Depends)" >/dev/null
inside apt-get clean
listing >"$root/tmp/before"
du -sm --one-file-system "$root" | cut -f1 | sed 's/$/ MB/'

step "The package"
inside apt-get install -y -qq --no-install-recommends /tmp/spanlight.deb 2>&1 | grep -v "^Selecting\|^Preparing\|^(Reading" || true
inside dpkg --verify spanlight
inside du -sm /usr/lib/spanlight | cut -f1 | sed 's/$/ MB in \/usr\/lib\/spanlight/'

step "spanlight --check, by root and by an ordinary user"
inside spanlight --check >/dev/null 2>&1 || fail "spanlight --check fails for root."
reader spanlight --check 2>/dev/null

step "No screen"
said=$(chroot --userspec=reader:reader "$root" env -i PATH=/usr/bin:/bin HOME=/home/reader spanlight 2>&1) &&
    fail "A window without a screen should have been refused."
echo "$said"
[[ $said == "There is no screen here"* && $said != *$'\n'* ]] || fail "That should have been one sentence on the screen."

step "The window, opened on a PDF by an ordinary user"
mkdir -p "$root/tmp/.X11-unix"
Xvfb "$display" -screen 0 1400x900x24 -nolisten tcp >/dev/null 2>&1 &
server=$!
until_true 10 test -S "/tmp/.X11-unix/X${display#:}" || fail "Xvfb did not start."
mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
DISPLAY=$display openbox >/dev/null 2>&1 &
samples=$root/usr/lib/spanlight/_internal/resources/check
cp "$samples/lighthouse.pdf" "$root/home/reader/Überblick 1.pdf"
cp "$samples/lighthouse.txt" "$root/home/reader/second.txt"
inside chown -R reader:reader /home/reader
on_screen() { DISPLAY=$display "$@"; }
titled() { on_screen xdotool search --onlyvisible --name "Spanlight" | grep -q .; }
asked() { reader spanlight history | grep -q "$1"; }
began=$(date +%s%N)
reader spanlight "/home/reader/Überblick 1.pdf" &
until_true 30 titled || fail "No window came up."
echo "the window after $((($(date +%s%N) - began) / 1000000)) ms (the first start: nothing is in memory yet)"
sleep 3
on_screen xdotool search --onlyvisible --name Spanlight windowactivate --sync
on_screen xdotool key ctrl+l
on_screen xdotool type --delay 20 "Who built the lighthouse?"
on_screen xdotool key Return
until_true 30 asked "Agnes Thorburn" || fail "The answer is not in the history."
reader spanlight history | head -n 12
sleep 1
on_screen import -window root "$shots/installed.png"

step "A second start hands its file to the window that is open"
( cd "$root" && reader sh -c "cd /home/reader && spanlight second.txt" )
sleep 2
on_screen import -window root "$shots/installed-second.png"
[ "$(on_screen xdotool search --onlyvisible --class spanlight | wc -l)" = 1 ] || fail "There is more than one window."
on_screen xdotool search --onlyvisible --name Spanlight windowactivate --sync key ctrl+q
gone() { # no process whose system is the one made here
    for process in $(pgrep -f /usr/lib/spanlight/spanlight); do
        [ "$(readlink "/proc/$process/root")" != "$root" ] || return 1
    done
}
until_true 15 gone || fail "A process of Spanlight's stayed after its window was closed."

step "Removed"
inside apt-get purge -y -qq spanlight 2>&1 | grep -v "^(Reading" || true
listing >"$root/tmp/after"
left=$(comm -13 "$root/tmp/before" "$root/tmp/after")
echo "Left:"
echo "$left"
# What a person kept, and the books and caches of dpkg, apt and fontconfig.
others=$(grep -v -E "^\./home/reader(/|$)|^\./var/(lib/(dpkg|apt)|log|cache/(apt|debconf|fontconfig|ldconfig))(/|$)" <<<"$left" || true)
[ -z "$others" ] || fail "These should be gone: $others"
gone=$(comm -23 "$root/tmp/before" "$root/tmp/after" | grep -v -E "^\./var/(lib/(dpkg|apt)|log|cache)(/|$)" || true)
[ -z "$gone" ] || fail "These should be there still: $gone"
archive=$(find "$shots" -maxdepth 1 -name 'spanlight-*-linux-*.tar.xz' | head -n 1)
if [ -n "$archive" ]; then
    step "The archive, unpacked by that user into a folder of his, and started by a link"
    mkdir "$root/home/reader/any folder"
    tar -xJf "$archive" -C "$root/home/reader/any folder" --strip-components=1
    ln -s "any folder/spanlight" "$root/home/reader/link"
    inside chown -R reader:reader /home/reader
    reader /home/reader/link --check 2>/dev/null | tail -n 1
fi
printf '\nAll of it works. Pictures: %s\n' "$shots/installed.png"
