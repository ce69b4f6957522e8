import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { z } from 'zod';

import { AppError } from '#kernel/errors';

import { ChatRequest, completeChat, type ChatParts } from './chat-completion.js';
import { readBody, requireKey, sendError, sendJson } from './http-exchange.js';
import type { LoadedModels } from './loaded-models.js';
import { RequestCounts } from './request-counts.js';

export interface PolicyHttpOptions {
  key: string;
  models: LoadedModels;
  chat: ChatParts;
  /** Told of what is this server's fault. */
  onError(error: unknown): void;
}

type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

const LoadAdapter = z.looseObject({ lora_name: z.string(), lora_path: z.string() });
const UnloadAdapter = z.looseObject({ lora_name: z.string() });

/** The HTTP surface that vLLM has, as far as the loop needs it. Every route but `/healthz` asks for the key. */
export function policyHttpServer(options: PolicyHttpOptions): Server {
  const routes = routesOf(options);
  return createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code === 'internal') options.onError(error);
      sendError(response, error);
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = `${request.method} ${new URL(request.url ?? '/', 'http://localhost').pathname}`;
    if (name === 'GET /healthz') return sendJson(response, 200, { status: 'ok' });
    requireKey(request, options.key);
    const route = routes[name];
    if (!route) throw new AppError('resource.not_found', { public: `There is no ${name}.` });
    await route(request, response);
  }
}

function routesOf({ models, chat }: PolicyHttpOptions): Readonly<Record<string, Route>> {
  const counts = new RequestCounts();
  return {
    'POST /v1/chat/completions': async (request, response) => {
      const body = await readBody(request, ChatRequest);
      if (!models.has(body.model))
        throw new AppError('resource.not_found', {
          public: `The model ${body.model} does not exist.`,
          detail: { param: 'model' },
        });
      const completion = await completeChat(chat, body, abortedOnLeave(response));
      counts.add(body.model, completion.usage);
      sendJson(response, 200, completion);
    },
    'GET /v1/models': (_, response) => {
      const data = models.list().map((model) => ({ ...model, object: 'model', owned_by: 'ratchet' }));
      sendJson(response, 200, { object: 'list', data });
    },
    'POST /v1/load_lora_adapter': async (request, response) => {
      const body = await readBody(request, LoadAdapter);
      await models.load(body.lora_name, body.lora_path);
      response.end(`Success: LoRA adapter '${body.lora_name}' added successfully.`);
    },
    'POST /v1/unload_lora_adapter': async (request, response) => {
      const body = await readBody(request, UnloadAdapter);
      await models.unload(body.lora_name);
      response.end(`Success: LoRA adapter '${body.lora_name}' removed successfully.`);
    },
    'GET /stats': (_, response) =>
      sendJson(response, 200, { models: counts.list(), inFlight: chat.scheduler.pending }),
  };
}

/** Aborted when the caller closes the connection before the answer. */
function abortedOnLeave(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}
