// The accounts of `npm run dev`. Their passwords are public, so they are created only in DEV, in an empty database,
// without a bootstrap file.
import type { BootstrapPlan } from './plan.ts';

const PASSWORD = 'demo-password-1';
const CLIENT = { clientId: 'acme-sync', clientSecret: 'demo-secret-acme-sync-0123456789abcdef' };

export const DEMO_PLAN: BootstrapPlan = {
  superAdmins: [{ username: 'root', password: PASSWORD }],
  tenants: [
    {
      id: 'acme',
      name: 'Acme Flowers',
      users: [
        {
          username: 'alice@acme.test',
          password: PASSWORD,
          name: 'Alice Adams',
          email: 'alice@acme.test',
          roles: ['ADMIN'],
        },
        {
          username: 'mia@acme.test',
          password: PASSWORD,
          name: 'Mia Moore',
          email: 'mia@acme.test',
          roles: ['MANAGER'],
        },
        { username: 'sam@acme.test', password: PASSWORD, name: 'Sam Silva', email: 'sam@acme.test', roles: ['SALES'] },
        {
          username: 'flora@acme.test',
          password: PASSWORD,
          name: 'Flora Field',
          email: 'flora@acme.test',
          roles: ['FLORIST', 'DELIVERY'],
        },
      ],
      serviceAccounts: [
        {
          ...CLIENT,
          name: 'Acme Sync',
          roles: ['MANAGER'],
        },
      ],
    },
    {
      id: 'globex',
      name: 'Globex Gardens',
      users: [
        {
          username: 'gina@globex.test',
          password: PASSWORD,
          name: 'Gina Green',
          email: 'gina@globex.test',
          roles: ['OWNER'],
        },
      ],
    },
  ],
};

const LOGINS = [
  ...DEMO_PLAN.tenants!.flatMap((tenant) =>
    tenant.users!.map(({ username, password, roles }) => ({
      username,
      password,
      role: roles.join(', '),
      tenant: tenant.id,
    })),
  ),
  ...DEMO_PLAN.superAdmins!.map(({ username, password }) => ({ username, password, role: 'SUPER_ADMIN', tenant: '-' })),
];

/** The logins that the banner of `npm run dev` shows. */
export const DEMO = { logins: LOGINS, client: CLIENT };
