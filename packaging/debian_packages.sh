#!/usr/bin/env bash
# Install what a slow suite needs besides the set-up, where apt-get and root allow it.
# Usage: packaging/debian_packages.sh PROGRAM:PACKAGE…   Ends with 3 and a sentence where it cannot.
set -euo pipefail

missing=""
for pair in "$@"; do
    PATH="$PATH:/usr/sbin:/sbin:/usr/libexec" command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair#*:}"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "debian_packages: as root, install what these packages of Debian hold:$missing" >&2
    exit 3
fi
echo "debian_packages: installing$missing"
exec 9>/var/lock/benchseal-packages && flock 9 # suites side by side install one after the other
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
if ! { apt-get install -y -qq --no-install-recommends $missing ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; }; } \
    >/dev/null 2>&1; then
    echo "debian_packages: apt-get could not install:$missing" >&2
    exit 3
fi
