import {
  ClientCredentialsServiceService,
  type ServiceAccount,
} from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Command, Input } from '../command.ts';
import { serviceAccountId, LIMIT_OPTION, list } from './lists.ts';
import { ROLE_NAMES, rolesOf } from './roles.ts';
import { given } from './users.ts';

const CLIENT = { '<client>': 'the client id or the id of the service account' };

export const CLIENT_COMMANDS: readonly Command[] = [
  {
    name: 'client list',
    summary: 'list service accounts',
    uses: 'core',
    options: {
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN',
      '--query <text>': 'part of the client id or name',
      '--disabled': 'only disabled ones',
      ...LIMIT_OPTION,
    },
    async run({ values, core }) {
      const { listServiceAccounts } = (await core()).client(ClientCredentialsServiceService);
      const filter = {
        ...given('tenantId', values.text('tenant')),
        ...given('query', values.text('query')),
        ...(values.flag('disabled') && { disabled: true }),
      };
      return list(values, ['clientId', 'name', 'tenantId', 'roles', 'disabled', 'id'], async (page) => {
        const response = await listServiceAccounts({ page, ...filter });
        return { items: response.serviceAccounts, page: response.page };
      });
    },
  },
  {
    name: 'client show',
    summary: 'show a service account',
    uses: 'core',
    arguments: CLIENT,
    run: (input) => onClient(input, (clients, id) => clients.getServiceAccount({ serviceAccountId: id })),
  },
  {
    name: 'client create',
    summary: 'create a service account and its first secret, which is shown once',
    uses: 'core',
    arguments: { '<client-id>': 'the name with which it authenticates' },
    options: {
      '--role <role...>': `a role, the first one is primary: ${ROLE_NAMES}`,
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN',
      '--name <text>': 'its name (default: the client id)',
    },
    async run({ values, core }) {
      const clientId = values.required('clientId');
      const { serviceAccount, clientSecret } = await (
        await core()
      )
        .client(ClientCredentialsServiceService)
        .createServiceAccount({
          clientId,
          name: values.text('name') ?? clientId,
          roles: rolesOf(values.list('role')),
          ...given('tenantId', values.text('tenant')),
        });
      return { value: { ...serviceAccount, clientSecret }, note: SHOWN_ONCE };
    },
  },
  {
    name: 'client disable',
    summary: 'stop all credentials of a service account',
    uses: 'core',
    arguments: CLIENT,
    ends: (values) => `stops all credentials of service account ${values.required('client')}`,
    run: (input) => onClient(input, (clients, id) => clients.disableServiceAccount({ serviceAccountId: id })),
  },
  {
    name: 'client enable',
    summary: 'enable a disabled service account',
    uses: 'core',
    arguments: CLIENT,
    run: (input) => onClient(input, (clients, id) => clients.enableServiceAccount({ serviceAccountId: id })),
  },
  {
    name: 'secret list',
    summary: 'list the secrets of a service account',
    uses: 'core',
    arguments: CLIENT,
    options: LIMIT_OPTION,
    async run({ values, core }) {
      const opened = await core();
      const id = await serviceAccountId(opened, values.required('client'));
      const { listClientSecrets } = opened.client(ClientCredentialsServiceService);
      return list(values, ['id', 'createdAt', 'expiresAt', 'lastUsedAt'], async (page) => {
        const response = await listClientSecrets({ serviceAccountId: id, page });
        return { items: response.secrets, page: response.page };
      });
    },
  },
  {
    name: 'secret create',
    summary: 'create a second secret, which is shown once',
    uses: 'core',
    arguments: CLIENT,
    options: { '--expires <time>': 'when it ends: ISO 8601, or 30d from now' },
    async run({ values, core }) {
      const opened = await core();
      const id = await serviceAccountId(opened, values.required('client'));
      const { secret, clientSecret } = await opened
        .client(ClientCredentialsServiceService)
        .createClientSecret({ serviceAccountId: id, expiresAt: values.time('expires') });
      return { value: { ...secret, clientSecret }, note: SHOWN_ONCE };
    },
  },
  {
    name: 'secret expire',
    summary: 'end a secret',
    uses: 'core',
    arguments: { ...CLIENT, '<secret>': 'the id of the secret' },
    options: { '--at <time>': 'when it ends: ISO 8601, or 7d from now (default: now)' },
    ends: (values) =>
      `ends secret ${values.required('secret')} of service account ${values.required('client')} ${values.text('at') ?? 'now'}`,
    async run({ values, core }) {
      const opened = await core();
      const serviceAccount = await serviceAccountId(opened, values.required('client'));
      const { secret } = await opened.client(ClientCredentialsServiceService).expireClientSecret({
        serviceAccountId: serviceAccount,
        secretId: values.required('secret'),
        expiresAt: values.time('at'),
      });
      return { value: secret };
    },
  },
];

const SHOWN_ONCE = 'keep the secret now; it is not shown again';

type Clients = Client<typeof ClientCredentialsServiceService>;

/** Runs a call on the service account of the command and shows it. */
async function onClient(
  { core, values }: Input,
  call: (clients: Clients, id: string) => Promise<{ serviceAccount?: ServiceAccount | undefined }>,
) {
  const opened = await core();
  const id = await serviceAccountId(opened, values.required('client'));
  const { serviceAccount } = await call(opened.client(ClientCredentialsServiceService), id);
  return { value: serviceAccount };
}
