import { IdentityServiceService, type User } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import type { Command, Input } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { LANGUAGE, listCommand, REASON, userId } from './lists.ts';
import { USER_STATES, userRecord } from './records.ts';
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
  listCommand({
    name: 'user list',
    summary: 'list users',
    options: {
      ...TENANT,
      '--query <text>': 'part of the username, name or e-mail address',
      '--role <role>': `only users with this role: ${ROLE_NAMES}`,
      '--disabled': 'only disabled users',
      '--state <state>': `only users in this state: ${USER_STATES.names.join(', ')}`,
      '--sort <field>': 'username, createdAt or lastLoginAt; -FIELD is descending (default: -createdAt)',
    },
    columns: ['username', 'name', 'tenantId', 'roles', 'state', 'factors', 'lastLoginAt', 'lockedUntil', 'id'],
    read(core, values) {
      const role = values.text('role');
      const state = values.choice('state', USER_STATES.names);
      const filter = {
        tenantId: values.text('tenant'),
        query: values.text('query'),
        role: role === undefined ? undefined : roleOf(role),
        disabled: values.flag('disabled') || undefined,
        state: state === undefined ? undefined : USER_STATES.valueOf(state),
        sort: values.text('sort'),
      };
      return (page) => core.client(IdentityServiceService).listUsers({ page, ...filter });
    },
    items: ({ users }) => users.map(userRecord),
  }),
  userCommand('user show', 'show a user', (identity, userId) => identity.getUser({ userId })),
  {
    name: 'user permissions',
    summary: 'show the permissions that a user holds, and the roles that give them',
    arguments: USER,
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      const { permissions } = await opened.client(IdentityServiceService).listUserPermissions({ userId: id });
      return { value: permissions, columns: ['permission', 'roles'] };
    },
  },
  {
    name: 'user create',
    summary: 'create a user',
    arguments: { '<username>': 'the login name, often an e-mail address' },
    options: {
      ...ROLES_OPTION,
      ...TENANT,
      '--name <text>': 'the name of the person (default: the username)',
      '--email <address>': 'the e-mail address',
      '--invite': 'send a mail with a link to choose the password, instead of asking for it',
      ...LANGUAGE,
      ...EXPIRY,
      ...REASON,
    },
    notes: PASSWORD_NOTE,
    async run({ values, core, terminal }) {
      const username = values.required('username');
      const roles = rolesOf(values.list('role'));
      const invite = values.flag('invite') || undefined;
      const password = invite ? undefined : await terminal.readSecret(`New password of ${username}`, { isNew: true });
      const { user } = await (await core()).client(IdentityServiceService).createUser({
        username,
        password,
        invite,
        language: values.text('language'),
        name: values.text('name') ?? username,
        roles,
        tenantId: values.text('tenant'),
        email: values.text('email'),
        accountExpiresAt: values.time('accountExpires'),
        credentialsExpireAt: values.time('passwordExpires'),
        reason: values.text('reason'),
      });
      return { value: userRecord(user!) };
    },
  },
  {
    name: 'user update',
    summary: 'change the name, the e-mail address or an expiry of a user',
    arguments: USER,
    options: {
      '--name <text>': 'the name',
      '--email <address>': 'the e-mail address; "" removes it',
      ...EXPIRY,
      '--disable-at <time>': 'when the user is disabled; "" removes the time',
      ...REASON,
    },
    run: update,
  },
  {
    name: 'user roles',
    summary: 'replace the roles of a user and end its sessions',
    arguments: { ...USER, '<roles...>': `all its roles, the primary one first: ${ROLE_NAMES}` },
    options: REASON,
    ends: (values) => `replaces the roles of user ${values.required('user')} and ends all its sessions`,
    async run(input) {
      const roles = rolesOf(input.values.list('roles'));
      return onUser(input, (identity, id, reason) => identity.setUserRoles({ userId: id, roles, reason }));
    },
  },
  {
    name: 'user password',
    summary: 'set the password of a user, unlock it and end its sessions',
    arguments: USER,
    options: {
      '--generate': 'generate the password and print it',
      '--temporary': 'the next login must replace it, within 24 hours',
      ...REASON,
    },
    notes: PASSWORD_NOTE,
    ends: (values) => `replaces the password of user ${values.required('user')} and ends all its sessions`,
    async run(input) {
      const { values, terminal } = input;
      const opened = await input.core();
      const id = await userId(opened, values.required('user'));
      const newPassword = values.flag('generate')
        ? undefined
        : await terminal.readSecret(`New password of ${values.required('user')}`, { isNew: true });
      const temporary = values.flag('temporary');
      const { user, password } = await opened
        .client(IdentityServiceService)
        .setUserPassword({ userId: id, newPassword, temporary, reason: values.text('reason') });
      return { value: { ...userRecord(user!), ...(password !== undefined && { password }) } };
    },
  },
  userCommand(
    'user disable',
    'stop all credentials of a user',
    (identity, userId, reason) => identity.disableUser({ userId, reason }),
    {
      options: REASON,
      ends: (values) => `disables user ${values.required('user')} and ends all its sessions`,
    },
  ),
  userCommand(
    'user enable',
    'enable a disabled user',
    (identity, userId, reason) => identity.enableUser({ userId, reason }),
    { options: REASON },
  ),
  userCommand(
    'user unlock',
    'unlock a user after wrong passwords',
    (identity, userId, reason) => identity.unlockUser({ userId, reason }),
    { options: REASON },
  ),
  {
    name: 'user secure',
    summary: 'end all that a stranger could have of an account, and recover it',
    arguments: USER,
    options: REASON,
    ends: (values) => `ends all sessions, the password and the recovery codes of user ${values.required('user')}`,
    notes: 'The user gets a mail to choose a new password. Without mail, a temporary password is printed.',
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      const secured = await opened
        .client(IdentityServiceService)
        .secureUser({ userId: id, reason: values.text('reason') });
      return { value: { id, ...secured } };
    },
  },
  {
    name: 'user delete',
    summary: 'delete a user; its audit records stay',
    arguments: USER,
    options: REASON,
    ends: (values) => `deletes user ${values.required('user')} and ends all its sessions`,
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      await opened.client(IdentityServiceService).deleteUser({ userId: id, reason: values.text('reason') });
      return { value: { id, deleted: true }, text: `deleted ${id}` };
    },
  },
];

type Call = (
  identity: Client<typeof IdentityServiceService>,
  userId: string,
  reason: string | undefined,
) => Promise<{ user?: User | undefined }>;

/** A command that calls an RPC on its user and shows the user. */
function userCommand(name: string, summary: string, call: Call, more: Pick<Command, 'ends' | 'options'> = {}): Command {
  return { name, summary, arguments: USER, ...more, run: (input) => onUser(input, call) };
}

async function onUser({ core, values }: Input, call: Call) {
  const opened = await core();
  const id = await userId(opened, values.required('user'));
  const { user } = await call(opened.client(IdentityServiceService), id, values.text('reason'));
  return { value: userRecord(user!) };
}

async function update(input: Input) {
  const { values } = input;
  const user = {
    name: values.text('name'),
    email: values.text('email') || undefined,
    accountExpiresAt: values.time('accountExpires'),
    credentialsExpireAt: values.time('passwordExpires'),
    disableAt: values.text('disableAt') === '' ? undefined : values.time('disableAt'),
  };
  const updateMask = [
    ...Object.entries(MASKED).flatMap(([name, path]) =>
      user[name as keyof typeof MASKED] === undefined ? [] : [path],
    ),
    ...(values.text('email') === '' ? ['email'] : []),
    ...(values.text('disableAt') === '' ? ['disable_at'] : []),
  ];
  if (updateMask.length === 0) throw new CommandFailure('give at least one option to change', EXIT.usage);
  return onUser(input, (identity, id, reason) => identity.updateUser({ userId: id, user, updateMask, reason }));
}

/** The names of the fields in an update mask. */
const MASKED = {
  name: 'name',
  email: 'email',
  accountExpiresAt: 'account_expires_at',
  credentialsExpireAt: 'credentials_expire_at',
  disableAt: 'disable_at',
} as const;
