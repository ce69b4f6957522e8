import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import { AppError } from '#kernel/errors';
import { childScript, spawnChild, type ChildExit, type ChildHandle } from '#platform/process';

export interface PolicyServerOptions {
  /** Data folder of the app, where the child is on record. */
  homeDir: string;
  /** `model.onnx`, `tokenizer.json`, `tokenizer_config.json`, `chat_template.jinja`, `card.json`. */
  policyDir: string;
  /** What the base is called in requests and answers; default its card's `name@revision`. */
  baseName?: string;
  /** Threads of one decoding step; default 2. */
  threads?: number;
  /** Rows decoded together; default 64. */
  maxBatch?: number;
  /** Requests under way or waiting before one is refused with 503; default 512. */
  maxPending?: number;
  /** Name among the children of the data folder; default `policy-server`. */
  name?: string;
  onLine?: (line: string) => void;
  onExit?: (exit: ChildExit) => void;
}

const Ready = z.object({ port: z.number().int(), model: z.string() });
const ErrorBody = z.object({ error: z.object({ message: z.string() }) });
const Models = z.object({
  data: z.array(z.object({ id: z.string(), root: z.string(), parent: z.string().nullable() })),
});
const Stats = z.object({
  models: z.array(
    z.object({
      model: z.string(),
      requests: z.number(),
      promptTokens: z.number(),
      completionTokens: z.number(),
    }),
  ),
  inFlight: z.number(),
});
export type ServedModel = z.output<typeof Models>['data'][number];
export type PolicyServerStats = z.output<typeof Stats>;

/** The embedded policy server as its parent sees it: a child process on a loopback port, with a key made for this run. */
export class PolicyServer {
  private constructor(
    private readonly child: ChildHandle,
    /** `http://127.0.0.1:<port>`; the routes begin with `/v1`. */
    readonly baseUrl: string,
    readonly key: string,
    /** Content name under which the base policy is served. */
    readonly baseModel: string,
  ) {}

  /** Starts the server; it serves when this resolves. @throws AppError with the child's last words when it cannot. */
  static async start(options: PolicyServerOptions): Promise<PolicyServer> {
    const {
      homeDir,
      policyDir,
      threads = 2,
      maxBatch = 64,
      maxPending = 512,
      name = 'policy-server',
    } = options;
    const key = randomBytes(24).toString('hex');
    const child = spawnChild({
      name,
      homeDir,
      script: childScript(import.meta.url, './policy-server.main'),
      config: { policyDir, key, threads, maxBatch, maxPending, baseName: options.baseName },
      ...(options.onLine && { onLine: options.onLine }),
      ...(options.onExit && { onExit: options.onExit }),
    });
    const { port, model } = Ready.parse(await child.ready);
    return new PolicyServer(child, `http://127.0.0.1:${port}`, key, model);
  }

  /** Settles when the process is gone. */
  get exited(): Promise<ChildExit> {
    return this.child.exited;
  }

  /**
   * Serves the adapter folder (`policy.onnx`, `adapter_config.json`) under its content name.
   * @throws AppError `adapter.refused` with the server's reason.
   */
  async loadAdapter(name: string, path: string): Promise<void> {
    await this.call('/v1/load_lora_adapter', { lora_name: name, lora_path: path });
  }

  /** Takes no more requests for the adapter; those under way end. @throws AppError `adapter.refused` when it is not loaded. */
  async unloadAdapter(name: string): Promise<void> {
    await this.call('/v1/unload_lora_adapter', { lora_name: name });
  }

  async models(): Promise<ServedModel[]> {
    return Models.parse(await (await this.call('/v1/models')).json()).data;
  }

  /** The server's own counts of what it answered, since its start. */
  async stats(): Promise<PolicyServerStats> {
    return Stats.parse(await (await this.call('/stats')).json());
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }

  private async call(path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new AppError('policy.unavailable', { public: 'The policy server does not answer.', cause });
    });
    if (response.ok) return response;
    const problem = ErrorBody.safeParse(await response.json().catch(() => null));
    throw new AppError('adapter.refused', {
      public: problem.data?.error.message ?? `The policy server answered ${response.status}.`,
      detail: { status: response.status, path },
    });
  }
}
