/** The command line talks to a running Ratchet over its HTTP API, and to nothing else. */
import { AppError, messageOf } from '#kernel/errors';

export interface ApiOptions {
  url: string;
  key: string | undefined;
  project: string | undefined;
}

interface ProblemBody {
  detail?: string;
  title?: string;
}

export class ApiClient {
  constructor(private readonly options: ApiOptions) {}

  get url(): string {
    return this.options.url;
  }

  get<T>(path: string): Promise<T> {
    return this.send<T>('GET', path, {});
  }

  post<T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
    return this.send<T>('POST', path, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** Sends a file as it is. */
  upload<T>(path: string, body: Uint8Array, contentType: string): Promise<T> {
    return this.send<T>('POST', path, { body, headers: { 'content-type': contentType } });
  }

  /** An answer as it streams in; the stream fails where the server breaks it off. */
  async download(path: string): Promise<ReadableStream<Uint8Array>> {
    const response = await this.answered('GET', path, {});
    return response.body ?? new Blob([]).stream();
  }

  private async send<T>(method: string, path: string, init: RequestParts): Promise<T> {
    const response = await this.answered(method, path, init);
    return JSON.parse(await response.text()) as T;
  }

  private async answered(method: string, path: string, init: RequestParts): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...init.headers };
    if (this.options.key !== undefined) headers['authorization'] = `Bearer ${this.options.key}`;
    if (this.options.project !== undefined) headers['x-ratchet-project'] = this.options.project;
    let response: Response;
    try {
      response = await fetch(new URL(path, this.options.url), {
        method,
        headers,
        ...(init.body !== undefined ? { body: init.body } : {}),
      });
    } catch (error) {
      throw new AppError('store.unavailable', {
        public: `Ratchet does not answer at ${this.options.url} (${messageOf(error)}). Start it with "npm start", or set RATCHET_URL.`,
        cause: error,
      });
    }
    if (response.ok) return response;
    throw new AppError('request.invalid', {
      public: `${method} ${path} was answered ${response.status}: ${publicText(await response.text())}`,
    });
  }
}

interface RequestParts {
  body?: string | Uint8Array;
  headers?: Record<string, string>;
}

function publicText(body: string): string {
  try {
    const problem = JSON.parse(body) as ProblemBody;
    return problem.detail ?? problem.title ?? body;
  } catch {
    return body.slice(0, 300);
  }
}
