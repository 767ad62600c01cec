// Checks the credential of every call at the core.
import { Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { reasonToJSON } from '../gen/authservice/error/v1/reason.ts';
import {
  AuthenticateRequest,
  type AuthenticateResponse,
  type IdentityServiceClient,
  type Principal,
} from '../gen/authservice/identity/v1/identity_service.ts';
import { answer, within } from './core.ts';

const principals = new WeakMap<Metadata, Principal>();

/** The account of the caller. Every call that passes the interceptor has one. */
export const principalOf = (call: { readonly metadata: Metadata }): Principal => principals.get(call.metadata)!;

interface Refusal {
  readonly code: status;
  readonly details: string;
}

export function authentication(identity: IdentityServiceClient): ServerInterceptor {
  async function authenticate(metadata: Metadata): Promise<Principal | Refusal> {
    const credential = credentialOf(metadata);
    if (!credential) return { code: status.UNAUTHENTICATED, details: 'Exactly one credential is needed' };
    try {
      const { principal, refusal } = await answer<AuthenticateResponse>((done) =>
        identity.authenticate(credential, new Metadata(), within(5_000), done),
      );
      return principal ?? { code: status.UNAUTHENTICATED, details: reasonToJSON(refusal!.reason) };
    } catch {
      // The core could not check the credential. It may be valid, so never return UNAUTHENTICATED.
      return { code: status.UNAVAILABLE, details: 'The credential could not be checked' };
    }
  }

  return ({ path }, call) => {
    if (path.startsWith('/grpc.health.v1.Health/')) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          async onReceiveMetadata(metadata, next) {
            const outcome = await authenticate(metadata);
            if ('code' in outcome) return call.sendStatus(outcome);
            principals.set(metadata, outcome);
            next(metadata);
          },
        });
      },
    });
  };
}

/** The bearer token or the API key of a call, if there is exactly one. */
function credentialOf(metadata: Metadata): AuthenticateRequest | undefined {
  const tokens = metadata.get('authorization');
  const keys = metadata.get('x-api-key');
  if (tokens.length + keys.length !== 1) return undefined;
  if (keys.length === 1) return AuthenticateRequest.fromPartial({ apiKey: String(keys[0]) });
  const [, token] = /^bearer (.*)$/i.exec(String(tokens[0])) ?? [];
  return token === undefined ? undefined : AuthenticateRequest.fromPartial({ bearerToken: token });
}
