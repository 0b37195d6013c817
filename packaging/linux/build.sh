#!/usr/bin/env bash
# Makes the Debian package and the portable archive below dist/, from a clone on Debian or Ubuntu:
#   bash packaging/linux/build.sh [--reuse]
# What it needs is installed first; --reuse packs the bundle that an earlier run left in dist/spanlight.
set -euo pipefail
cd "$(dirname "$0")/../.."
missing=()
for pair in dpkg-shlibdeps:dpkg-dev strip:binutils desktop-file-validate:desktop-file-utils appstreamcli:appstream \
    xz:xz-utils lintian:lintian; do
    command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
# Debian's own Python is linked whole; the bundle takes its library.
own=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
if [ "$(command -v python3)" = /usr/bin/python3 ] && ! ldconfig -p | grep -q "lib$own.so.1.0"; then
    missing+=("lib$own")
fi
if [ "${#missing[@]}" -gt 0 ]; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
    else
        echo "Programs are missing here. Install them: sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
fi
if [ "${1:-}" != "--reuse" ]; then
    python3 packaging/bundle.py --output dist
fi
desktop-file-validate packaging/desktop/spanlight.desktop
appstreamcli validate --no-net packaging/desktop/app.spanlight.Spanlight.metainfo.xml
.venv/bin/python packaging/linux/package.py dist/spanlight dist
root=()
[ "$(id -u)" != 0 ] || root=(--allow-root)
lintian --no-cfg "${root[@]}" --fail-on error,warning dist/spanlight_*.deb
