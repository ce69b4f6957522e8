import { z } from 'zod';

import { defineTopic, InProcessEventStream, type StreamMessage } from './index.js';

const numbers = defineTopic('numbers.v1', z.object({ n: z.number() }));
const other = defineTopic('other.v1', z.object({ n: z.number() }));
const message = (n: number): StreamMessage<{ n: number }> => ({ key: 'k', value: { n } });

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
