import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { formsOf, omit } from './answers.js';

const OPENAPI_VERSION = '3.1.0';
const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

const problemAnswer = {
  description: 'Problem',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** Bodies and parameters in the same JSON Schema as the answers; what a schema transforms is shown as it is sent. */
function requestSchemaOf(schema: unknown): { schema: unknown } | undefined {
  if (!(schema instanceof z.ZodType)) return undefined;
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return { schema: omit({ ...converted }, ['$schema']) };
}

/** The OpenAPI document of an app: requests as its routes validate them, answers as `@Answers` declares them, problems as errors. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion(OPENAPI_VERSION)
    .setTitle('Ratchet')
    .setVersion('1')
    .addBearerAuth()
    .build();
  const document = SwaggerModule.createDocument(app, base, { standardSchemaConverter: requestSchemaOf });
  for (const path of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = path[method];
      if (operation) operation.responses['default'] = problemAnswer;
    }
  }
  document.components = { ...document.components, schemas: formsOf() };
  return document;
}
