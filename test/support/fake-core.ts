// A core that responds as the test sets it and records its calls.
import type { Account } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { ReasonName } from '../../src/platform/errors.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { ErrorStatus } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions, ServiceDefinition } from '../../src/platform/rpc/types.ts';
import type { Clients } from '../../gateway/clients.ts';
import { connectClients, type Connect } from '../../gateway/clients.ts';

export interface RecordedCall {
  readonly rpc: string;
  readonly input: unknown;
  readonly options: CallOptions;
}

/** What an RPC answers: a value, an error to reject with, or a function of the call. */
type RestResponse = unknown;

export const ACCOUNT: Account = {
  id: '0190a000-0000-7000-8000-000000000001',
  username: 'alice@acme.test',
  name: 'Alice',
  email: 'alice@acme.test',
  tenantId: 'acme',
  roles: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT'],
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
};

export const COOKIE = { name: 'SERVICE_REFRESH', value: 'selector.1.verifier.tag', maxAge: 2_592_000 };

const ANSWERS: Readonly<Record<string, RestResponse>> = {
  'authservice.session.v1.SessionService/Login': {
    accessToken: 'a.b.c',
    expiresIn: 900,
    refreshCookie: COOKIE,
    account: ACCOUNT,
  },
  'authservice.session.v1.SessionService/Refresh': { accessToken: 'd.e.f', expiresIn: 900, refreshCookie: COOKIE },
  'authservice.session.v1.SessionService/Logout': { refreshCookieName: COOKIE.name },
  'authservice.key.v1.KeyService/GetJsonWebKeySet': {
    json: '{"keys":[{"kty":"EC","kid":"k1","crv":"P-256","x":"x","y":"y"}]}',
  },
  'authservice.session.v1.SessionService/GetAuthorizationServerMetadata': {
    issuer: 'https://auth.shop.test',
    signingAlgorithms: ['ES256'],
  },
  'authservice.identity.v1.IdentityService/GetMe': { account: ACCOUNT },
  'authservice.identity.v1.IdentityService/VerifyAccess': { headers: [{ name: 'Remote-User', value: 'ann' }] },
  'authservice.clientcredentials.v1.ClientCredentialsService/IssueToken': { accessToken: 'g.h.i', expiresIn: 300 },
  'authservice.clientcredentials.v1.ClientCredentialsService/IntrospectToken': { active: false, roles: [], amr: [] },
  'authservice.clientcredentials.v1.ClientCredentialsService/RevokeToken': {},
  'grpc.health.v1.Health/Check': { status: 1 },
};

/** An error as the core sends it under maximal disclosure, with changes. */
export function refused(reason: ReasonName, status: Partial<ErrorStatus> = {}): RpcError {
  return new RpcError({
    reason,
    message: `because of ${reason}`,
    violations: [],
    retryAfterMs: undefined,
    diagnostics: {
      exceptionType: 'ServiceError',
      exceptionMessage: `because of ${reason}`,
      stackTrace: 'at src/x.ts:1:1',
    },
    requestId: undefined,
    ...status,
  });
}

export interface FakeCore {
  readonly clients: Clients;
  readonly calls: RecordedCall[];
  /** Sets the response to an RPC: a value, an Error to reject with, or a function of the call. */
  respond(rpc: string, response: RestResponse): void;
  /** Forgets all calls and the responses of the test. */
  reset(): void;
}

/** Connects clients of any service to a function that responds to every RPC: with a value, or an error that it throws. */
export function connectTo(respond: (call: RecordedCall) => unknown): Connect {
  const connect = (definition: ServiceDefinition) =>
    Object.fromEntries(
      Object.entries(definition).map(([method, { path }]) => [
        method,
        async (input: unknown, options: CallOptions = {}) => respond({ rpc: path.slice(1), input, options }),
      ]),
    );
  return connect as unknown as Connect;
}

/** Makes a core whose every RPC succeeds unless the test sets another response. */
export function fakeCore(): FakeCore {
  let responses = new Map(Object.entries(ANSWERS));
  const calls: RecordedCall[] = [];
  const connect = connectTo((call) => {
    calls.push(call);
    const response = responses.get(call.rpc);
    if (response instanceof Error) throw response;
    return typeof response === 'function' ? response(call) : response;
  });
  const clients = connectClients(connect);
  return {
    clients,
    calls,
    respond: (name, response) => void responses.set(name, response),
    reset() {
      responses = new Map(Object.entries(ANSWERS));
      calls.length = 0;
    },
  };
}
