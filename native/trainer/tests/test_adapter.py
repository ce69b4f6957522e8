"""The adapter inside the base's weights, and back out."""

from __future__ import annotations

from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

from ratchet_trainer.adapter import delta_norm, merged


def test_decoding_with_the_adapter_merged_in_changes_no_output_and_leaves_the_base_as_it_was(random_base: Path) -> None:
    torch.manual_seed(1)
    base = AutoModelForCausalLM.from_pretrained(random_base, dtype=torch.float32)
    before = {name: weight.clone() for name, weight in base.state_dict().items()}
    model = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"))
    assert delta_norm(model) == 0
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    assert delta_norm(model) > 0

    ids = torch.tensor([[7, 8, 9, 10]])
    with torch.no_grad():
        apart = model(input_ids=ids).logits
        with merged(model):
            together = model(input_ids=ids).logits
            up = model.base_model.model.model.layers[0].mlp.up_proj.base_layer.weight
            assert not torch.equal(up, before["model.layers.0.mlp.up_proj.weight"])
    torch.testing.assert_close(together, apart, rtol=1e-4, atol=1e-4)
    after = {name.replace(".base_layer", ""): weight for name, weight in base.state_dict().items()}
    assert all(torch.equal(after[name], weight) for name, weight in before.items())
