"""Parameters as people write them."""

import pytest

from core.errors import InputError
from core.evaluation.parse_params import judge_params_of, params_of

GIVEN = {"split": "s", "engine": "openai"}


@pytest.mark.parametrize(
    "name",
    ["api_key", "api-key", "API_KEY", "hf_token", "token", "password", "secret_access_key", "key",
     "openai_api_key", "x-api-key", "azure_api_key", "apikey", "apiKey", "hugging_face_hub_token",
     "authorization", "bearer", "auth_header", "credentials", "OPENAI_KEY", "api_keys"],
)  # fmt: skip
def test_a_secret_is_no_parameter_for_it_would_be_kept_with_the_run(name: str):
    with pytest.raises(InputError, match="BENCHSEAL_API_KEY") as refused:
        params_of(GIVEN, [f"{name}=sk-abc"])
    assert "sk-abc" not in str(refused.value)


@pytest.mark.parametrize(
    "name",
    ["eos_token", "max_tokens", "key_env", "tokenizer", "top_key", "budget_tokens", "token_count",
     "stop_token_ids", "skip_special_tokens", "add_bos_token", "num_key_value_heads", "author"],
)  # fmt: skip
def test_what_only_sounds_like_one_is_taken(name: str):
    given = params_of(GIVEN, [f"{name}=32" if name.endswith("_tokens") else f"{name}=x"])
    assert name in given.engine_args or getattr(given, name)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ('{"Authorization": "Bearer sk-abc"}', "Authorization"),
        ('{"inner": [{"X-Api-Key": "sk-abc"}]}', "X-Api-Key"),
    ],
)
def test_a_secret_within_a_value_is_none_either(value: str, name: str):
    with pytest.raises(InputError, match=name) as refused:
        params_of(GIVEN, [f"headers={value}"])
    assert "sk-abc" not in str(refused.value)
    plain = params_of(GIVEN, ['headers={"Accept": "json", "max_tokens": [1]}'])
    assert plain.engine_args["headers"]["Accept"] == "json"


def test_nothing_secret_comes_with_arguments_of_an_engine_that_were_given_before():
    for args in ({"headers": {"X-Api-Key": "sk-abc"}}, {"proxy": "http://me:sk-abc@proxy"}):
        with pytest.raises(InputError, match="looks like a secret") as refused:
            params_of({**GIVEN, "engine_args": args})
        assert "sk-abc" not in str(refused.value)


@pytest.mark.parametrize(
    "more", [["base_url=http://host/v1?api_key=sk-abc"], ["key_env=sk-abc"], ["api_key=sk-abc"]]
)
def test_neither_an_evaluation_nor_a_judge_keeps_a_key(more: list[str]):
    judge = {"model": "j", "base_url": "http://host/v1"}
    for build in (lambda: params_of(GIVEN, more), lambda: judge_params_of(judge, more)):
        with pytest.raises(InputError, match="BENCHSEAL_API_KEY") as refused:
            build()
        assert "sk-abc" not in str(refused.value)
