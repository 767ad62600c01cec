import { TenancyServiceService, type Tenant } from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Command, Input } from '../command.ts';
import { LIMIT_OPTION, list } from './lists.ts';
import { TENANT_STATUSES, tenantRecord } from './records.ts';

const TENANT = { '<tenant>': 'the id of the tenant' };

export const TENANT_COMMANDS: readonly Command[] = [
  {
    name: 'tenant list',
    summary: 'list tenants',
    uses: 'core',
    options: {
      '--query <text>': 'part of the id or name',
      '--status <status>': 'ACTIVE or SUSPENDED',
      ...LIMIT_OPTION,
    },
    async run({ values, core }) {
      const { listTenants } = (await core()).client(TenancyServiceService);
      const query = values.text('query');
      const status = TENANT_STATUSES.valueOf(values.choice('status', TENANT_STATUSES.names));
      return list(values, ['id', 'name', 'status', 'loginDomains', 'createdAt'], async (page) => {
        const response = await listTenants({ page, status, ...(query !== undefined && { query }) });
        return { items: response.tenants.map(tenantRecord), page: response.page };
      });
    },
  },
  {
    name: 'tenant show',
    summary: 'show a tenant',
    uses: 'core',
    arguments: TENANT,
    run: (input) => onTenant(input, (tenancy, tenantId) => tenancy.getTenant({ tenantId })),
  },
  {
    name: 'tenant create',
    summary: 'create a tenant',
    uses: 'core',
    arguments: { '<tenant>': 'its id: lower-case letters, digits and hyphens', '[name]': 'its name (default: the id)' },
    run: (input) =>
      onTenant(input, (tenancy, tenantId) =>
        tenancy.createTenant({ tenantId, name: input.values.text('name') ?? tenantId }),
      ),
  },
  {
    name: 'tenant suspend',
    summary: 'stop all credentials of a tenant at once',
    uses: 'core',
    arguments: TENANT,
    ends: (values) => `stops all users and service accounts of tenant ${values.required('tenant')}`,
    run: (input) => onTenant(input, (tenancy, tenantId) => tenancy.suspendTenant({ tenantId })),
  },
  {
    name: 'tenant activate',
    summary: 'end the suspension of a tenant',
    uses: 'core',
    arguments: TENANT,
    run: (input) => onTenant(input, (tenancy, tenantId) => tenancy.activateTenant({ tenantId })),
  },
  {
    name: 'tenant domains',
    summary: 'set the domains that only usernames of a tenant may have',
    uses: 'core',
    arguments: { ...TENANT, '[domains...]': 'all its domains; none removes them' },
    run: (input) =>
      onTenant(input, (tenancy, tenantId) =>
        tenancy.setLoginDomains({ tenantId, loginDomains: input.values.list('domains') }),
      ),
  },
];

type Tenancy = Client<typeof TenancyServiceService>;

/** Runs a call on the tenant of the command and shows the tenant. */
async function onTenant(
  { core, values }: Input,
  call: (tenancy: Tenancy, tenantId: string) => Promise<{ tenant?: Tenant | undefined }>,
) {
  const { tenant } = await call((await core()).client(TenancyServiceService), values.required('tenant'));
  return { value: tenantRecord(tenant!) };
}
