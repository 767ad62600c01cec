import {
  ClientCredentialsServiceService,
  type ServiceAccount,
} from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Command } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { CLIENT, listCommand, onServiceAccount, serviceAccountId, REASON } from './lists.ts';
import { ROLE_NAMES, rolesOf } from './roles.ts';

const SHOWN_ONCE = 'keep the secret now; it is not shown again';

export const CLIENT_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'client list',
    summary: 'list service accounts',
    options: {
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN',
      '--query <text>': 'part of the client id or name',
      '--disabled': 'only disabled ones',
    },
    columns: ['clientId', 'name', 'tenantId', 'roles', 'disabled', 'id'],
    read(core, values) {
      const filter = { tenantId: values.text('tenant'), query: values.text('query') };
      const disabled = values.flag('disabled') || undefined;
      return (page) => core.client(ClientCredentialsServiceService).listServiceAccounts({ page, ...filter, disabled });
    },
    items: ({ serviceAccounts }) => serviceAccounts,
  }),
  clientCommand('client show', 'show a service account', (clients, serviceAccountId) =>
    clients.getServiceAccount({ serviceAccountId }),
  ),
  {
    name: 'client create',
    summary: 'create a service account and its first secret, which is shown once',
    arguments: { '<client-id>': 'the name with which it authenticates' },
    options: {
      '--role <role...>': `a role, the first one is primary: ${ROLE_NAMES}`,
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN',
      '--name <text>': 'its name (default: the client id)',
      '--resource-server': 'introspects tokens of every tenant and reads the revocations of all, for a SUPER_ADMIN',
      ...REASON,
    },
    async run({ values, core }) {
      const clientId = values.required('clientId');
      const { createServiceAccount } = (await core()).client(ClientCredentialsServiceService);
      const { serviceAccount, clientSecret } = await createServiceAccount({
        clientId,
        name: values.text('name') ?? clientId,
        roles: rolesOf(values.list('role')),
        tenantId: values.text('tenant'),
        resourceServer: values.flag('resourceServer') || undefined,
        reason: values.text('reason'),
      });
      return { value: { ...serviceAccount, clientSecret }, note: SHOWN_ONCE };
    },
  },
  {
    name: 'client update',
    summary: 'change the name or the roles of a service account, or whether it is a resource server',
    arguments: CLIENT,
    options: {
      '--name <text>': 'its name',
      '--role <role...>': `a role, the first one is primary; all together replace those that it has: ${ROLE_NAMES}`,
      '--resource-server <yes|no>': 'whether it introspects tokens of every tenant and reads the revocations of all',
      ...REASON,
    },
    run: onServiceAccount(async (core, serviceAccountId, values) => {
      const name = values.text('name');
      const answer = values.choice('resourceServer', ['YES', 'NO']);
      const roles = rolesOf(values.list('role'));
      const updateMask = [
        ...(name === undefined ? [] : ['name']),
        ...(answer === undefined ? [] : ['resource_server']),
        ...(roles.length === 0 ? [] : ['roles']),
      ];
      if (updateMask.length === 0) throw new CommandFailure('give at least one option to change', EXIT.usage);
      const { updateServiceAccount } = core.client(ClientCredentialsServiceService);
      const serviceAccount = { name, resourceServer: answer && answer === 'YES', roles };
      const request = { serviceAccountId, serviceAccount, updateMask, reason: values.text('reason') };
      return { value: (await updateServiceAccount(request)).serviceAccount };
    }),
  },
  clientCommand(
    'client disable',
    'stop all credentials of a service account',
    (clients, serviceAccountId, reason) => clients.disableServiceAccount({ serviceAccountId, reason }),
    {
      options: REASON,
      ends: (values) => `stops all credentials of service account ${values.required('client')}`,
    },
  ),
  clientCommand(
    'client enable',
    'enable a disabled service account',
    (clients, serviceAccountId, reason) => clients.enableServiceAccount({ serviceAccountId, reason }),
    { options: REASON },
  ),
  {
    name: 'client delete',
    summary: 'delete a service account with its secrets and API keys; its audit records stay',
    arguments: CLIENT,
    options: REASON,
    ends: (values) => `deletes service account ${values.required('client')} and ends all its credentials`,
    run: onServiceAccount(async (core, id, values) => {
      const { deleteServiceAccount } = core.client(ClientCredentialsServiceService);
      await deleteServiceAccount({ serviceAccountId: id, reason: values.text('reason') });
      return { value: { id, deleted: true }, text: `deleted ${id}` };
    }),
  },
  listCommand({
    name: 'secret list',
    summary: 'list the secrets of a service account',
    arguments: CLIENT,
    columns: ['id', 'createdAt', 'expiresAt', 'lastUsedAt'],
    async read(core, values) {
      const id = await serviceAccountId(core, values.required('client'));
      return (page) => core.client(ClientCredentialsServiceService).listClientSecrets({ serviceAccountId: id, page });
    },
    items: ({ secrets }) => secrets,
  }),
  {
    name: 'secret create',
    summary: 'create a second secret, which is shown once',
    arguments: CLIENT,
    options: { '--expires <time>': 'when it ends: ISO 8601, or 30d from now', ...REASON },
    run: onServiceAccount(async (core, id, values) => {
      const { createClientSecret } = core.client(ClientCredentialsServiceService);
      const request = { serviceAccountId: id, expiresAt: values.time('expires'), reason: values.text('reason') };
      const { secret, clientSecret } = await createClientSecret(request);
      return { value: { ...secret, clientSecret }, note: SHOWN_ONCE };
    }),
  },
  {
    name: 'secret expire',
    summary: 'end a secret',
    arguments: { ...CLIENT, '<secret>': 'the id of the secret' },
    options: { '--at <time>': 'when it ends: ISO 8601, or 7d from now (default: now)', ...REASON },
    ends: (values) =>
      `ends secret ${values.required('secret')} of service account ${values.required('client')} ${values.text('at') ?? 'now'}`,
    run: onServiceAccount(async (core, id, values) => {
      const { expireClientSecret } = core.client(ClientCredentialsServiceService);
      const secret = { secretId: values.required('secret'), expiresAt: values.time('at') };
      const request = { serviceAccountId: id, ...secret, reason: values.text('reason') };
      return { value: (await expireClientSecret(request)).secret };
    }),
  },
];

type Call = (
  clients: Client<typeof ClientCredentialsServiceService>,
  serviceAccountId: string,
  reason: string | undefined,
) => Promise<{ serviceAccount?: ServiceAccount | undefined }>;

/** A command that calls an RPC on its service account and shows it. */
function clientCommand(
  name: string,
  summary: string,
  call: Call,
  more: Pick<Command, 'ends' | 'options'> = {},
): Command {
  const run = onServiceAccount(async (core, id, values) => {
    const { serviceAccount } = await call(core.client(ClientCredentialsServiceService), id, values.text('reason'));
    return { value: serviceAccount };
  });
  return { name, summary, arguments: CLIENT, ...more, run };
}
