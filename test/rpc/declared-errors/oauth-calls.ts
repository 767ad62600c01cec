// Calls of AuthorizationService and ApplicationService that provoke their declared errors.
import { applicationFields } from '../../../cli/isolation/examples/applications.ts';
import {
  ApplicationType,
  type ApplicationFields,
} from '../../../proto/gen/authservice/oauth/v1/application_service.ts';
import {
  authorizationRequest,
  codeOf,
  createClient,
  credentialsOf,
  grantTo,
  parametersOf,
  type Client,
} from '../../support/grants.ts';
import { OTHER_TENANT, PAST, type Calls, type Message, type Provoke, type Scene } from './scene.ts';

type Parameters = Readonly<Record<string, string>>;

const CHANGED = { precondition: { versions: [99] } };
const WITHOUT_CONSENT = { firstParty: true };
const named = (name: string, fields: Partial<ApplicationFields> = {}) => ({
  application: { ...applicationFields(name), ...fields },
});

const webClient = ({ world }: Scene) => createClient(world.clients, world.admin.as);
const publicClient = ({ world }: Scene) =>
  createClient(world.clients, world.admin.as, {}, ApplicationType.APPLICATION_TYPE_SPA);

/** An application that only a SUPER_ADMIN changes. */
async function firstPartyClient({ world }: Scene): Promise<string> {
  const { application } = await world.clients.application.createApplication(
    { tenantId: 'acme', type: ApplicationType.APPLICATION_TYPE_WEB, ...named('First', WITHOUT_CONSENT) },
    world.root.as,
  );
  return application!.id;
}

/** Calls an RPC on a new application. */
const onApplication =
  (rpc: string, fields: Message): Provoke =>
  async (scene) =>
    scene.call(`ApplicationService/${rpc}`, { applicationId: (await webClient(scene)).id, ...fields });

const onFirstParty =
  (rpc: string, fields: Message = {}): Provoke =>
  async (scene) =>
    scene.call(`ApplicationService/${rpc}`, { applicationId: await firstPartyClient(scene), ...fields });

const onSecret =
  (fields: Message): Provoke =>
  async (scene) => {
    const { id: applicationId } = await webClient(scene);
    const { application } = scene.world.clients;
    const { secrets } = await application.listApplicationSecrets({ applicationId }, scene.world.admin.as);
    return scene.call('ApplicationService/ExpireApplicationSecret', {
      applicationId,
      secretId: secrets[0]!.id,
      ...fields,
    });
  };

export const APPLICATION_CALLS: Calls = {
  'ApplicationService/ListApplications TENANT_MISMATCH': ({ call }) =>
    call('ApplicationService/ListApplications', OTHER_TENANT),
  'ApplicationService/CreateApplication TENANT_MISMATCH': ({ call }) =>
    call('ApplicationService/CreateApplication', { type: 1, ...named('New'), ...OTHER_TENANT }),
  'ApplicationService/CreateApplication CONFLICT': async (scene) => {
    const { clientId } = await webClient(scene);
    await scene.call('ApplicationService/CreateApplication', { type: 1, clientId, ...named('Same') });
  },
  'ApplicationService/CreateApplication PERMISSION_DENIED': ({ call }) =>
    call('ApplicationService/CreateApplication', { type: 1, ...named('First', WITHOUT_CONSENT) }),
  'ApplicationService/UpdateApplication VALIDATION_ERROR': onApplication('UpdateApplication', {
    ...named(''),
    updateMask: ['name'],
  }),
  'ApplicationService/UpdateApplication PRECONDITION_FAILED': onApplication('UpdateApplication', {
    ...named('Other'),
    updateMask: ['name'],
    ...CHANGED,
  }),
  'ApplicationService/UpdateApplication PERMISSION_DENIED': onFirstParty('UpdateApplication', {
    ...named('Other'),
    updateMask: ['name'],
  }),
  'ApplicationService/DeleteApplication PRECONDITION_FAILED': onApplication('DeleteApplication', CHANGED),
  'ApplicationService/DeleteApplication PERMISSION_DENIED': onFirstParty('DeleteApplication'),
  'ApplicationService/PreviewApplication VALIDATION_ERROR': onApplication('PreviewApplication', { username: '' }),
  'ApplicationService/ListApplicationSecrets VALIDATION_ERROR': onApplication('ListApplicationSecrets', {
    page: { page: 1, perPage: 1_000 },
  }),
  'ApplicationService/CreateApplicationSecret VALIDATION_ERROR': onApplication('CreateApplicationSecret', {
    expiresAt: PAST,
  }),
  'ApplicationService/CreateApplicationSecret CONFLICT': async (scene) => {
    const { id: applicationId } = await webClient(scene);
    for (let count = 0; count < 3; count += 1)
      await scene.call('ApplicationService/CreateApplicationSecret', { applicationId });
  },
  'ApplicationService/CreateApplicationSecret PERMISSION_DENIED': onFirstParty('CreateApplicationSecret'),
  'ApplicationService/ExpireApplicationSecret VALIDATION_ERROR': onSecret({ expiresAt: new Date(-1) }),
  'ApplicationService/ExpireApplicationSecret PERMISSION_DENIED': async (scene) => {
    const { world } = scene;
    const applicationId = await firstPartyClient(scene);
    const { secrets } = await world.clients.application.listApplicationSecrets({ applicationId }, world.root.as);
    await scene.call('ApplicationService/ExpireApplicationSecret', { applicationId, secretId: secrets[0]!.id });
  },
};

const authorize = ({ call }: Scene, client: Client) =>
  call('AuthorizationService/Authorize', { parameters: parametersOf(client) }, {});
const storeRequest = ({ call }: Scene) =>
  call('AuthorizationService/StoreAuthorizationRequest', { parameters: 'response_type=code' }, {});
const pushAs = ({ call }: Scene, client: Pick<Client, 'clientId' | 'clientSecret'>, more: Parameters = {}) =>
  call(
    'AuthorizationService/PushAuthorizationRequest',
    { parameters: parametersOf(client, { client_secret: client.clientSecret ?? '', ...more }) },
    {},
  );
const push =
  (more: Parameters): Provoke =>
  async (scene) =>
    pushAs(scene, await webClient(scene), more);
const exchange = ({ call }: Scene, fields: Message) => call('AuthorizationService/ExchangeToken', fields, {});
const userInfo = ({ call }: Scene, ...accessTokens: readonly string[]) =>
  call('AuthorizationService/GetUserInfo', { accessTokens }, {});

async function serviceAccount({ world }: Scene, clientId: string) {
  const fields = { clientId, name: 'Machine', roles: ['SALES'] };
  const { clientSecret } = await world.clients.clientCredentials.createServiceAccount(fields, world.admin.as);
  return { clientId, clientSecret };
}

const continueRequest = async (scene: Scene, as: Scene['world']['admin']['as'], more: Parameters = {}) => {
  const requestId = await authorizationRequest(scene.world.clients, await publicClient(scene), more);
  return scene.call('AuthorizationService/ContinueAuthorization', { requestId }, as);
};

export const AUTHORIZATION_CALLS: Calls = {
  'AuthorizationService/PushAuthorizationRequest INVALID_REQUEST': push({ prompt: 'unknown' }),
  'AuthorizationService/PushAuthorizationRequest INVALID_CLIENT': push({ client_secret: 'wrong' }),
  'AuthorizationService/PushAuthorizationRequest UNAUTHORIZED_CLIENT': async (scene) =>
    pushAs(scene, await serviceAccount(scene, 'pushing-machine')),
  'AuthorizationService/PushAuthorizationRequest INVALID_TARGET': push({ resource: 'https://other.test' }),
  'AuthorizationService/PushAuthorizationRequest UNSUPPORTED_RESPONSE_TYPE': push({ response_type: 'token' }),
  'AuthorizationService/PushAuthorizationRequest REQUEST_NOT_SUPPORTED': push({ request: 'x' }),
  'AuthorizationService/PushAuthorizationRequest REQUEST_URI_NOT_SUPPORTED': push({ request_uri: 'https://x.test' }),
  'AuthorizationService/PushAuthorizationRequest REGISTRATION_NOT_SUPPORTED': push({ registration: '{}' }),

  'AuthorizationService/ContinueAuthorization VALIDATION_ERROR': (scene) =>
    continueRequest(scene, scene.world.admin.as, { prompt: 'select_account' }),
  'AuthorizationService/ContinueAuthorization PERMISSION_DENIED': (scene) =>
    continueRequest(scene, scene.world.other.as),

  'AuthorizationService/ExchangeToken INVALID_REQUEST': (scene) => exchange(scene, {}),
  'AuthorizationService/ExchangeToken UNSUPPORTED_GRANT_TYPE': (scene) => exchange(scene, { grantType: 'password' }),
  'AuthorizationService/ExchangeToken INVALID_CLIENT': async (scene) => {
    const { clientId } = await webClient(scene);
    await exchange(scene, { grantType: 'refresh_token', refreshToken: 'x', clientId, clientSecret: 'wrong' });
  },
  'AuthorizationService/ExchangeToken UNAUTHORIZED_CLIENT': async (scene) =>
    exchange(scene, { grantType: 'client_credentials', ...credentialsOf(await webClient(scene)) }),
  'AuthorizationService/ExchangeToken INVALID_GRANT': async (scene) =>
    exchange(scene, { grantType: 'refresh_token', refreshToken: 'x', ...credentialsOf(await webClient(scene)) }),
  'AuthorizationService/ExchangeToken INVALID_SCOPE': async (scene) => {
    const { world } = scene;
    const client = await webClient(scene);
    const { refreshToken } = await grantTo(world.clients, world.admin.as, client);
    await exchange(scene, { grantType: 'refresh_token', refreshToken, scope: 'roles', ...credentialsOf(client) });
  },
  'AuthorizationService/ExchangeToken INVALID_TARGET': async (scene) => {
    const { world } = scene;
    const request = await codeOf(world.clients, world.admin.as, await webClient(scene));
    await exchange(scene, { ...request, resource: 'https://other.test' });
  },

  'AuthorizationService/GetUserInfo TOKEN_MISSING': (scene) => userInfo(scene),
  'AuthorizationService/GetUserInfo TOKEN_INVALID': (scene) => userInfo(scene, 'garbage'),
  'AuthorizationService/GetUserInfo INVALID_REQUEST': (scene) => userInfo(scene, 'one', 'other'),
  'AuthorizationService/GetUserInfo INSUFFICIENT_SCOPE': async (scene) => {
    const { world } = scene;
    const { accessToken } = await grantTo(world.clients, world.admin.as, await publicClient(scene), { scope: 'email' });
    await userInfo(scene, accessToken);
  },
};

/** As AUTHORIZATION_CALLS, in a deployment in which one request may be open, and one client may be refused. */
export const limitedAuthorizationCalls = (repeat: (call: () => Promise<unknown>) => Promise<void>): Calls => ({
  'AuthorizationService/Authorize TOO_MANY_REQUESTS': async (scene) => {
    const client = await publicClient(scene);
    await repeat(() => authorize(scene, client));
  },
  'AuthorizationService/StoreAuthorizationRequest TOO_MANY_REQUESTS': (scene) => repeat(() => storeRequest(scene)),
  'AuthorizationService/PushAuthorizationRequest TOO_MANY_REQUESTS': async (scene) => {
    const client = await webClient(scene);
    await repeat(() => pushAs(scene, client));
  },
  'AuthorizationService/ExchangeToken TOO_MANY_REQUESTS': async (scene) => {
    const { clientId } = await webClient(scene);
    const wrong = { grantType: 'refresh_token', refreshToken: 'x', clientId, clientSecret: 'wrong' };
    await repeat(() => exchange(scene, wrong));
  },
});
