"""What tells of a secret, wherever names and addresses are kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InputError
from core.redaction import (
    names_secret,
    names_secret_variable,
    redacted_url,
    refuse_stored_key,
    secret_in,
)
from core.release.locked_export import KEY_VARIABLE
from core.rewriting.knowledge import check_source
from tests.paths import ROOT


@pytest.mark.parametrize(
    "name",
    ["max_tokens", "tokenizer", "top_k", "monkey", "keyboard", "author", "key_env", "eos_token",
     "token_budget", "num_key_value_heads", "sort_key", "trust_remote_code"],
)  # fmt: skip
def test_ordinary_parameters_are_no_secrets(name: str):
    assert not names_secret(name)


@pytest.mark.parametrize(
    "name", ["SSH_KEY", "ssh_key", "X-Api-Key", "cookies", "PWD", "jwt", "服务器密钥", "accessKey"]
)
def test_secrets_are_known_by_their_usual_names(name: str):
    assert names_secret(name)
    assert names_secret_variable(name)


@pytest.mark.parametrize("name", ["MY_KEY", "DEPLOYKEY", "EOS_TOKEN", "DB_PASSWD", "HTTP_COOKIE"])
def test_every_variable_that_ends_as_a_secret_does_counts_as_one(name: str):
    assert names_secret_variable(name)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://host/v1?api_key=abcdef", "api_key"),
        ("http://host/v1?x=1&X-Api-Key=abcdef", "X-Api-Key"),
        ("http://host/v1#token=abcdef", "token"),
        ("https://me:abcdef@host/v1", "user:password@"),
        ("https://abcdef@host/v1", "user:password@"),
        ("http://host:99999/v1?token=abcdef", "token"),
        ("https://a.blob.core.windows.net/c?sv=2024-11-04&sig=abcdef", "sig"),
        ("https://bucket.s3.amazonaws.com/x?X-Amz-Signature=abcdef", "X-Amz-Signature"),
        ("https://storage.googleapis.com/b/x?Signature=abcdef", "Signature"),
        ("https://gate/sk-abcdef0123456789abcdef/v1", "sk-…"),
    ],
)
def test_an_address_with_a_key_is_refused_without_repeating_it(url: str, name: str):
    with pytest.raises(InputError, match="BENCHSEAL_API_KEY") as refused:
        refuse_stored_key(url)
    assert name in str(refused.value)
    assert "abcdef" not in str(refused.value)
    assert secret_in({"proxies": [{"first": url}]}) == name


@pytest.mark.parametrize("given", ["sk-abcdef0123456789", "hf_abcdef0123456789abcdef", "a b", "1x"])
def test_a_key_in_the_place_of_its_variable_is_refused_without_repeating_it(given: str):
    with pytest.raises(InputError, match="environment variable") as refused:
        refuse_stored_key("http://host/v1", given)
    assert given not in str(refused.value)


def test_plain_addresses_and_variables_are_taken():
    for url in ("", "http://localhost:8000/v1", "https://hf-mirror-of-ours.org/v1", "not a url"):
        refuse_stored_key(url, "MY_KEY")
    assert secret_in({"model": "org/name", "headers": {"Accept": "json"}, "n": [1, None]}) == ""


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("me:pw@host/v1", "me:…@host/v1"),
        ("http://me:p/w@host/v1?x=1", "http://…@host/v1"),
        ("ftp://host", "ftp://host"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(url: str, shown: str):
    assert redacted_url(url) == shown


def test_a_source_of_knowledge_keeps_no_key_in_its_address():
    with pytest.raises(InputError, match="token") as refused:
        check_source("gdelt-doc:http://mirror/api?token=abcdef")
    assert "abcdef" not in str(refused.value)
    check_source("gdelt-doc:http://mirror/api")


CORE_FILTER = Path("/proc/self/coredump_filter")
_LEARNS = pytest.mark.parametrize(
    "learns",
    ["from core.redaction import guard_secret as learn; learn('a secret of many letters')",
     "from core.release.locked_export import export_key as learn; learn()"],
    ids=["program", "locked export"],
)  # fmt: skip


@_LEARNS
def test_what_a_system_is_handed_of_its_core_holds_no_memory(learns: str):
    """Also of the processes that it starts."""
    if not CORE_FILTER.exists():
        pytest.skip("this system has no filter of cores")
    look = f"import subprocess; subprocess.run(['cat', '{CORE_FILTER}'], check=True)"
    done = subprocess.run(
        [sys.executable, "-c", f"{learns}; {look}"], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, KEY_VARIABLE: "0a" * 32}, check=True,
    )  # fmt: skip
    assert int(done.stdout, 16) == 0


@_LEARNS
def test_a_process_that_knows_a_secret_dumps_no_core(learns: str):
    said = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"
    allowed = "import resource as r; r.setrlimit(r.RLIMIT_CORE, (most, most)); "
    script = f"import resource; most = resource.getrlimit(resource.RLIMIT_CORE)[1]; {allowed}"
    environment = {**os.environ, KEY_VARIABLE: "0a" * 32}
    limits = [
        subprocess.run(
            [sys.executable, "-c", f"{script}{more}{said}"], cwd=ROOT, env=environment,
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for more in ("", f"{learns}; ")
    ]  # fmt: skip
    assert limits[1] == "(0, 0)"
    if limits[0] == "(0, 0)":
        pytest.skip("no process of this machine may dump a core")
