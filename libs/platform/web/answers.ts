import type { StreamableFile } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';

/** Named forms of answers: each is one entry of the document's `components.schemas`. */
const forms = z.registry<{ id: string }>();

const refTo = (id: string): string => `#/components/schemas/${id}`;

/** Which form has a name: two that share one would hide one another in the document. */
const owners = new Map<string, z.ZodType>();

/** Gives a form of answer its name in the OpenAPI document. @throws TypeError where another form has that name. */
export function named<T extends z.ZodType>(id: string, form: T): T {
  if ((owners.get(id) ?? form) !== form) throw new TypeError(`two forms of answers are named ${id}`);
  owners.set(id, form);
  forms.add(form, { id });
  return form;
}

/** The form of a keyset page of these items, named after them: `BucketPage`. */
export function pageForm<T extends z.ZodType>(id: string, item: T) {
  return named(`${id}Page`, z.object({ items: z.array(item), nextCursor: z.string().nullable() }));
}

/** RFC 9457; what `ProblemFilter` sends for every error. */
export const ProblemForm = named(
  'Problem',
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
);

type Handler<Out> = (...args: never[]) => Out | StreamableFile | Promise<Out | StreamableFile>;

/** Content type → what its text is. */
type Texts = Readonly<Record<string, string>>;

const textContents = (texts: Texts) =>
  Object.fromEntries(
    Object.entries(texts).map(([type, description]) => [type, { schema: { type: 'string', description } }]),
  );

function responseOf(status: number, form: z.ZodType, texts: Texts = {}): MethodDecorator {
  const id = forms.get(form)?.id;
  if (id === undefined) throw new TypeError('the form of an answer has no name: use named()');
  const content = { 'application/json': { schema: { $ref: refTo(id) } }, ...textContents(texts) };
  return ApiResponse({ status, description: id, content });
}

/**
 * Says which form the JSON answer of a route has, and what else it can answer where it is asked to. The compiler holds the
 * method to the form; the document refers to it by name.
 * @throws TypeError while the controller is loaded, where the form has no name.
 */
export function Answers<T extends z.ZodType>(status: number, form: T, texts?: Texts) {
  const decorate = responseOf(status, form, texts);
  return <F extends Handler<z.output<T>>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<F>,
  ): void => {
    decorate(target, key, descriptor);
  };
}

/** Like `Answers` for a method that writes the response itself or passes on another server's: nothing to compile against. */
export function AnswersUnchecked(status: number, form: z.ZodType, texts?: Texts): MethodDecorator {
  return responseOf(status, form, texts);
}

/** Says that a route answers with text, not with a JSON document. */
export function AnswersText(status: number, texts: Texts): MethodDecorator {
  return ApiResponse({ status, description: Object.values(texts).join('; '), content: textContents(texts) });
}

/** Says that a route only refuses: it is there for clients that ask, with an answer they understand. */
export function AnswersProblem(status: number): MethodDecorator {
  return ApiResponse({
    status,
    description: 'Always',
    content: { 'application/problem+json': { schema: { $ref: refTo('Problem') } } },
  });
}

/** All named forms as JSON Schema 2020-12, sorted by name: what an answer has, and nothing else. */
export function formsOf(): Record<string, Record<string, unknown>> {
  const { schemas } = z.toJSONSchema(forms, {
    io: 'output',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    uri: refTo,
  });
  const ids = Object.keys(schemas).sort();
  return Object.fromEntries(ids.map((id) => [id, omit({ ...schemas[id] }, ['$schema', '$id', 'id'])]));
}

/** A JSON Schema without these keywords of its root. */
export function omit(schema: Record<string, unknown>, keywords: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}
