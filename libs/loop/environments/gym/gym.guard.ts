import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { GymTokens } from './gym-tokens.js';

/** The token in an `Authorization: Bearer` header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  const [scheme, token] = authorization?.split(' ') ?? [];
  return scheme?.toLowerCase() === 'bearer' ? token : undefined;
}

/** Before any body is looked at: a request without a valid token learns nothing, not even what a body should be. */
@Injectable()
export class GymGuard implements CanActivate {
  constructor(private readonly tokens: GymTokens) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>();
    this.tokens.verify(bearerOf(headers.authorization));
    return true;
  }
}
