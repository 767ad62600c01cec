import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { TenancyServiceService, type Tenant } from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Command, Values } from '../command.ts';
import { listCommand, REASON } from './lists.ts';
import { TENANT_STATUSES, tenantRecord } from './records.ts';

const TENANT = { '<tenant>': 'the id of the tenant' };

export const TENANT_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'tenant list',
    summary: 'list tenants',
    options: { '--query <text>': 'part of the id or name', '--status <status>': 'ACTIVE or SUSPENDED' },
    columns: ['id', 'name', 'status', 'loginDomains', 'createdAt'],
    read(core, values) {
      const query = values.text('query');
      const status = TENANT_STATUSES.valueOf(values.choice('status', TENANT_STATUSES.names));
      return (page) => core.client(TenancyServiceService).listTenants({ page, status, query });
    },
    items: ({ tenants }) => tenants.map(tenantRecord),
  }),
  tenantCommand('tenant show', 'show a tenant', (tenancy, tenantId) => tenancy.getTenant({ tenantId })),
  tenantCommand(
    'tenant create',
    'create a tenant',
    (tenancy, tenantId, values) =>
      tenancy.createTenant({ tenantId, name: values.text('name') ?? tenantId, reason: values.text('reason') }),
    {
      options: REASON,
      arguments: {
        '<tenant>': 'its id: lower-case letters, digits and hyphens',
        '[name]': 'its name (default: the id)',
      },
    },
  ),
  tenantCommand(
    'tenant suspend',
    'stop all credentials of a tenant at once',
    (tenancy, tenantId, values) => tenancy.suspendTenant({ tenantId, reason: values.text('reason') }),
    {
      options: REASON,
      ends: (values) => `stops all users and service accounts of tenant ${values.required('tenant')}`,
    },
  ),
  tenantCommand(
    'tenant activate',
    'end the suspension of a tenant',
    (tenancy, tenantId, values) => tenancy.activateTenant({ tenantId, reason: values.text('reason') }),
    { options: REASON },
  ),
  {
    name: 'tenant end-sessions',
    summary: 'end all sessions of a tenant',
    arguments: TENANT,
    options: REASON,
    ends: (values) => `ends all sessions of tenant ${values.required('tenant')}`,
    async run({ core, values }) {
      const tenantId = values.required('tenant');
      const reason = values.text('reason');
      return { value: await (await core()).client(SessionServiceService).revokeTenantSessions({ tenantId, reason }) };
    },
  },
  tenantCommand(
    'tenant domains',
    'set the domains that only usernames of a tenant may have',
    (tenancy, tenantId, values) =>
      tenancy.setLoginDomains({ tenantId, loginDomains: values.list('domains'), reason: values.text('reason') }),
    { options: REASON, arguments: { ...TENANT, '[domains...]': 'all its domains; none removes them' } },
  ),
];

type Call = (
  tenancy: Client<typeof TenancyServiceService>,
  tenantId: string,
  values: Values,
) => Promise<{ tenant?: Tenant | undefined }>;

/** A command that calls an RPC on its tenant and shows the tenant. */
function tenantCommand(name: string, summary: string, call: Call, more: Partial<Command> = {}): Command {
  return {
    name,
    summary,
    arguments: TENANT,
    ...more,
    async run({ core, values }) {
      const { tenant } = await call((await core()).client(TenancyServiceService), values.required('tenant'), values);
      return { value: tenantRecord(tenant!) };
    },
  };
}
