#!/usr/bin/env bash
# The frozen folder as an application and a disk image for macOS, signed and notarised where the
# names for that are set. Never tried: no Mac was at hand.
# Usage: packaging/elsewhere/macos.sh VERSION   after freezing into dist/benchseal
#        SIGN="Developer ID Application: …" and NOTARY=PROFILE (of xcrun notarytool) for others' Macs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version="$1"
app=dist/Benchseal.app
rm -rf "$app" dist/image
mkdir -p "$app/Contents/MacOS" dist/image
cp -R dist/benchseal/. "$app/Contents/MacOS/"
cat > "$app/Contents/Info.plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>CFBundleIdentifier</key><string>org.benchseal.benchseal</string>
  <key>CFBundleName</key><string>Benchseal</string>
  <key>CFBundleExecutable</key><string>benchseal</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>CFBundleShortVersionString</key><string>$version</string>
  <key>NSHighResolutionCapable</key><true/>
</dict></plist>
PLIST
if [ -n "${SIGN:-}" ]; then
    codesign --force --deep --options runtime --timestamp --sign "$SIGN" "$app"
fi
mv "$app" dist/image/
ln -s /Applications dist/image/Applications
image="dist/benchseal-$version-macos-$(uname -m).dmg"
hdiutil create -volname Benchseal -srcfolder dist/image -ov -format ULMO "$image"
if [ -n "${NOTARY:-}" ]; then
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY" --wait
    xcrun stapler staple "$image"
fi
