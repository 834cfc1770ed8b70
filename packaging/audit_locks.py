"""Ask pip-audit about the locked packages; say so where nothing could be looked up.

    python packaging/audit_locks.py PIP_AUDIT [LOCK]

``PIP_AUDIT`` is the program. Ends with 0 when every package was looked up and none has a known
vulnerability, 1 when one has, 3 when some could not be looked up: pip-audit itself calls that
"No known vulnerabilities found".
"""

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).resolve().parent / "locks" / "app.txt"


def main(words: list[str]) -> int:
    """Run it and say what it found."""
    program, lock = words[0], Path(words[1]) if len(words) > 1 else LOCK
    asked = [program, "-r", str(lock), "--require-hashes", "--disable-pip", "-f", "json"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=600)
        packages = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        print("audit-locks: the index did not answer within 10 minutes; nothing was checked.")
        return 3
    except (ValueError, KeyError):
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"audit-locks: pip-audit could not look anything up ({reason}); nothing was checked.")
        return 3
    return report(packages, lock.name)


def report(packages: list[dict[str, object]], name: str) -> int:
    """Print the outcome in words; the exit code."""
    skipped = [package for package in packages if "skip_reason" in package]
    faulty = [package for package in packages if package.get("vulns")]
    for package in faulty:
        known = package["vulns"]
        assert isinstance(known, list)
        names = ", ".join(str(one["id"]) for one in known)
        print(f"{package['name']} {package['version']}: {names}")
    looked_up = len(packages) - len(skipped)
    print(f"audit-locks: {looked_up} of {len(packages)} packages of {name} looked up, "
          f"{len(faulty)} with known vulnerabilities.")  # fmt: skip
    if skipped or not packages:
        print("audit-locks: the others were not checked; this needs the package index.")
    return 1 if faulty else 3 if skipped or not packages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
