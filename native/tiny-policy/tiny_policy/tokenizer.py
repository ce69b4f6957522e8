"""The demo policy's tokenizer: whole words and single bytes, no merges.

A known word is one token; anything else, such as a name, is spelled in bytes, the same in a sentence, an observation and
a JSON argument, so that copying it is copying tokens. JSON skeletons and tool names are single tokens.
"""

from __future__ import annotations

import re

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

PAD, END = "<pad>", "<|end|>"
ROLES = ["<|user|>", "<|assistant|>", "<|tool|>"]
CALL_OPEN, CALL_CLOSE = "<tool_call>", "</tool_call>"
MAX_CONTEXT = 256

CHAT_TEMPLATE = (
    "{%- for m in messages -%}"
    "{%- if m.role == 'user' -%}<|user|>{{ m.content }}<|end|>"
    "{%- elif m.role == 'tool' -%}<|tool|>{{ m.content }}<|end|>"
    "{%- elif m.role == 'assistant' -%}<|assistant|>"
    "{%- if m.tool_calls -%}"
    "{%- for c in m.tool_calls -%}"
    '<tool_call>{"name": "{{ c.function.name }}", "arguments": '
    "{{ c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}"
    "}</tool_call>"
    "{%- endfor -%}"
    "{%- else -%}{{ m.content }}{%- endif -%}<|end|>"
    "{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}"
)

RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "tool_calls": {
            "open": CALL_OPEN,
            "close_pattern": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|end\|>\s*", "content": "text"},
    },
}


def skeletons(keys: list[str]) -> list[str]:
    """Pieces of JSON that get one token each: what stands between the values of calls and observations."""
    inner = [k for k in keys if k not in ("arguments", "error", "ok")]
    return (
        ['{"name": "', '"}}', '{"id": "', '"}', '{"', '": "', '", "', '{"ok": "yes"}', '{"error": "not found"}']
        + ['", "flag": "free"}', '", "flag": "locked"}']
        + [f'", "arguments": {{"{k}": "' for k in inner]
        + [f'", "{k}": "' for k in inner]
    )


def build_tokenizer(vocabulary: dict[str, list[str]]) -> PreTrainedTokenizerFast:
    """`vocabulary`: words, tools and keys as the environment lists them (vocabulary.json)."""
    words = set(vocabulary["words"]) | set(vocabulary["keys"])
    words |= {f"\u0120{word}" for word in vocabulary["words"]}  # U+0120 is the byte-level form of a leading space
    order = [PAD, END, *ROLES, CALL_OPEN, CALL_CLOSE, *sorted(pre_tokenizers.ByteLevel.alphabet()), *sorted(words)]
    vocab: dict[str, int] = {}
    for token in order:
        vocab.setdefault(token, len(vocab))
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[], ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r" ?[A-Za-z_]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([PAD, END, *ROLES])
    plain = [CALL_OPEN, CALL_CLOSE, *skeletons(vocabulary["keys"]), *sorted(vocabulary["tools"])]
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in plain])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        model_max_length=MAX_CONTEXT,
    )
    fast.chat_template = CHAT_TEMPLATE
    fast.response_template = RESPONSE_TEMPLATE
    return fast


def copied_token_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    """Ids of single letters and digits: the tokens that spell names and ids."""
    return [i for token, i in tokenizer.get_vocab().items() if re.fullmatch("[A-Za-z0-9]", token)]
