/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { named, pageForm } from '#platform/web';

const RouteForm = named(
  'Route',
  z.object({
    agent: z.string(),
    candidateId: z.string(),
    policy: z.string(),
    agentRefDigest: z.string(),
  }),
);
export const RoutePage = pageForm('Route', RouteForm);

export const ModelList = named(
  'ModelList',
  z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        id: z.string(),
        object: z.literal('model'),
        owned_by: z.string(),
        root: z.string(),
      }),
    ),
  }),
);

/** As far as callers may count on it; what the policy's server says beyond that is passed on. Source: OpenAI API reference. */
export const ChatCompletion = named(
  'ChatCompletion',
  z.looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.number().int(),
    /** Content name of the policy that answered. */
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.number().int(),
        message: z.looseObject({ role: z.string(), content: z.string().nullable() }),
        finish_reason: z.string().nullable(),
      }),
    ),
    usage: z
      .looseObject({
        prompt_tokens: z.number().int(),
        completion_tokens: z.number().int(),
        total_tokens: z.number().int(),
      })
      .optional(),
  }),
);
