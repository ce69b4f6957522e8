import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { ChatMessage } from '#contracts/chat';

import { ChatTemplate } from './chat-template.js';
import { PolicyTokenizer } from './tokenizer.js';
import { parseToolCalls } from './tool-parser.js';

const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));
const expected = JSON.parse(readFileSync(`${FIXTURES}expected.json`, 'utf8')) as {
  encoded: { text: string; ids: number[]; decoded: string }[];
  chats: { messages: ChatMessage[]; text: string; ids: number[] }[];
  greedy: number[][];
  greedyText: string[];
};
const tokenizer = PolicyTokenizer.load(`${FIXTURES}policy`);
const template = ChatTemplate.load(`${FIXTURES}policy`);

describe('PolicyTokenizer', () => {
  it.each(expected.encoded)('encodes and decodes as transformers does: $text', ({ text, ids, decoded }) => {
    expect(tokenizer.encode(text)).toEqual(ids);
    expect(tokenizer.decode(ids, { special: true })).toBe(decoded);
  });

  it('decodes any ids, broken UTF-8 too, as transformers does', () => {
    expect(expected.greedy.map((ids) => tokenizer.decode(ids))).toEqual(expected.greedyText);
    expect(expected.greedyText.join('')).toContain('\uFFFD');
  });

  it('leaves special tokens out, tool-call marks in', () => {
    expect(tokenizer.decode(tokenizer.encode('<|assistant|><tool_call>done<|end|>'))).toBe('<tool_call>done');
  });
});

describe('ChatTemplate', () => {
  it.each(expected.chats)('renders what the trainer renders: $text', ({ messages, text, ids }) => {
    expect(template.render(messages)).toBe(text);
    expect(tokenizer.encode(template.render(messages))).toEqual(ids);
  });

  it('keeps the policy’s own tokens when its parsed call is rendered back into the prompt', () => {
    const said = '<tool_call>{"name": "find_event", "arguments": {"name": "Xxavier \\"Q\\" Öz"}}</tool_call>';
    const calls = parseToolCalls(said)?.map((call, i) => ({
      id: `${i}`,
      type: 'function' as const,
      function: call,
    }));
    const again = template.render([
      { role: 'assistant', content: null, ...(calls && { tool_calls: calls }) },
    ]);
    expect(again).toBe(`<|assistant|>${said}<|end|><|assistant|>`);
  });
});

describe('parseToolCalls', () => {
  it('reads one call and several', () => {
    const one = '<tool_call>{"name": "a", "arguments": {"x": "1"}}</tool_call>';
    const two = '<tool_call>\n{"arguments": {}, "name": "b"}\n</tool_call>';
    expect(parseToolCalls(one)).toEqual([{ name: 'a', arguments: '{"x": "1"}' }]);
    expect(parseToolCalls(`${one}\n${two}`)).toEqual([
      { name: 'a', arguments: '{"x": "1"}' },
      { name: 'b', arguments: '{}' },
    ]);
  });

  it.each([
    ['no call at all', 'done'],
    ['nothing', ''],
    ['broken JSON', '<tool_call>{"name": "a", "arguments": {"x": "1"}</tool_call>'],
    ['no name', '<tool_call>{"arguments": {}}</tool_call>'],
    ['a list of arguments', '<tool_call>{"name": "a", "arguments": []}</tool_call>'],
    ['no end', '<tool_call>{"name": "a", "arguments": {}}'],
    ['a tail', '<tool_call>{"name": "a", "arguments": {}}</tool_call> and more'],
    ['one of two broken', '<tool_call>{"name": "a", "arguments": {}}</tool_call><tool_call>{</tool_call>'],
    ['a call in a call', '<tool_call><tool_call>{"name": "a", "arguments": {}}</tool_call></tool_call>'],
  ])('leaves plain content alone: %s', (_, text) => {
    expect(parseToolCalls(text)).toBeNull();
  });
});
