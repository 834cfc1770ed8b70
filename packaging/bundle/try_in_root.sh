#!/usr/bin/env bash
# Install the package of Debian in a root that debootstrap makes, without Python and without this
# source, and work with it as another user: commands, workers, the window by keys, an upgrade, and
# nothing is left of it at the end.
# Usage: packaging/bundle/try_in_root.sh [SUITE [MIRROR]]   as root, after make bundle
#        SUITE is bookworm without one; KEEP=1 leaves the root for the next try. Ubuntu needs
#        COMPONENTS=main,universe and its keys (Debian 13: ubuntu-keyring)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
suite="${1:-bookworm}"
mirror="${2:-}"  # without one that of debootstrap
root="/var/tmp/benchseal-try-$suite"
[ "$(id -u)" = 0 ] || { echo "try_in_root: run it as root" >&2; exit 3; }
# mounts and processes of the root end with this one
if [ -z "${TRY_INSIDE:-}" ]; then
    bash packaging/debian_packages.sh debootstrap:debootstrap xdotool:xdotool Xvfb:xvfb lintian:lintian \
        weston:weston
    export TRY_INSIDE=1
    exec unshare --mount --pid --fork --kill-child bash "$PWD/packaging/bundle/try_in_root.sh" "$@"
fi
program="$(find dist -name 'benchseal_*.deb' | sort | head -n 1)"
extras="$(find dist -name 'benchseal-extras_*.deb' | sort | head -n 1)"
[ -n "$program" ] && [ -n "$extras" ] || { echo "try_in_root: run make bundle first" >&2; exit 3; }
log="$(mktemp -d)"
bad=0
now() { printf '%-66s' "$*"; }
good() { echo "good${1:+  $1}"; }
wrong() { echo "WRONG  $1"; bad=1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"; }
ann() { inside su ann -c "cd && $1"; }
# what somebody does: its words, then the command
does() {
    now "$1"
    if ann "$2" > "$log/out" 2> "$log/err"; then good; else wrong "$(tail -n 2 "$log/err" "$log/out")"; fi
}

if ! [ -d "$root" ]; then
    echo "try_in_root: making $root ($suite)"
    debootstrap --variant=minbase --components="${COMPONENTS:-main}" "$suite" "$root" ${mirror:+"$mirror"} > "$log/debootstrap" ||
        { tail -n 3 "$log/debootstrap"; exit 3; }
fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mkdir -p "$root/tmp/.X11-unix" /tmp/.X11-unix
mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$program" "$extras" "$root/srv/"
# a root that was kept may hold an earlier try
inside dpkg --purge benchseal-extras benchseal > /dev/null 2>&1 || true
inside userdel --remove ann > /dev/null 2>&1 || true
inside useradd --create-home --shell /bin/bash ann
trap 'kill $(jobs -p) 2>/dev/null || true; [ -n "${KEEP:-}" ] || { umount -R "$root/proc" "$root/dev" "$root/tmp/.X11-unix"; rm -rf "$root"; }; rm -rf "$log"' EXIT

now "dpkg names what it depends on, apt brings it"
inside dpkg -i "/srv/${program##*/}" > "$log/out" 2>&1 || true
inside apt-get update -qq > "$log/apt" 2>&1 || true
if inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -f > "$log/apt" 2>&1 && inside dpkg -s benchseal | grep -q "^Status: install ok installed"; then
    good
else
    wrong "$(tail -n 2 "$log/apt")"
fi
now "there is no Python"
if inside sh -c "command -v python3 || command -v python"; then wrong "but there is"; else good; fi
does "it says its version" "benchseal --version"
does "the manual page and the files are whole" "dpkg --verify benchseal"
does "doctor" "benchseal doctor"
cp "$log/out" "$log/doctor"
does "the demonstration, with pictures and every run" "rm -rf demo && benchseal demo --headless --dir demo"
now "it took pictures of the panels"
count="$(find "$root/home/ann/demo" -name '*.png' | wc -l)"
if [ "$count" -ge 30 ]; then good "$count"; else wrong "$count"; fi
now "its runs are finished and it verifies"
if ann "benchseal --workspace demo verify --json" | grep -q '"sound": true' &&
    ! ann "benchseal --workspace demo runs" | grep -Eiq 'failed|running'; then good; else wrong ""; fi

# a model server on loopback, outside of the root
PYTHONPATH="$PWD" .venv/bin/python -u -c '
import time
from core.cli.demo.fake_model import stand_in_server
with stand_in_server() as address:
    print(address)
    time.sleep(3600)
' > "$log/address" &
until [ -s "$log/address" ]; do sleep 0.2; done
articles=/usr/lib/benchseal/_internal/resources/demo
does "items are generated from articles" "rm -rf own && benchseal --workspace own init --lead Ann &&
    benchseal --workspace own generate scp $articles --benchmark b --per-article 5"
does "a screening by a model server on this machine" "benchseal --workspace own screen --benchmark b \
    --base-url $(cat "$log/address") --model stand-in"
split="$(ann "benchseal --workspace demo split status --json" | grep -o '"name": "[^"]*"' | head -n 1 | cut -d '"' -f 4)"
does "an evaluation with a baseline, of the split $split" \
    "benchseal --workspace demo evaluate '$split' --engine baseline:tfidf --wait"
now "without the extras Parquet says what to install"
if ann "benchseal --workspace demo export '$split' --format parquet --out parquet" > "$log/out" 2> "$log/err"; then
    wrong "it was written"
elif grep -q "benchseal-extras" "$log/err"; then good; else wrong "$(tail -n 2 "$log/err")"; fi
now "the extras install"
if inside dpkg -i "/srv/${extras##*/}" > "$log/out" 2>&1; then good; else wrong "$(tail -n 2 "$log/out")"; fi
does "and Parquet is written" "rm -rf parquet && benchseal --workspace demo export '$split' --format parquet --out parquet"

Xvfb -displayfd 3 -screen 0 1400x900x24 3> "$log/display" > /dev/null 2>&1 &
until [ -s "$log/display" ]; do sleep 0.2; done
display=":$(cat "$log/display")"
now "the window opens on X and an item is accepted by keys"
events() { ann "benchseal --workspace own verify --json" | grep '"events"'; }
before="$(events)"
chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 DISPLAY="$display" \
    su -w DISPLAY ann -c "cd && benchseal gui --user Ann own" > "$log/window" 2>&1 &
window=""
for _ in $(seq 120); do
    window="$(DISPLAY="$display" xdotool search --onlyvisible --name Benchseal 2>/dev/null | head -n 1)" && [ -n "$window" ] && break
    sleep 0.5
done
keys() { for key in "$@"; do DISPLAY="$display" xdotool key "$key"; sleep 0.5; done; }
DISPLAY="$display" xdotool windowfocus "$window" 2>/dev/null || true
for _ in $(seq 20); do
    keys a
    [ "$(events)" = "$before" ] || break
done
if [ "$(events)" != "$before" ]; then good; else wrong "$(tail -n 2 "$log/window")"; fi
now "Ctrl+Q closes it"
keys ctrl+q
for _ in $(seq 20); do
    DISPLAY="$display" xdotool search --onlyvisible --name Benchseal > /dev/null 2>&1 || break
    sleep 0.5
done
if DISPLAY="$display" xdotool search --onlyvisible --name Benchseal > /dev/null 2>&1; then wrong ""; else good; fi

now "the window opens on Wayland"
inside apt-get install -y -qq --no-install-recommends libwayland-client0 libwayland-cursor0 \
    libwayland-egl1 > "$log/apt" 2>&1
runtime=/run/try-wayland
mkdir -p "$root$runtime"
chmod 700 "$root$runtime"
XDG_RUNTIME_DIR="$root$runtime" weston --backend=headless-backend.so --socket=wayland-try \
    --width=1400 --height=900 > "$log/weston" 2>&1 &
until [ -S "$root$runtime/wayland-try" ]; do sleep 0.2; done
chown -R "$(stat -c %u:%g "$root/home/ann")" "$root$runtime"
chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 WAYLAND_DISPLAY=wayland-try WAYLAND_DEBUG=1 \
    XDG_RUNTIME_DIR="$runtime" su -w WAYLAND_DISPLAY,WAYLAND_DEBUG,XDG_RUNTIME_DIR ann \
    -c "cd && timeout 60 benchseal gui --user Ann own" > "$log/wayland" 2>&1 &
for _ in $(seq 100); do
    grep -q 'set_title("own' "$log/wayland" && break
    sleep 0.5
done
if grep -q 'set_title("own' "$log/wayland"; then good; else wrong "$(tail -n 2 "$log/wayland")"; fi

now "a window that was aborted leaves a report without names and texts"
crashes="$root/home/ann/.local/state/benchseal/crashes"
rm -rf "$crashes"
number=""
opens() {
    local before="$number" log_of=""
    chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 DISPLAY="$display" \
        su -w DISPLAY ann -c "cd && benchseal gui --user Ann own" > "$log/window" 2>&1 &
    for _ in $(seq 240); do
        # not that of the window before, which lies there until this one has made a report of it
        log_of="$(grep -l place "$crashes"/running-*.log 2>/dev/null | grep -v -- "-$before.log" | head -n 1)" || true
        [ -n "$log_of" ] && break
        sleep 0.5
    done
    number="${log_of##*running-}"
    number="${number%.log}"
}
opens && kill -ABRT "$number" && opens && kill "$number"
report="$(find "$crashes" -name '*crash-*.txt' | head -n 1)"
if [ -n "$report" ] && grep -q "core/cli/workspace/start.py" "$report" && grep -q "place " "$report" &&
    ! grep -Eq "Ann|/home" "$report"; then good; else wrong "$(head -n 5 "$report" 2>/dev/null)"; fi

older="$root/home/ann/older"
mkdir -p "$older"
PYTHONPATH="$PWD" .venv/bin/python -c '
import sys; from pathlib import Path; from tests.old_workspaces import first_schema
first_schema(Path(sys.argv[1]))' "$older/workspace.db"
chown -R "$(stat -c %u:%g "$root/home/ann")" "$older"
does "a workspace of the first version is brought up to date" "benchseal --workspace older items --json"
now "and saved before, which it says"
if grep -q "brought up to date.*/home/ann/older/backups/" "$log/err"; then good; else wrong "$(tail -n 2 "$log/err")"; fi
does "its backup is restored and opens" "rm -rf again &&
    benchseal restore older/backups/*.db --workspace again && benchseal --workspace again items --json"

next="$(dpkg-deb --field "$program" Version).1"
now "an upgrade to $next"
dpkg-deb --raw-extract "$program" "$log/next"
sed -i "s/^Version: .*/Version: $next/" "$log/next/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$log/next" "$root/srv/next.deb" > /dev/null
inside dpkg -r benchseal-extras > /dev/null 2>&1
if inside dpkg -i /srv/next.deb > "$log/out" 2>&1 &&
    [ "$(inside dpkg-query -W -f '${Version}' benchseal)" = "$next" ]; then good; else wrong "$(tail -n 2 "$log/out")"; fi
does "the workspace opens afterwards" "benchseal --workspace demo verify"
now "it is removed and purged, and nothing is left but the person's own work"
inside dpkg -r benchseal > "$log/out" 2>&1
# nothing of it is configuration, so there is nothing left to purge, and dpkg says so
inside dpkg --purge benchseal benchseal-extras > /dev/null 2>&1 || true
left="$(find "$root" -xdev -mindepth 1 -name '*benchseal*' -not -path "$root/home/*" -not -path "$root/srv/*" \
    -not -path "$root/proc/*" -not -path "$root/var/log/*" -not -path "$root/tmp/*")"
if [ -z "$left" ] && ! grep -qi "not empty\|warning" "$log/out"; then good; else wrong "$left"; fi
for package in "$program" "$extras"; do
    now "lintian has no errors in ${package##*/}"
    if lintian --fail-on error "$package" > "$log/lintian" 2>&1; then
        good "$(grep -c '^W:' "$log/lintian" || true) warnings"
    else wrong "$(grep '^E:' "$log/lintian" | head -n 5)"; fi
done
exit $bad
