// The accounts of `npm run dev`. Their passwords are public, so they are created only in DEV, in an empty database,
// without a bootstrap file.
import { SAMPLE_TOTP_SECRET } from '../../auth/identity/sample-credentials.ts';
import type { BootstrapPlan, PlannedUser } from './plan.ts';

const PASSWORD = 'demo-password-1';
const CLIENT = { clientId: 'acme-sync', clientSecret: 'demo-secret-acme-sync-0123456789abcdef' };

const user = (username: string, name: string, ...roles: PlannedUser['roles']) => ({
  username,
  password: PASSWORD,
  name,
  email: username,
  roles,
});

export const DEMO_PLAN = {
  superAdmins: [{ username: 'root', password: PASSWORD }],
  tenants: [
    {
      id: 'acme',
      name: 'Acme Flowers',
      users: [
        user('alice@acme.test', 'Alice Adams', 'ADMIN'),
        user('mia@acme.test', 'Mia Moore', 'MANAGER'),
        user('sam@acme.test', 'Sam Silva', 'SALES'),
        user('flora@acme.test', 'Flora Field', 'FLORIST', 'DELIVERY'),
        user('otto@acme.test', 'Otto Olsen', 'SALES'),
      ],
      // Native, so that any port of localhost is a redirect URI.
      applications: [
        { clientId: 'demo-app', type: 'NATIVE', name: 'Demo app', redirectUris: ['http://localhost/demo-app'] },
      ],
      serviceAccounts: [{ ...CLIENT, name: 'Acme Sync', roles: ['MANAGER'] }],
    },
    { id: 'globex', name: 'Globex Gardens', users: [user('gina@globex.test', 'Gina Green', 'OWNER')] },
  ],
} satisfies BootstrapPlan;

/** The account of the demo with a second factor. Its secret is public, so app.env=PROD refuses its codes. */
export const DEMO_TOTP = { username: 'otto@acme.test', secret: SAMPLE_TOTP_SECRET };

const LOGINS = [
  ...DEMO_PLAN.tenants.flatMap(({ id: tenant, users }) =>
    users.map(({ username, password, roles }) => ({ username, password, role: roles.join(', '), tenant })),
  ),
  ...DEMO_PLAN.superAdmins.map((login) => ({ ...login, role: 'SUPER_ADMIN', tenant: '-' })),
];

/** The logins that the start page of DEV shows. The banner shows the first one. */
export const DEMO = { logins: LOGINS, client: CLIENT, totp: DEMO_TOTP };
