// Calls of applications and of their requests that provoke their declared errors.
import { applicationFields } from '../../../cli/isolation/examples/applications.ts';
import { ApplicationType } from '../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { OTHER_TENANT, PAST, UNKNOWN, type Calls, type Message, type Provoke, type Scene } from './scene.ts';

const CALLBACK = 'https://wiki.test/callback';
const FIELDS = { ...applicationFields('Wiki'), redirectUris: [CALLBACK] };
const NEW = { type: ApplicationType.APPLICATION_TYPE_WEB, application: FIELDS };
const SECRET_IN_PROGRAM = { type: ApplicationType.APPLICATION_TYPE_SPA, application: FIELDS };
const FIRST_PARTY = { ...FIELDS, firstParty: true };

interface Created {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

async function create({ call, world }: Scene, message: Message = NEW, byRoot = false): Promise<Created> {
  const as = byRoot ? world.root.as : world.admin.as;
  const response = await call('ApplicationService/CreateApplication', message, as);
  const { application, clientSecret } = response as { application: Created; clientSecret: string };
  return { ...application, clientSecret };
}

/** Calls an RPC of ApplicationService on a new application of the tenant. */
const onNew =
  (rpc: string, fields: Message = {}, message: Message = NEW): Provoke =>
  async (scene) => {
    const { id } = await create(scene, message);
    return scene.call(`ApplicationService/${rpc}`, { applicationId: id, ...fields });
  };

/** Calls an RPC of ApplicationService on an application for all tenants. */
const onShared =
  (rpc: string, fields: Message = {}): Provoke =>
  async (scene) => {
    const { id } = await create(scene, { ...NEW, tenantId: undefined }, true);
    return scene.call(`ApplicationService/${rpc}`, { applicationId: id, ...fields });
  };

const OLD = { precondition: { versions: [99] } };
const UPDATE = { application: FIELDS, updateMask: ['name'] };
const UNKNOWN_SECRET = { secretId: UNKNOWN, expiresAt: PAST };

/** Calls ExchangeToken as a new application. */
const exchange =
  (fields: Message): Provoke =>
  async (scene) => {
    const { clientId, clientSecret } = await create(scene);
    return scene.call('AuthorizationService/ExchangeToken', { clientId, clientSecret, ...fields }, {});
  };

const REQUEST = {
  response_type: 'code',
  scope: 'openid',
  redirect_uri: CALLBACK,
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
};

/** Pushes an authorization request of a new application. */
const push =
  (parameters: Readonly<Record<string, string>>): Provoke =>
  async (scene) => {
    const { clientId, clientSecret } = await create(scene);
    const text = new URLSearchParams({ client_id: clientId, ...REQUEST, ...parameters }).toString();
    const basic = { clientId, clientSecret };
    return scene.call('AuthorizationService/PushAuthorizationRequest', { parameters: text, basic }, {});
  };

/** Continues the request of a new application without a decision. */
const continueAs =
  (tenantId: string, parameters: Readonly<Record<string, string>>): Provoke =>
  async (scene) => {
    const { clientId } = await create(scene);
    const text = new URLSearchParams({ client_id: clientId, ...REQUEST, ...parameters }).toString();
    const begun = await scene.call('AuthorizationService/Authorize', { parameters: text }, {});
    const { loginRequest: requestId } = begun as { loginRequest: string };
    return scene.call(
      'AuthorizationService/ContinueAuthorization',
      { requestId },
      (await scene.world.actor({ tenantId })).as,
    );
  };

const userInfo =
  (accessTokens: readonly string[]): Provoke =>
  ({ call }) =>
    call('AuthorizationService/GetUserInfo', { accessTokens }, {});

/** Starts a device as a new application. */
const startDevice =
  (fields: Message, application: Message = { deviceGrant: true }): Provoke =>
  async (scene) => {
    const { clientId, clientSecret } = await create(scene, { ...NEW, application: { ...FIELDS, ...application } });
    return scene.call('AuthorizationService/AuthorizeDevice', { clientId, clientSecret, ...fields }, {});
  };

/** A device of a new application of acme. */
async function newDevice(scene: Scene) {
  const { clientId, clientSecret } = await create(scene, { ...NEW, application: { ...FIELDS, deviceGrant: true } });
  const client = { clientId, clientSecret };
  const device = await scene.call('AuthorizationService/AuthorizeDevice', client, {});
  return { ...client, ...(device as { deviceCode: string; userCode: string }) };
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const ALLOW = 1;
const DENY = 2;

/** Polls for a new device. */
const poll =
  (prepare: (scene: Scene, device: { readonly userCode: string }) => unknown, times = 1): Provoke =>
  async (scene) => {
    const { clientId, clientSecret, deviceCode, userCode } = await newDevice(scene);
    await prepare(scene, { userCode });
    const ask = () =>
      scene.call(
        'AuthorizationService/ExchangeToken',
        { grantType: DEVICE_CODE, deviceCode, clientId, clientSecret },
        {},
      );
    for (let time = 1; time < times; time += 1) await ask().catch(() => undefined);
    return ask();
  };

/** Enters a code as a new user. */
const enter =
  (method: string, fields: Message, tenantId = 'acme'): Provoke =>
  async (scene) => {
    const { userCode } = await newDevice(scene);
    const { as } = await scene.world.actor({ tenantId });
    return scene.call(`AuthorizationService/${method}`, { userCode, ...fields }, as);
  };

const enterWrong =
  (method: string): Provoke =>
  async (scene) => {
    const { as } = await scene.world.actor({ tenantId: 'acme' });
    const wrong = { userCode: 'BBBB-BBBB', decision: ALLOW };
    for (let time = 0; time < 5; time += 1)
      await scene.call(`AuthorizationService/${method}`, wrong, as).catch(() => undefined);
    return scene.call(`AuthorizationService/${method}`, wrong, as);
  };

const NOBODY = { clientId: 'nobody', clientSecret: 'x' };
export const exchangeToken = ({ call }: Scene) =>
  call('AuthorizationService/ExchangeToken', { grantType: 'client_credentials', ...NOBODY }, {});
export const authorizeDevice = ({ call }: Scene) => call('AuthorizationService/AuthorizeDevice', NOBODY, {});
export const pushRequest = ({ call }: Scene) =>
  call('AuthorizationService/PushAuthorizationRequest', { parameters: 'client_id=nobody', basic: NOBODY }, {});

export const APPLICATION_CALLS: Calls = {
  'ApplicationService/ListApplications TENANT_MISMATCH': ({ call }) =>
    call('ApplicationService/ListApplications', OTHER_TENANT),
  'ApplicationService/CreateApplication TENANT_MISMATCH': ({ call }) =>
    call('ApplicationService/CreateApplication', { ...NEW, ...OTHER_TENANT }),
  'ApplicationService/CreateApplication PERMISSION_DENIED': ({ call }) =>
    call('ApplicationService/CreateApplication', { ...NEW, application: FIRST_PARTY }),
  'ApplicationService/CreateApplication CONFLICT': ({ call }) =>
    call('ApplicationService/CreateApplication', { ...NEW, clientId: 'sync' }),
  'ApplicationService/UpdateApplication VALIDATION_ERROR': onNew('UpdateApplication', {
    application: { ...FIELDS, redirectUris: ['no URI'] },
    updateMask: ['redirect_uris'],
  }),
  'ApplicationService/UpdateApplication PERMISSION_DENIED': onShared('UpdateApplication', UPDATE),
  'ApplicationService/UpdateApplication PRECONDITION_FAILED': onNew('UpdateApplication', { ...UPDATE, ...OLD }),
  'ApplicationService/DeleteApplication PERMISSION_DENIED': onShared('DeleteApplication'),
  'ApplicationService/DeleteApplication PRECONDITION_FAILED': onNew('DeleteApplication', OLD),
  'ApplicationService/PreviewApplication VALIDATION_ERROR': onNew('PreviewApplication', { username: '', scopes: [] }),
  'ApplicationService/CreateApplicationSecret VALIDATION_ERROR': onNew('CreateApplicationSecret', { expiresAt: PAST }),
  'ApplicationService/CreateApplicationSecret PERMISSION_DENIED': onShared('CreateApplicationSecret'),
  'ApplicationService/CreateApplicationSecret CONFLICT': onNew('CreateApplicationSecret', {}, SECRET_IN_PROGRAM),
  'ApplicationService/ExpireApplicationSecret VALIDATION_ERROR': async (scene) => {
    const { id: applicationId } = await create(scene);
    const { secrets } = (await scene.call('ApplicationService/ListApplicationSecrets', { applicationId })) as {
      secrets: readonly { readonly id: string }[];
    };
    const expiry = { secretId: secrets[0]!.id, expiresAt: new Date(-1) };
    return scene.call('ApplicationService/ExpireApplicationSecret', { applicationId, ...expiry });
  },
  'ApplicationService/ExpireApplicationSecret PERMISSION_DENIED': onShared('ExpireApplicationSecret', UNKNOWN_SECRET),

  'AuthorizationService/PushAuthorizationRequest INVALID_REQUEST': push({ response_type: '' }),
  'AuthorizationService/PushAuthorizationRequest INVALID_CLIENT': pushRequest,
  'AuthorizationService/PushAuthorizationRequest UNAUTHORIZED_CLIENT': async (scene) => {
    const basic = await serviceAccount(scene);
    const parameters = `client_id=${basic.clientId}`;
    return scene.call('AuthorizationService/PushAuthorizationRequest', { parameters, basic }, {});
  },
  'AuthorizationService/PushAuthorizationRequest UNSUPPORTED_RESPONSE_TYPE': push({ response_type: 'token' }),
  'AuthorizationService/PushAuthorizationRequest INVALID_TARGET': push({ resource: 'other' }),
  'AuthorizationService/PushAuthorizationRequest REQUEST_NOT_SUPPORTED': push({ request: 'x' }),
  'AuthorizationService/PushAuthorizationRequest REQUEST_URI_NOT_SUPPORTED': push({ request_uri: 'https://x.test' }),
  'AuthorizationService/PushAuthorizationRequest REGISTRATION_NOT_SUPPORTED': push({ registration: 'x' }),
  'AuthorizationService/ContinueAuthorization VALIDATION_ERROR': continueAs('acme', { prompt: 'select_account' }),
  'AuthorizationService/ContinueAuthorization PERMISSION_DENIED': continueAs('globex', {}),
  'AuthorizationService/ExchangeToken INVALID_REQUEST': exchange({ grantType: 'authorization_code' }),
  'AuthorizationService/ExchangeToken INVALID_CLIENT': exchange({
    grantType: 'refresh_token',
    refreshToken: 'x',
    clientSecret: 'wrong',
  }),
  'AuthorizationService/ExchangeToken INVALID_GRANT': exchange({ grantType: 'refresh_token', refreshToken: 'x' }),
  'AuthorizationService/ExchangeToken INVALID_SCOPE': async (scene) =>
    scene.call(
      'AuthorizationService/ExchangeToken',
      { grantType: 'client_credentials', scope: 'no such scope', ...(await serviceAccount(scene)) },
      {},
    ),
  'AuthorizationService/ExchangeToken UNAUTHORIZED_CLIENT': exchange({ grantType: 'client_credentials' }),
  'AuthorizationService/ExchangeToken UNSUPPORTED_GRANT_TYPE': exchange({ grantType: 'password' }),
  'AuthorizationService/ExchangeToken AUTHORIZATION_PENDING': poll(() => undefined),
  'AuthorizationService/ExchangeToken SLOW_DOWN': poll(() => undefined, 2),
  'AuthorizationService/ExchangeToken ACCESS_DENIED': poll(async (scene, { userCode }) =>
    scene.call(
      'AuthorizationService/DecideDeviceRequest',
      { userCode, decision: DENY },
      (await scene.world.actor({ tenantId: 'acme' })).as,
    ),
  ),
  'AuthorizationService/ExchangeToken EXPIRED_TOKEN': poll(({ world }) =>
    world.deployment.database.execute('UPDATE device_requests SET expires_at = 0'),
  ),
  'AuthorizationService/AuthorizeDevice INVALID_REQUEST': ({ call }) =>
    call('AuthorizationService/AuthorizeDevice', {}, {}),
  'AuthorizationService/AuthorizeDevice INVALID_CLIENT': startDevice({ clientSecret: 'wrong' }),
  'AuthorizationService/AuthorizeDevice UNAUTHORIZED_CLIENT': startDevice({}, {}),
  'AuthorizationService/AuthorizeDevice INVALID_TARGET': startDevice({ resource: 'other' }),
  'AuthorizationService/GetDeviceRequest VALIDATION_ERROR': enter('GetDeviceRequest', { userCode: 'x'.repeat(65) }),
  'AuthorizationService/GetDeviceRequest NOT_FOUND': enter('GetDeviceRequest', { userCode: 'BBBB-BBBB' }),
  'AuthorizationService/GetDeviceRequest TOO_MANY_REQUESTS': enterWrong('GetDeviceRequest'),
  'AuthorizationService/DecideDeviceRequest VALIDATION_ERROR': enter('DecideDeviceRequest', {}),
  'AuthorizationService/DecideDeviceRequest NOT_FOUND': enter('DecideDeviceRequest', {
    userCode: 'BBBB-BBBB',
    decision: ALLOW,
  }),
  'AuthorizationService/DecideDeviceRequest PERMISSION_DENIED': enter(
    'DecideDeviceRequest',
    { decision: ALLOW },
    'globex',
  ),
  'AuthorizationService/DecideDeviceRequest TOO_MANY_REQUESTS': enterWrong('DecideDeviceRequest'),
  'AuthorizationService/GetUserInfo TOKEN_MISSING': userInfo([]),
  'AuthorizationService/GetUserInfo INVALID_REQUEST': userInfo(['a', 'b']),
  'AuthorizationService/GetUserInfo TOKEN_INVALID': userInfo(['garbage']),
};

async function serviceAccount({ call }: Scene) {
  const fields = { clientId: `client-${newId()}`, name: 'Client', roles: ['SALES'] };
  const created = await call('ClientCredentialsService/CreateServiceAccount', fields);
  const { serviceAccount: account, clientSecret } = created as {
    serviceAccount: { clientId: string };
    clientSecret: string;
  };
  return { clientId: account.clientId, clientSecret };
}
