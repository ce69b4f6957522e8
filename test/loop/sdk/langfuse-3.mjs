/** A program that traces with `langfuse` 3 (npm), as its documentation shows. Host and keys come from the environment. */
import { setTimeout as work } from 'node:timers/promises';
import { Langfuse } from 'langfuse';

const langfuse = new Langfuse();
const trace = langfuse.trace({
  name: 'support',
  sessionId: 'npm-langfuse-3',
  userId: 'u1',
  input: 'Where is order 7?',
});
const question = { role: 'user', content: 'Where is order 7?' };
const first = trace.generation({ name: 'llm', model: 'tiny', input: [question] });
const call = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"order": 7}' } };
const asked = { role: 'assistant', content: null, tool_calls: [call] };
// This SDK counts whole milliseconds and sends events in any order: calls that take none have none.
await work(5);
first.end({ output: asked, usage: { input: 12, output: 3, total: 15 } });
const tool = trace.span({ name: 'find', input: { order: 7 } });
tool.end({ output: { state: 'sent' } });
await work(5);
const second = trace.generation({
  name: 'llm',
  model: 'tiny',
  input: [question, asked, { role: 'tool', tool_call_id: 'c1', content: '{"state":"sent"}' }],
});
second.end({ output: 'It was sent.', usageDetails: { input: 20, output: 5 } });
trace.update({ output: 'It was sent.' });
trace.score({ name: 'outcome', value: 1, comment: 'right' });
const prompt = await langfuse.getPrompt('greeting', undefined, {
  type: 'text',
  fallback: 'Hello.',
  maxRetries: 0,
});
if (prompt.prompt !== 'Hello.') throw new Error('the fallback of a prompt was not used');
await langfuse.shutdownAsync();
