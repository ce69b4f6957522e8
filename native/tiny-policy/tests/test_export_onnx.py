"""The graph says what transformers says, also with an adapter written into it."""

from pathlib import Path

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

from tiny_policy.export_onnx import check_agreement, export_adapter, export_model, write_weights

PROMPTS = [[3, 5, 7, 11, 13], [2, 4], [9, 8, 7, 6, 5, 4, 3]]


def small_model(seed: int, hidden: int = 32) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=hidden,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=64,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
        tie_word_embeddings=True,
        initializer_range=0.5,
    )
    return LlamaForCausalLM(config)


def test_graph_gives_the_same_greedy_outputs_as_transformers(tmp_path: Path) -> None:
    model = small_model(0)
    export_model(model, tmp_path / "model.onnx")
    check_agreement(tmp_path / "model.onnx", model, PROMPTS)


def test_adapter_written_into_the_graph_gives_the_same_greedy_outputs_as_the_merged_model(tmp_path: Path) -> None:
    base = small_model(1)
    base.save_pretrained(tmp_path / "base")
    export_model(base, tmp_path / "base.onnx")
    peft = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"))
    for name, parameter in peft.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    peft.save_pretrained(tmp_path / "adapter")
    merged = export_adapter(tmp_path / "base", tmp_path / "base.onnx", tmp_path / "adapter", tmp_path / "out.onnx")
    check_agreement(tmp_path / "out.onnx", merged, PROMPTS)
    with pytest.raises(ValueError, match="greedy outputs differ"):
        check_agreement(tmp_path / "base.onnx", merged, PROMPTS)


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    export_model(small_model(0), tmp_path / "model.onnx")
    with pytest.raises(ValueError, match="graph has"):
        write_weights(tmp_path / "model.onnx", small_model(0, hidden=64), tmp_path / "other.onnx")
