import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';

export const IS_PUBLIC = 'ratchet:public';

/** Marks a route as open on purpose (health, metrics, OpenAPI). Every other route is guarded. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(IS_PUBLIC, true);

/** What the guard leaves on the request. */
export interface RatchetRequest {
  headers: Record<string, string | string[] | undefined>;
  projectId?: string;
}

/** The project the guard resolved from the key (or the `x-ratchet-project` header in open embedded mode). */
export const ProjectId = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const request = context.switchToHttp().getRequest<RatchetRequest>();
  return request.projectId ?? 'default';
});
