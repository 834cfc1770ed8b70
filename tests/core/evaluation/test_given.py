"""Parameters as people write them."""

import pytest

from core.errors import InputError
from core.evaluation.given import params_of

GIVEN = {"split": "s", "engine": "openai"}


@pytest.mark.parametrize(
    "name", ["api_key", "api-key", "API_KEY", "hf_token", "token", "password", "secret_access_key"]
)
def test_a_secret_is_no_parameter_for_it_would_be_kept_with_the_run(name: str):
    with pytest.raises(InputError, match="BENCHSEAL_API_KEY") as refused:
        params_of(GIVEN, [f"{name}=sk-abc"])
    assert "sk-abc" not in str(refused.value)


@pytest.mark.parametrize("name", ["eos_token", "max_tokens", "key_env", "tokenizer", "top_key"])
def test_what_only_sounds_like_one_is_taken(name: str):
    given = params_of(GIVEN, [f"{name}=3" if name == "max_tokens" else f"{name}=x"])
    assert name in given.engine_args or getattr(given, name)
