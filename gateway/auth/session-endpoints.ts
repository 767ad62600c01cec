// The common parts of the sessions of both profiles: their endpoints, what differs between them, and the caller's account.
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Static, TProperties } from 'typebox';
import type { Account } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { LoginRequest, LoginResponse } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { requireField } from '../clients.ts';
import { errorsOf } from '../contract/contracts.ts';
import { isoTime } from '../contract/encode.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { Type } from '../type.ts';

/** The endpoints of a profile. */
export interface SessionEndpoints {
  readonly login: Endpoint;
  readonly completeLogin: Endpoint;
  readonly changeTemporaryPassword: Endpoint;
  readonly startEnrolment: Endpoint;
  readonly secondFactorPasskeyOptions: Endpoint;
  readonly passkeyLoginOptions: Endpoint;
  readonly passkeyLogin: Endpoint;
  readonly refresh: Endpoint;
  readonly me: Endpoint;
  readonly logout: Endpoint;
}

/** What differs between the profiles. */
export interface LoginStyle {
  /** The names of members. */
  readonly newPassword: string;
  readonly recoveryCode: string;
  readonly recoveryCodes: string;
  readonly accessCode: string;
  readonly rememberMe: string;
  /** Whether a login with a password can ask to be remembered. */
  readonly remembersPasswordLogin: boolean;
  /** The response of a login: its members and headers, and how it is sent. */
  readonly members: TProperties;
  readonly headers?: object;
  respond(login: LoginResponse, request: FastifyRequest, reply: FastifyReply): object;
  /** Returns the transport of the refresh token, the tokens of a request, and the origin of the page and the browser that sent it. */
  originOf(
    request: FastifyRequest,
  ): Pick<LoginRequest, 'refreshTokenTransport' | 'refreshTokens' | 'origin' | 'browserOrigin' | 'userAgent'>;
}

interface Me {
  /** Schemas of the account's members, besides `createdAt`. */
  readonly members: TProperties;
  /** Returns these members of an account. */
  readonly membersOf: (account: Account) => object;
  /** The hook that prevents caching. */
  readonly onRequest: onRequestHookHandler;
}

/** Endpoint: returns the caller's account. */
export function me({ members, membersOf, onRequest }: Me): Endpoint {
  const CurrentUser = Type.Object(
    { ...members, createdAt: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC with milliseconds.' }) },
    { title: 'Account', description: 'The account behind the credential.' },
  );
  return (app, { identity }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...errorsOf(route.config.rpc!), 'VALIDATION_ERROR'] },
      schema: { summary: 'Get the current user', tags: ['Session'], response: { 200: CurrentUser } },
      // A serializer compiled from the schema takes longer.
      serializerCompiler: () => JSON.stringify,
      onRequest,
      handler: async (request): Promise<Static<typeof CurrentUser>> => {
        const account = requireField((await identity.getMe({}, callOptions(request))).account, 'account');
        const createdAt = isoTime(requireField(account.createdAt, 'account'));
        return { ...membersOf(account), createdAt };
      },
    });
}
