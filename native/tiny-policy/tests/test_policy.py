"""The policy in the repository is what its card says, and its tokens are made for copying."""

import json
from pathlib import Path

import pytest
from transformers import AutoTokenizer, LlamaForCausalLM

from tiny_policy.card import file_hash, revision
from tiny_policy.export_onnx import check_agreement

POLICY = Path(__file__).parents[1] / "policy"
CALL = '<tool_call>{"name": "find_event", "arguments": {"name": "Zoltina"}}</tool_call><|end|>'


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(POLICY)


def ids(tokenizer, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"]


def test_card_names_the_files_as_they_are() -> None:
    card = json.loads((POLICY / "card.json").read_text())
    assert card["revision"] == revision(POLICY)
    assert card["files"] == {name: file_hash(POLICY / name) for name in card["files"]}


def test_policy_fits_in_ten_megabytes() -> None:
    assert sum(path.stat().st_size for path in POLICY.iterdir()) <= 10e6


def test_an_unknown_name_is_the_same_tokens_in_a_sentence_and_in_a_call(tokenizer) -> None:
    name = ids(tokenizer, "Zoltina")
    assert len(name) == len("Zoltina")
    sentence, call = ids(tokenizer, "cancel the Zoltina meeting"), ids(tokenizer, CALL)
    contains = lambda whole: any(whole[i : i + len(name)] == name for i in range(len(whole)))  # noqa: E731
    assert contains(sentence) and contains(call)


def test_known_words_tools_and_skeletons_are_single_tokens(tokenizer) -> None:
    assert len(ids(tokenizer, "cancel the meeting")) == 3
    assert len(ids(tokenizer, CALL)) == 7 + len("Zoltina")


def test_encoding_loses_nothing(tokenizer) -> None:
    text = 'héllo, Wörld! {"a": [1, 2.5]}\n\t<x> 东京'
    assert tokenizer.decode(ids(tokenizer, text)) == text


def test_chat_template_renders_calls_as_the_policy_learned_them(tokenizer) -> None:
    call = {"type": "function", "function": {"name": "find_event", "arguments": {"name": "Zoltina"}}}
    text_call = {"type": "function", "function": {"name": "find_event", "arguments": '{"name": "Zoltina"}'}}
    for one in (call, text_call):
        messages = [
            {"role": "user", "content": "cancel it"},
            {"role": "assistant", "content": "", "tool_calls": [one]},
            {"role": "tool", "content": '{"id": "123", "flag": "free"}'},
        ]
        rendered = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        observation = '<|tool|>{"id": "123", "flag": "free"}<|end|><|assistant|>'
        assert rendered == f"<|user|>cancel it<|end|><|assistant|>{CALL}{observation}"


def test_responses_parse_into_calls_text_and_broken_calls(tokenizer) -> None:
    parsed = tokenizer.parse_response(CALL, prefix="<|assistant|>")
    assert parsed["tool_calls"][0]["function"] == {"name": "find_event", "arguments": {"name": "Zoltina"}}
    assert tokenizer.parse_response("done<|end|>", prefix="<|assistant|>")["content"] == "done"


def test_served_graph_gives_the_same_greedy_outputs_as_the_weights(tokenizer) -> None:
    model = LlamaForCausalLM.from_pretrained(POLICY)
    sentences = ["cancel the Zoltina meeting", "email Ann about budget", "the task of Bo : close it"]
    check_agreement(POLICY / "model.onnx", model, [ids(tokenizer, f"<|user|>{s}<|end|><|assistant|>") for s in sentences])
