import { z } from 'zod';

import { eventually } from '../../../test/support/eventually.js';
import { describeOnEachStream } from '../../../test/support/streams.js';
import { defineTopic, InProcessEventStream, type EventStream, type StreamMessage } from './index.js';

const numbers = defineTopic('numbers.v1', z.object({ n: z.number() }));
const other = defineTopic('other.v1', z.object({ n: z.number() }));
const message = (n: number): StreamMessage<{ n: number }> => ({ key: 'k', value: { n } });

describeOnEachStream('an event stream', [numbers.name, other.name], (open) => {
  let stream: EventStream;
  beforeEach(async () => {
    stream = await open();
  });

  it('gives every group every message once, with headers, in the order of their key', async () => {
    const seen: Record<string, StreamMessage<{ n: number }>[]> = { a: [], b: [] };
    for (const group of ['a', 'b'])
      await stream.subscribe(numbers, group, (batch) => Promise.resolve(void seen[group]?.push(...batch)));
    const sent = [1, 2, 3, 4, 5].map((n) => ({ ...message(n), headers: { trace: `t${n}` } }));
    for (const one of sent) await stream.publish(numbers, [one]);
    await eventually('both have all', () => seen['a']?.length === 5 && seen['b']?.length === 5);
    expect(seen).toEqual({ a: sent, b: sent });
  });

  it('gives a batch again that a group failed on, once it is published again or by itself', async () => {
    const stored: number[] = [];
    let failures = 1;
    await stream.subscribe(numbers, 'flaky', (batch) =>
      failures-- > 0
        ? Promise.reject(new Error('disk full'))
        : Promise.resolve(void stored.push(...batch.map(({ value }) => value.n))),
    );
    await stream.publish(numbers, [message(1)]).catch(() => stream.publish(numbers, [message(1)]));
    await eventually('it is stored', () => stored.length > 0);
    expect(stored).toEqual([1]);
  });

  it('lets a handler publish onward', async () => {
    const onward: number[] = [];
    await stream.subscribe(numbers, 'g', (batch) => stream.publish(other, batch));
    await stream.subscribe(other, 'g', (batch) =>
      Promise.resolve(void onward.push(...batch.map(({ value }) => value.n))),
    );
    await stream.publish(numbers, [message(7)]);
    await eventually('it came through', () => onward.length > 0);
    expect(onward).toEqual([7]);
  });

  it('refuses a second reader of one group in one process', async () => {
    const nothing = (): Promise<void> => Promise.resolve();
    await stream.subscribe(numbers, 'g', nothing);
    await expect((async () => stream.subscribe(numbers, 'g', nothing))()).rejects.toMatchObject({
      code: 'internal',
    });
  });

  it('takes nothing more once closed', async () => {
    await stream.close();
    const late = (async () => stream.publish(numbers, [message(2)]))();
    await expect(late).rejects.toMatchObject({ code: 'store.unavailable' });
  });
});

describe('the in-process stream', () => {
  it('answers the publisher only when every group has handled the batch', async () => {
    const stream = new InProcessEventStream();
    const seen: string[] = [];
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    await stream.subscribe(numbers, 'fast', (batch) =>
      Promise.resolve(void seen.push(`fast ${batch.length}`)),
    );
    await stream.subscribe(numbers, 'slow', async (batch) => {
      await gate;
      seen.push(`slow ${batch.length}`);
    });
    const published = stream.publish(numbers, [message(1), message(2)]).then(() => seen.push('published'));
    release();
    await published;
    expect(seen).toEqual(['fast 2', 'slow 2', 'published']);
  });

  it('keeps the order of batches within a group', async () => {
    const stream = new InProcessEventStream();
    const seen: number[] = [];
    await stream.subscribe(numbers, 'g', async (batch) => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(...batch.map(({ value }) => value.n));
    });
    await Promise.all([1, 2, 3, 4].map((n) => stream.publish(numbers, [message(n)])));
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('tells the publisher when a group failed, still serves the others, and goes on', async () => {
    const stream = new InProcessEventStream();
    const stored: number[] = [];
    let failures = 1;
    await stream.subscribe(numbers, 'flaky', () =>
      failures-- > 0 ? Promise.reject(new Error('disk full')) : Promise.resolve(),
    );
    await stream.subscribe(numbers, 'steady', (batch) =>
      Promise.resolve(void stored.push(...batch.map(({ value }) => value.n))),
    );
    await expect(stream.publish(numbers, [message(1)])).rejects.toThrow('disk full');
    await stream.publish(numbers, [message(1)]);
    expect(stored).toEqual([1, 1]);
  });

  it('refuses to grow without bound, and takes work again once there is room', async () => {
    const stream = new InProcessEventStream({ maxPendingMessages: 2 });
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    await stream.subscribe(numbers, 'g', () => gate);
    const first = stream.publish(numbers, [message(1), message(2), message(3)]);
    await expect(stream.publish(numbers, [message(4)])).rejects.toMatchObject({ code: 'store.unavailable' });
    release();
    await first;
    await stream.publish(numbers, [message(4)]);
  });

  it('lets a handler publish onward, but not to the batch it waits for', async () => {
    const stream = new InProcessEventStream();
    const onward: number[] = [];
    await stream.subscribe(numbers, 'g', (batch) => stream.publish(other, batch));
    await stream.subscribe(other, 'g', (batch) => Promise.resolve(void onward.push(batch.length)));
    await stream.publish(numbers, [message(1)]);
    expect(onward).toEqual([1]);

    const circular = new InProcessEventStream();
    await circular.subscribe(numbers, 'g', (batch) => circular.publish(numbers, batch));
    await expect(circular.publish(numbers, [message(1)])).rejects.toThrow(/wait for itself/);
  });

  it('finishes what it took and takes nothing more once closed', async () => {
    const stream = new InProcessEventStream();
    const stored: number[] = [];
    await stream.subscribe(numbers, 'g', async (batch) => {
      await new Promise((resolve) => setImmediate(resolve));
      stored.push(batch.length);
    });
    const last = stream.publish(numbers, [message(1)]);
    await stream.close();
    expect(stored).toEqual([1]);
    await last;
    await expect(stream.publish(numbers, [message(2)])).rejects.toMatchObject({ code: 'store.unavailable' });
  });
});
