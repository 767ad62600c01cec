// Each error that an RPC declares in the protos happens, over the local transport and SQLite. A new RPC or a new error of an RPC
// needs a call in a table of this folder, unless a call of all RPCs with that error provokes it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditExportFormat } from '../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { unaryCall } from '../../../gateway/clients.ts';
import { contracts, errorsOf, rpcOf } from '../../../gateway/contract/contracts.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { newChallenge } from '../../../src/auth/factors/challenge.ts';
import { emptyMessage } from '../../../src/platform/rpc/contract/values.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { tokenForge } from '../../support/forged-tokens.ts';
import { mailFolder } from '../../support/mails.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { IS_SHOP_SERVED } from '../../support/shop-served.ts';
import { openWorld, type Actor } from '../../support/world.ts';
import { ACCOUNT_CALLS, ANY_CLIENT, introspect, issueToken, revoke } from './account-calls.ts';
import { BUSINESS_CALLS } from './business-calls.ts';
import { FACTOR_CALLS, PASSKEY_CALLS } from './factor-calls.ts';
import { FILE_CALLS, LIMITED_FILE_CALLS } from './file-calls.ts';
import { LIMITED_LOGOUT_CALLS, LOGOUT_CALLS } from './logout-calls.ts';
import { MAIL_CALLS } from './mail-calls.ts';
import { BODY, METHODS, methodOf, openScene, UNKNOWN, type Calls, type Message, type Scene } from './scene.ts';
import { WEBHOOK_CALLS } from './webhook-calls.ts';
import { APPLICATION_CALLS, authorizeDevice, exchangeToken, pushRequest } from './application-calls.ts';
import { complete, confirm, login, refresh, replace, SESSION_CALLS, startEnrolment } from './session-calls.ts';
import {
  createSecondFactorOptions,
  loginWithUnknownPasskey,
  PASSKEY_LOGIN_CALLS,
  WITHOUT_PASSKEYS_CALLS,
} from './passkey-calls.ts';

rememberPasswords();

const CALLS: Calls = {
  ...ACCOUNT_CALLS,
  ...SESSION_CALLS,
  ...MAIL_CALLS,
  ...WITHOUT_PASSKEYS_CALLS,
  ...FACTOR_CALLS,
  ...WEBHOOK_CALLS,
  ...APPLICATION_CALLS,
  ...LOGOUT_CALLS,
  ...(IS_SHOP_SERVED && { ...BUSINESS_CALLS, ...FILE_CALLS }),
};

/** As CALLS, in a deployment whose limits are as low as possible. */
const LIMITED_CALLS: Calls = {
  'SessionService/Login TOO_MANY_REQUESTS': (scene) => repeat(() => login(scene, 'nobody')),
  'SessionService/CompleteLogin TOO_MANY_REQUESTS': (scene) => repeat(() => complete(scene, 'garbage')),
  'SessionService/ChangeTemporaryPassword TOO_MANY_REQUESTS': (scene) => repeat(() => replace(scene, 'garbage')),
  'SessionService/StartEnrolment TOO_MANY_REQUESTS': (scene) => repeat(() => startEnrolment(scene)),
  'SessionService/CreateSecondFactorPasskeyOptions TOO_MANY_REQUESTS': (scene) =>
    repeat(() => createSecondFactorOptions(scene)),
  'SessionService/ConfirmSession TOO_MANY_REQUESTS': async (scene) => {
    const user = await scene.world.actor();
    await repeat(() => confirm(scene, user, 'wrong'));
  },
  'SessionService/LoginWithPasskey TOO_MANY_REQUESTS': (scene) => repeat(() => loginWithUnknownPasskey(scene)),
  'SessionService/Refresh TOO_MANY_REQUESTS': (scene) => repeat(() => refresh(scene, 'garbage')),
  'ClientCredentialsService/IssueToken TOO_MANY_REQUESTS': (scene) => repeat(() => issueToken(scene)),
  'AuthorizationService/ExchangeToken TOO_MANY_REQUESTS': (scene) => repeat(() => exchangeToken(scene)),
  'AuthorizationService/AuthorizeDevice TOO_MANY_REQUESTS': (scene) => repeat(() => authorizeDevice(scene)),
  'AuthorizationService/PushAuthorizationRequest TOO_MANY_REQUESTS': (scene) => repeat(() => pushRequest(scene)),
  'ClientCredentialsService/IntrospectToken TOO_MANY_REQUESTS': (scene) => repeat(() => introspect(scene)),
  'ClientCredentialsService/RevokeToken TOO_MANY_REQUESTS': (scene) => repeat(() => revoke(scene)),
  'SessionService/StreamRevocations TOO_MANY_REQUESTS': async ({ clients, world }) => {
    const open = clients.session.streamRevocations({}, world.root.as)[Symbol.asyncIterator]();
    await open.next();
    const more = clients.session.streamRevocations({}, world.root.as)[Symbol.asyncIterator]();
    try {
      await more.next();
    } finally {
      await open.return?.();
    }
  },
  'AuditService/StreamAuditRecords TOO_MANY_REQUESTS': async ({ clients, world }) => {
    const open = clients.audit.streamAuditRecords({ events: [] }, world.root.as)[Symbol.asyncIterator]();
    await open.next();
    const more = clients.audit.streamAuditRecords({ events: [] }, world.root.as)[Symbol.asyncIterator]();
    try {
      await more.next();
    } finally {
      await open.return?.();
    }
  },
  'AuditService/ExportAuditRecords TOO_MANY_REQUESTS': async ({ clients, world }) => {
    const request = { events: [], format: AuditExportFormat.AUDIT_EXPORT_FORMAT_NDJSON };
    // A small export ends with its first message, so several begin at the same time.
    const begin = () => clients.audit.exportAuditRecords(request, world.root.as)[Symbol.asyncIterator]().next();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, begin));
    const refused = outcomes.find(({ status }) => status === 'rejected');
    if (refused) throw (refused as PromiseRejectedResult).reason;
  },
  ...LIMITED_LOGOUT_CALLS,
  ...(IS_SHOP_SERVED && LIMITED_FILE_CALLS),
};

const SETTINGS = {
  ...mailFolder().settings,
  'app.security.passkeys.enabled': 'false',
  'app.security.api-key.enabled': 'true',
  'app.files.open-downloads.per-account': '1',
  'app.files.open-uploads.per-account': '1',
};
const LIMITS = {
  ...PASSKEYS,
  'app.oauth.pending-requests': '1',
  'app.security.login.rate-limit.store': 'memory',
  'app.security.login.rate-limit.points': '1',
  'app.security.m2m.rate-limit.store': 'memory',
  'app.security.m2m.rate-limit.points': '1',
  'app.files.staged-max-count': '1',
  'app.security.revocations.streams-per-account': '1',
  'app.audit.streams-per-account': '1',
};

/** Errors that need more than a few calls, by the test that sees them happen. */
const SEEN_ELSEWHERE: Readonly<Record<string, string>> = {
  'SessionService/CompleteLogin BAD_CREDENTIALS': 'test/rest/auth/second-factor-disclosure.test.ts',
  'FactorService/ConfirmMyTotp BAD_CREDENTIALS': 'test/rest/factors/own-disclosure.test.ts',
  'FactorService/CreateMyPasskey BAD_CREDENTIALS': 'test/rest/factors/own-disclosure.test.ts',
  'SessionService/ChangeTemporaryPassword BAD_CREDENTIALS': 'test/rest/admin/temporary-passwords.test.ts',
  'SessionService/CreateSecondFactorPasskeyOptions BAD_CREDENTIALS': 'test/rest/factors/passkey-login.test.ts',
  'SessionService/LoginWithPasskey BAD_CREDENTIALS': 'test/rest/factors/passkey-login.test.ts',
  'SessionService/StartEnrolment BAD_CREDENTIALS': 'test/rest/auth/second-factor-disclosure.test.ts',
  'AuthorizationService/Authorize TOO_MANY_REQUESTS': 'test/rest/oauth/limits.test.ts',
  'AuthorizationService/StoreAuthorizationRequest TOO_MANY_REQUESTS': 'test/rest/oauth/limits.test.ts',
  'AuthorizationService/ExchangeToken INVALID_TARGET': 'test/rest/oauth/application-tokens.test.ts',
  'AuthorizationService/GetUserInfo INSUFFICIENT_SCOPE': 'test/rest/oauth/claims.test.ts',
  'AuthorizationService/RevokeUserGrant VALIDATION_ERROR': 'test/rest/oauth/audit.test.ts',
  ...(IS_SHOP_SERVED && { 'FileService/UploadFile QUOTA_EXCEEDED': 'test/rest/business/staged-quota.test.ts' }),
};

async function repeat(call: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 2; count += 1) {
    const outcome = await outcomeOf(call());
    if (outcome === 'TOO_MANY_REQUESTS') break;
  }
  await call();
}

/** Calls an RPC with the ids of unknown records, or with the ids of existing ones and nothing that is valid. */
function callWith({ call, world, records }: Scene, rpc: string, isKnown: boolean): Promise<unknown> {
  const { input } = methodOf(rpc);
  const ids = input.fields.flatMap(({ name, localName }) => {
    if (contracts().ruleOf(input.fields.find((field) => field.name === name)!)?.record !== true) return [];
    return [[localName, isKnown ? (records[name] ?? UNKNOWN) : UNKNOWN] as const];
  });
  const has = (field: string) => input.fields.some(({ name }) => name === field);
  const page = has('page') ? { page: { page: 1, perPage: 1_000 } } : {};
  const reason = isKnown && has('reason') ? { reason: 'x'.repeat(501) } : {};
  const needsRoot = /^(?:Tenancy|Audit)Service\/|SigningKeys?$/.test(rpc);
  return call(rpc, { ...Object.fromEntries(ids), ...page, ...reason }, needsRoot ? world.root.as : world.admin.as);
}

const DECLARED = METHODS.flatMap((method) =>
  errorsOf(rpcOf(method)).map((error) => {
    const rpc = `${method.parent.name}/${method.name}`;
    return { rpc, error, name: `${rpc} ${error}` };
  }),
);

/** The call that provokes an error for all RPCs that declare it. */
function provoke(scene: Scene, { rpc, error, name }: (typeof DECLARED)[number]): Promise<unknown> {
  const own = CALLS[name];
  if (own) return own(scene);
  if (error === 'NOT_FOUND') return callWith(scene, rpc, false);
  if (error === 'VALIDATION_ERROR') return callWith(scene, rpc, true);
  throw new Error(`no call provokes ${name}`);
}

describe('a declared error', () => {
  let scene: Scene;
  let limited: Scene;
  let withPasskeys: Scene;
  beforeAll(async () => {
    scene = await openScene(SETTINGS);
    limited = await openScene(LIMITS);
    withPasskeys = await openScene(PASSKEYS);
  });
  afterAll(async () => {
    await scene?.world.close();
    await limited?.world.close();
    await withPasskeys?.world.close();
  });

  const isOutage = ({ error }: (typeof DECLARED)[number]) => error === 'AUTHENTICATION_SERVICE_UNAVAILABLE';
  const others = DECLARED.filter((each) => !isOutage(each) && SEEN_ELSEWHERE[each.name] === undefined);

  it.each(others)('$name', async (each) => {
    const inLimits = LIMITED_CALLS[each.name];
    const ofPasskeys = PASSKEY_CALLS[each.name] ?? PASSKEY_LOGIN_CALLS[each.name];
    const call = inLimits?.(limited) ?? ofPasskeys?.(withPasskeys) ?? provoke(scene, each);
    expect(await outcomeOf(call)).toBe(each.error);
  });

  it('has a call only if it is declared', () => {
    const names = DECLARED.map(({ name }) => name);
    const called = [CALLS, LIMITED_CALLS, PASSKEY_CALLS, PASSKEY_LOGIN_CALLS, SEEN_ELSEWHERE].flatMap(Object.keys);
    expect(called.filter((name) => !names.includes(name))).toEqual([]);
  });
});

/** The answer of an unknown passkey to a new challenge, for which the service needs the database. */
async function passkeyFor({ clients }: Deployment) {
  const { challenge, options } = await clients.session.createPasskeyLoginOptions({});
  const authenticator = createAuthenticator({ origin: ORIGIN });
  return { challenge, passkey: JSON.stringify(authenticator.get(JSON.parse(options))) };
}

describe('without the database', () => {
  let deployment: Deployment;
  let admin: Actor;
  let applicationToken: string;
  beforeAll(async () => {
    const settings = { ...mailFolder().settings, ...PASSKEYS };
    deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    const world = await openWorld({ engine: 'sqlite', transport: 'local', databaseUrl: deployment.databaseUrl });
    ({ admin } = world);
    const forge = await tokenForge(deployment, admin.account, admin.session.id);
    applicationToken = forge.signed(forge.claims({ sid: undefined, gid: newId(), scope: 'openid' }));
    await deployment.core.close();
    await world.close();
  });
  afterAll(() => deployment?.close());

  it.each(DECLARED.filter(({ error }) => error === 'AUTHENTICATION_SERVICE_UNAVAILABLE'))('$name', async ({ rpc }) => {
    const method = methodOf(rpc);
    const message: Message = {
      ...emptyMessage(method.input),
      username: 'ann',
      password: PASSWORD,
      refreshTokenTransport: BODY,
      ...(rpc.endsWith('Refresh') && { refreshTokens: [admin.session.credential], refreshTokenTransport: 1 }),
      challenge: newChallenge(deployment.clock.now()).text,
      method: 1,
      ...(rpc.endsWith('LoginWithPasskey') && (await passkeyFor(deployment))),
      ...(rpc.endsWith('CompleteLogin') && { proof: { $case: 'totp', value: '123456' } }),
      grantType: 'client_credentials',
      accessTokens: [applicationToken],
      parameters: 'client_id=a',
      ...(rpc.endsWith('PushAuthorizationRequest') && { basic: ANY_CLIENT }),
      // The form of a token of a mail.
      token: 'x'.repeat(43),
      newPassword: PASSWORD,
      ...ANY_CLIENT,
      ...(rpc.endsWith('Authenticate') && {
        credential: { $case: 'bearerToken', value: admin.session.accessToken },
      }),
    };
    const call = unaryCall(deployment.clients, rpcOf(method))(message, admin.as);
    expect(await outcomeOf(call)).toBe('AUTHENTICATION_SERVICE_UNAVAILABLE');
  });
});
