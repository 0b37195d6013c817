#!/usr/bin/env bash
# Makes the disk image for Macs with an Apple chip: bash packaging/macos/build.sh [--keep-bundle]
#
# Signed where MACOS_CERTIFICATE (a .p12 with a "Developer ID Application" certificate, in base64) and
# MACOS_CERTIFICATE_PASSWORD are set; notarised where NOTARY_KEY (an App Store Connect API key, .p8, in base64),
# NOTARY_KEY_ID and NOTARY_ISSUER are set too. Without them it says so; such an image opens on another Mac only after
# "Open anyway" in the system's settings.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=dist
app=$out/Spanlight.app
work=$out/macos
here=packaging/macos
keychain=

finish() {
    if [ -n "$keychain" ]; then
        security delete-keychain "$keychain" || true
    fi
    rm -rf "$work"
}
trap finish EXIT

if [ "$(uname -s) $(uname -m)" != "Darwin arm64" ]; then
    echo "This makes a disk image for Macs with an Apple chip, on one." >&2
    exit 1
fi
rm -rf "$work"
mkdir -p "$work"

if [ "${1:-}" != --keep-bundle ]; then
    python3 packaging/bundle.py --output "$out"
fi
[ -d "$app" ] || { echo "There is no $app." >&2; exit 1; }
version=$(PYTHONPATH=. python3 -c 'from app.core.about import VERSION; print(VERSION)')
image=$out/spanlight-$version-macos-arm64.dmg

identity=
if [ -n "${MACOS_CERTIFICATE:-}" ]; then
    keychain=$PWD/$work/signing.keychain-db
    password=$(openssl rand -hex 16)
    security create-keychain -p "$password" "$keychain"
    security set-keychain-settings -lut 3600 "$keychain"
    security unlock-keychain -p "$password" "$keychain"
    # codesign looks for the issuers in the list of keychains; deleting this one takes it off that list.
    security list-keychains -d user | tr -d '"' | sed 's/^ *//' >"$work/keychains"
    tr '\n' '\0' <"$work/keychains" | xargs -0 security list-keychains -d user -s "$keychain"
    printf %s "$MACOS_CERTIFICATE" | base64 --decode >"$work/certificate.p12"
    security import "$work/certificate.p12" -k "$keychain" -P "${MACOS_CERTIFICATE_PASSWORD:-}" -T /usr/bin/codesign
    rm "$work/certificate.p12"
    security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
    identity=$(security find-identity -v -p codesigning "$keychain" | awk '/Developer ID Application/ { print $2; exit }')
    [ -n "$identity" ] || { echo "The certificate is no Developer ID Application certificate." >&2; exit 1; }
fi

if [ -n "$identity" ]; then
    echo "== sign"
    # From the inside out: a signature covers those of what it holds.
    find "$app/Contents" -type f ! -path "*/Contents/MacOS/*" -print0 |
        while IFS= read -r -d '' file; do
            if file -b "$file" | grep -q '^Mach-O'; then
                codesign --force --timestamp --options runtime --keychain "$keychain" --sign "$identity" "$file"
            fi
        done
    find "$app/Contents/Frameworks" -type d -name '*.framework' -prune -exec \
        codesign --force --timestamp --options runtime --keychain "$keychain" --sign "$identity" '{}' +
    codesign --force --timestamp --options runtime --keychain "$keychain" \
        --entitlements "$here/entitlements.plist" --sign "$identity" "$app"
else
    echo "== not signed, as there is no certificate: the bundle gets a signature of no one's"
    codesign --force --sign - "$app"
fi
codesign --verify --deep --strict --verbose=1 "$app"

echo "== the icon is one that the system reads"
iconutil --convert iconset --output "$work/spanlight.iconset" "$app/Contents/Resources/spanlight.icns"

echo "== disk image"
mkdir "$work/image"
cp -R "$app" "$work/image/"
ln -s /Applications "$work/image/Applications"
rm -f "$image"
hdiutil create -quiet -volname Spanlight -srcfolder "$work/image" -fs HFS+ -format ULMO "$image"

if [ -n "$identity" ]; then
    codesign --force --timestamp --keychain "$keychain" --sign "$identity" "$image"
fi
if [ -n "$identity" ] && [ -n "${NOTARY_KEY:-}" ]; then
    echo "== notarise"
    printf %s "$NOTARY_KEY" | base64 --decode >"$work/notary.p8"
    xcrun notarytool submit "$image" --wait --timeout 1h \
        --key "$work/notary.p8" --key-id "$NOTARY_KEY_ID" --issuer "$NOTARY_ISSUER"
    rm "$work/notary.p8"
    xcrun stapler staple "$image"
    xcrun stapler validate "$image"
    spctl --assess --type open --context context:primary-signature --verbose "$image"
else
    echo "== not notarised, as there is no key for it"
fi
hdiutil verify -quiet "$image"
ls -l "$image"
