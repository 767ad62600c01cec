import { IdentityServiceService, type User } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Command, Input } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { userId, LIMIT_OPTION, list } from './lists.ts';
import { userRecord } from './records.ts';
import { ROLE_NAMES, roleOf, rolesOf } from './roles.ts';

const USER = { '<user>': 'the username or id' };
const ROLES_OPTION = { '--role <role...>': `a role, the first one is primary: ${ROLE_NAMES}` };
const TENANT = { '--tenant <id>': 'the tenant, for a SUPER_ADMIN' };
const EXPIRY = {
  '--account-expires <time>': 'when the account ends: ISO 8601, or 30d from now',
  '--password-expires <time>': 'when the password ends',
};
const PASSWORD_NOTE = 'The password is read without echo, twice, or from the standard input, once.';

export const USER_COMMANDS: readonly Command[] = [
  {
    name: 'user list',
    summary: 'list users',
    uses: 'core',
    options: {
      ...TENANT,
      '--query <text>': 'part of the username, name or e-mail address',
      '--role <role>': `only users with this role: ${ROLE_NAMES}`,
      '--disabled': 'only disabled users',
      ...LIMIT_OPTION,
    },
    async run({ values, core }) {
      const role = values.text('role');
      const filter = {
        ...given('tenantId', values.text('tenant')),
        ...given('query', values.text('query')),
        ...given('role', role === undefined ? undefined : roleOf(role)),
        ...(values.flag('disabled') && { disabled: true }),
      };
      const { listUsers } = (await core()).client(IdentityServiceService);
      return list(values, ['username', 'name', 'tenantId', 'roles', 'disabled', 'lockedUntil', 'id'], async (page) => {
        const response = await listUsers({ page, ...filter });
        return { items: response.users.map(userRecord), page: response.page };
      });
    },
  },
  {
    name: 'user show',
    summary: 'show a user',
    uses: 'core',
    arguments: USER,
    run: (input) => onUser(input, (identity, id) => identity.getUser({ userId: id })),
  },
  {
    name: 'user create',
    summary: 'create a user',
    uses: 'core',
    arguments: { '<username>': 'the login name, often an e-mail address' },
    options: {
      ...ROLES_OPTION,
      ...TENANT,
      '--name <text>': 'the name of the person (default: the username)',
      '--email <address>': 'the e-mail address',
      ...EXPIRY,
    },
    notes: PASSWORD_NOTE,
    async run({ values, core, terminal }) {
      const username = values.required('username');
      const roles = rolesOf(values.list('role'));
      const password = await terminal.readSecret(`New password of ${username}`, { isNew: true });
      const { user } = await (await core()).client(IdentityServiceService).createUser({
        username,
        password,
        name: values.text('name') ?? username,
        roles,
        ...given('tenantId', values.text('tenant')),
        ...given('email', values.text('email')),
        accountExpiresAt: values.time('accountExpires'),
        credentialsExpireAt: values.time('passwordExpires'),
      });
      return { value: userRecord(user!) };
    },
  },
  {
    name: 'user update',
    summary: 'change the name, the e-mail address or an expiry of a user',
    uses: 'core',
    arguments: USER,
    options: { '--name <text>': 'the name', '--email <address>': 'the e-mail address; "" removes it', ...EXPIRY },
    run: update,
  },
  {
    name: 'user roles',
    summary: 'replace the roles of a user and end its sessions',
    uses: 'core',
    arguments: { ...USER, '<roles...>': `all its roles, the primary one first: ${ROLE_NAMES}` },
    ends: (values) => `replaces the roles of user ${values.required('user')} and ends all its sessions`,
    async run(input) {
      const roles = rolesOf(input.values.list('roles'));
      return onUser(input, (identity, id) => identity.setUserRoles({ userId: id, roles }));
    },
  },
  {
    name: 'user password',
    summary: 'set the password of a user, unlock it and end its sessions',
    uses: 'core',
    arguments: USER,
    notes: PASSWORD_NOTE,
    ends: (values) => `replaces the password of user ${values.required('user')} and ends all its sessions`,
    async run(input) {
      const password = await input.terminal.readSecret(`New password of ${input.values.required('user')}`, {
        isNew: true,
      });
      return onUser(input, (identity, id) => identity.setUserPassword({ userId: id, password }));
    },
  },
  {
    name: 'user disable',
    summary: 'stop all credentials of a user',
    uses: 'core',
    arguments: USER,
    ends: (values) => `disables user ${values.required('user')} and ends all its sessions`,
    run: (input) => onUser(input, (identity, id) => identity.disableUser({ userId: id })),
  },
  {
    name: 'user enable',
    summary: 'enable a disabled user',
    uses: 'core',
    arguments: USER,
    run: (input) => onUser(input, (identity, id) => identity.enableUser({ userId: id })),
  },
  {
    name: 'user unlock',
    summary: 'unlock a user after wrong passwords',
    uses: 'core',
    arguments: USER,
    run: (input) => onUser(input, (identity, id) => identity.unlockUser({ userId: id })),
  },
  {
    name: 'user delete',
    summary: 'delete a user; its audit records stay',
    uses: 'core',
    arguments: USER,
    ends: (values) => `deletes user ${values.required('user')} and ends all its sessions`,
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      await opened.client(IdentityServiceService).deleteUser({ userId: id });
      return { value: { id, deleted: true }, text: `deleted ${id}` };
    },
  },
];

type Identity = Client<typeof IdentityServiceService>;

/** Runs a call on the user of the command and shows the user. */
async function onUser(
  { core, values }: Input,
  call: (identity: Identity, id: string) => Promise<{ user?: User | undefined }>,
) {
  const opened = await core();
  const id = await userId(opened, values.required('user'));
  const { user } = await call(opened.client(IdentityServiceService), id);
  return { value: userRecord(user!) };
}

async function update(input: Input) {
  const { values } = input;
  const email = values.text('email');
  const fields = {
    ...given('name', values.text('name')),
    ...(email !== undefined && email !== '' && { email }),
    accountExpiresAt: values.time('accountExpires'),
    credentialsExpireAt: values.time('passwordExpires'),
  };
  const updateMask = [
    ...Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [MASKED[name as keyof typeof MASKED]],
    ),
    ...(email === '' ? ['email'] : []),
  ];
  if (updateMask.length === 0) throw new CommandFailure('give at least one option to change', EXIT.usage);
  return onUser(input, (identity, id) => identity.updateUser({ userId: id, user: fields, updateMask }));
}

/** The names of the fields in an update mask. */
const MASKED = {
  name: 'name',
  email: 'email',
  accountExpiresAt: 'account_expires_at',
  credentialsExpireAt: 'credentials_expire_at',
} as const;

/** An object with the field, if it has a value. */
export function given<Name extends string, T>(name: Name, value: T | undefined): { [Key in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: T };
}
