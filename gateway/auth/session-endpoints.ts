// The common parts of the sessions of both profiles: paths, RPCs, credentials and the caller's account.
import type { onRequestHookHandler } from 'fastify';
import type { Static, TProperties } from 'typebox';
import type { Account } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { NOT_BLANK } from '../../src/platform/rpc/contract/text-patterns.ts';
import { requireField } from '../clients.ts';
import { errorsOf } from '../contract/contracts.ts';
import { isoTime } from '../contract/encode.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { documented } from '../schema/documented.ts';
import { Type } from '../type.ts';
import { declared, methodOf } from './declared.ts';

/** The endpoints of a profile. */
export interface SessionEndpoints {
  readonly login: Endpoint;
  readonly completeLogin: Endpoint;
  readonly startEnrolment: Endpoint;
  readonly secondFactorPasskeyOptions: Endpoint;
  readonly passkeyLoginOptions: Endpoint;
  readonly passkeyLogin: Endpoint;
  readonly refresh: Endpoint;
  readonly me: Endpoint;
  readonly logout: Endpoint;
}

/** The RPC of a login. */
export const LOGIN = methodOf('SessionService', 'Login');

// The core checks the credentials after the limit of attempts, so the fields of the RPC have wider bounds.
const { ruleNamed } = ownDescriptors();
const USERNAME = ruleNamed('authservice.identity.v1.CreateUserRequest.username');
const PASSWORD = ruleNamed('authservice.identity.v1.ChangeOwnPasswordRequest.current_password');

/** Members of the login body. The core checks the lengths. */
export const CREDENTIALS = {
  username: Type.String({
    ...declared(LOGIN.input, 'username'),
    ...documented({ maxLength: USERNAME.max, pattern: NOT_BLANK }),
  }),
  password: Type.String({
    ...declared(LOGIN.input, 'password'),
    ...documented({ minLength: PASSWORD.min, maxLength: PASSWORD.max }),
  }),
};

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
