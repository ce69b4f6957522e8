"""Writes the fixture of the TypeScript policy server: a very small random policy, an adapter of it, and what transformers
makes of them.

  python -m tests.write_serving_fixture --vocabulary DATA/vocabulary.json --out ../../libs/platform/onnx/fixtures
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils import logging

from tiny_policy.export_onnx import export_adapter, export_model, greedy_transformers
from tiny_policy.tokenizer import MAX_CONTEXT, build_tokenizer

STEPS = 20
CARD = {
    "name": "random-policy",
    "revision": "1",
    "decoding": {"temperature": 0.7, "topP": 1, "maxTokensPerTurn": 48},
    "priceUsdPerToken": {"input": 1e-7, "output": 4e-7},
    "maxContextTokens": MAX_CONTEXT,
}

TEXTS = [
    "",
    "please cancel the event with Anna",
    "  two  spaces\tand\n\nlines \r\n",
    "Zuzanna's e-mail: anna@example.org, 12:30 — 50 %!",
    "naïve Ärger 日本語 🙂 \u200b",
    '<tool_call>{"name": "find_contact", "arguments": {"name": "Bobb"}}</tool_call><|end|>',
    '{"id": "417", "flag": "locked"}',
    '{"error": "not found"}<|end|><|assistant|>done<|end|>',
    '{"name": "create_event", "arguments": {"name": "Yassin", "day": "friday", "hour": "14"}}',
    "<tool_call><tool_call></tool_call> <|tool|><|user|> <|end|><pad>",
    "a_b 1a b2 __ --- ?! tasks Tasks",
]

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "find_event", "arguments": '{"name": "Lukas"}'},
}
SECOND_CALL = {
    "id": "call_2",
    "type": "function",
    "function": {"name": "cancel_event", "arguments": '{"id": "417"}'},
}
CHATS: list[list[dict[str, Any]]] = [
    [{"role": "user", "content": "cancel the event with Lukas"}],
    [
        {"role": "user", "content": "cancel the event with Lukas please"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"id": "417", "flag": "free"}'},
    ],
    [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [CALL, SECOND_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"error": "not found"}'},
        {"role": "assistant", "content": "sorry"},
        {"role": "user", "content": "set Ngozi to won, \"quoted\" & <b>"},
    ],
    [{"role": "user", "content": "x"}],
]


def random_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Weights wide enough that greedy outputs vary with the prompt."""
    torch.manual_seed(11)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=MAX_CONTEXT,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        tie_word_embeddings=True,
        initializer_range=0.5,
    )
    return LlamaForCausalLM(config)


def random_adapter(model_dir: Path, out: Path) -> None:
    torch.manual_seed(12)
    base = LlamaForCausalLM.from_pretrained(model_dir, dtype=torch.float32)
    peft = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"))
    for name, parameter in peft.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    peft.save_pretrained(out)


def first_logits(model: LlamaForCausalLM, prompt: list[int]) -> list[float]:
    with torch.no_grad():
        return [round(x, 5) for x in model(input_ids=torch.tensor([prompt])).logits[0, -1].tolist()]


def write(vocabulary: Path, out: Path) -> None:
    policy, adapter = out / "policy", out / "adapter"
    tokenizer = build_tokenizer(json.loads(vocabulary.read_text()))
    tokenizer.save_pretrained(policy)
    model = random_model(tokenizer)
    model.config.save_pretrained(policy)
    (policy / "card.json").write_text(json.dumps(CARD, indent=1) + "\n")
    export_model(model, policy / "model.onnx")
    adapter.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        model.save_pretrained(scratch)
        random_adapter(Path(scratch), Path(scratch) / "adapter")
        settings = json.loads((Path(scratch) / "adapter" / "adapter_config.json").read_text())
        settings["base_model_name_or_path"] = CARD["name"]
        (adapter / "adapter_config.json").write_text(json.dumps(settings, indent=1) + "\n")
        merged = export_adapter(Path(scratch), policy / "model.onnx", Path(scratch) / "adapter", adapter / "policy.onnx")
    rendered = [tokenizer.apply_chat_template(c, tokenize=False, add_generation_prompt=True) for c in CHATS]
    prompts = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in rendered]
    stop = int(tokenizer.eos_token_id)
    greedy = greedy_transformers(model, prompts, STEPS, stop)
    expected = {
        "encoded": [
            {"text": t, "ids": (ids := tokenizer(t, add_special_tokens=False)["input_ids"]), "decoded": tokenizer.decode(ids)}
            for t in TEXTS
        ],
        "chats": [
            {"messages": c, "text": text, "ids": ids} for c, text, ids in zip(CHATS, rendered, prompts, strict=True)
        ],
        "steps": STEPS,
        "greedy": greedy,
        "greedyText": [tokenizer.decode(ids, skip_special_tokens=True) for ids in greedy],
        "adapterGreedy": greedy_transformers(merged, prompts, STEPS, stop),
        "firstLogits": first_logits(model, prompts[0]),
    }
    (out / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, indent=1) + "\n")


def main() -> None:
    logging.set_verbosity_error()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    write(args.vocabulary, args.out)


if __name__ == "__main__":
    main()
