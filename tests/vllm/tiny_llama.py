"""A tiny Llama with random weights, a tokenizer and a chat template, made in a few seconds."""

import random
from pathlib import Path
from typing import Any

LENGTH = 1024
SPECIAL = ["<pad>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>"]
TEMPLATE = (
    "{{ bos_token }}{% for turn in messages %}<|{{ turn['role'] }}|>{{ turn['content'] }}</s>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make_tokenizer(*, adds_bos: bool = False) -> Any:
    """Byte-level BPE over made-up sentences: every text can be encoded, Chinese too. With
    ``adds_bos`` it begins every text with ``<s>``, as Llama's own does."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    drawn = random.Random(0)
    words = [
        "the",
        "a",
        "model",
        "reads",
        "text",
        "answers",
        "Selection",
        "passage",
        "order",
        "next",
        "A",
        "B",
        "C",
        "D",
        "1",
        "2",
        "3",
        "4",
    ]
    lines = [" ".join(drawn.choices(words, k=12)) + "." for _ in range(3000)]
    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2048,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bare.train_from_iterator(lines, trainer)
    if adds_bos:
        bare.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", SPECIAL.index("<s>"))]
        )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bare,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        model_max_length=LENGTH,
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def make_model(
    folder: Path, *, adds_bos: bool = False, repetition_penalty: float = 1.0, seed: int = 0
) -> Path:
    """Write the model and its tokenizer; vLLM on a CPU wants heads of at least 32 dimensions."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer(adds_bos=adds_bos)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=LENGTH,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
        tie_word_embeddings=False,
        dtype="float32",
    )
    # wide weights: a random model with narrow ones gives near-ties that flip between kernels
    config.initializer_range = 0.3
    model = LlamaForCausalLM(config)
    model.generation_config.repetition_penalty = repetition_penalty
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def make_adapter(model: Path, folder: Path, rank: int = 8) -> Path:
    """A LoRA adapter with random weights, so strong that it changes the answers."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(1)
    base = AutoModelForCausalLM.from_pretrained(model)
    wanted = LoraConfig(r=rank, lora_alpha=8 * rank, target_modules=["q_proj", "v_proj", "o_proj"])
    tuned = get_peft_model(base, wanted)
    for name, weight in tuned.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(weight, std=0.5)
    tuned.save_pretrained(folder)
    return folder
