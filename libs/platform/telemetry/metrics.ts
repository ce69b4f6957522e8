import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The process's numbers for Prometheus. Names are `ratchet_…` with the unit last. */
export class Metrics {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  /** @param buckets upper bounds, in the unit of the name. */
  histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] });
  }

  /** A value that is asked for when somebody reads the metrics; one that fails is left out of that reading. */
  gauge<L extends string>(
    options: { name: string; help: string; labelNames: readonly L[] },
    collect: (gauge: Gauge<L>) => Promise<void>,
  ): Gauge<L> {
    return new Gauge<L>({
      ...options,
      registers: [this.registry],
      async collect() {
        this.reset();
        await collect(this).catch(() => undefined);
      },
    });
  }

  /** Prometheus text, version 0.0.4. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
