import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Command, Input } from '../command.ts';
import { logInByBrowser, logInByDevice } from '../core/browser-login.ts';
import { connectRemotely, targetOf, type Connection } from '../core/connect.ts';
import { credentialsFile, type CredentialsFile, type Login } from '../core/credentials-file.ts';
import { logIn, logOut, notLoggedIn } from '../core/login-session.ts';
import { createAnswerChallenge } from '../core/second-factor.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { PRINT_SECRETS, recoveryCodesText } from '../terminal/codes.ts';
import { userRecord } from './records.ts';

export const LOGIN_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    summary: 'log in and keep the session for later commands',
    uses: 'remote',
    arguments: { '[username]': 'log in by the password of this username; also in AUTHSERVICE_USERNAME' },
    options: {
      '--device': 'log in by a browser of another device, for a server without one',
      '--password': 'log in by the password; needs a username',
      ...PRINT_SECRETS,
    },
    notes:
      'Without a username, the login page opens in your browser (BROWSER), and the program waits for it, 11 minutes at most.\n' +
      'The password is read without echo, or from AUTHSERVICE_PASSWORD, or from the standard input.\n' +
      'If the account has a second factor, a code of the app or a recovery code is asked for. If the tenant requires one and\n' +
      'the account has none, the login sets up TOTP.\n' +
      'The session is kept in ~/.config/authservice/credentials.json (AUTHSERVICE_CREDENTIALS), readable only by you.\n' +
      'AUTHSERVICE_TOKEN (an access token) or AUTHSERVICE_API_KEY replaces a login.',
    run: login,
  },
  {
    name: 'logout',
    summary: 'end the kept session',
    uses: 'remote',
    notes: 'The current core stays the same, also if you are logged in at another core.',
    run: logout,
  },
  {
    name: 'use',
    summary: 'switch to another core, or list the logins',
    uses: 'nothing',
    arguments: { '[core]': 'a core with a login; it becomes the current core, which later commands call' },
    notes: '--core and AUTHSERVICE_CORE choose another core for one command. The first login sets the current core.',
    run: use,
  },
  {
    name: 'whoami',
    summary: 'show the core and the account of the credential',
    uses: 'remote',
    run: whoami,
  },
  {
    name: 'password',
    summary: 'change your own password and end all your sessions',
    uses: 'remote',
    notes: 'The current and the new password are read without echo, or from two lines of the standard input.',
    run: changePassword,
  },
];

async function whoami(input: Input) {
  const { account } = await (await input.core()).client(IdentityServiceService).getMe({});
  const roles = account!.roles.map((role) => role.replace(/^ROLE_/, ''));
  const { core } = targetOf(input);
  return { value: { core, ...userRecord({ account: account!, heldRoles: roles }) } };
}

async function changePassword(input: Input) {
  const { terminal, core } = input;
  const identity = (await core()).client(IdentityServiceService);
  const { account } = await identity.getMe({});
  const { username } = account!;
  const currentPassword = await terminal.readSecret(`Current password of ${username} at ${targetOf(input).core}`);
  const newPassword = await terminal.readSecret('New password', { isNew: true });
  await identity.changeOwnPassword({ currentPassword, newPassword });
  return { value: { username }, text: `password of ${username} changed, all its sessions have ended` };
}

async function login(input: Input) {
  const { values, terminal } = input;
  const username = values.text('username') ?? terminal.env['AUTHSERVICE_USERNAME'];
  const [isByDevice, isByPassword] = [values.flag('device'), values.flag('password')];
  if (isByDevice && (isByPassword || values.text('username') !== undefined))
    throw new CommandFailure('--device takes neither --password nor a username', EXIT.usage);
  if (isByPassword && username === undefined)
    throw new CommandFailure('give a username: login --password USERNAME', EXIT.usage);
  const connection = connectRemotely(input);
  try {
    if (isByDevice) return await keep(input, connection, await logInByDevice(connection, connection.target, terminal));
    if (username === undefined)
      return await keep(input, connection, await logInByBrowser(connection, connection.target, terminal));
    return await loginByPassword(input, connection, username);
  } finally {
    connection.channel.close();
  }
}

async function loginByPassword(input: Input, connection: Connection, username: string) {
  const { terminal } = input;
  const { target } = connection;
  const question = `Password of ${username} at ${target.core}`;
  const password = terminal.env['AUTHSERVICE_PASSWORD'] ?? (await terminal.readSecret(question));
  const answer = createAnswerChallenge(connection, input);
  const { session, recoveryCodes } = await logIn(connection, target, { username, password }, answer);
  return keep(input, connection, session, recoveryCodes);
}

/** Keeps a login for later commands. */
async function keep(
  { terminal }: Input,
  { options }: Connection,
  session: Login,
  recoveryCodes: readonly string[] = [],
) {
  const file = credentialsFile(terminal);
  await file.exclusively(options.timeoutMs, async () => file.save(session));
  const { core, username } = session;
  const current = file.current();
  return {
    value: { username, core, current, credentials: file.path, ...(recoveryCodes.length > 0 && { recoveryCodes }) },
    text: `logged in as ${username} at ${core}${recoveryCodesText(recoveryCodes)}`,
    ...(current !== core && { note: `the current core is still ${current}; switch with authservice use ${core}` }),
  };
}

async function logout(input: Input) {
  const connection = connectRemotely(input);
  const { core } = connection.target;
  const file = credentialsFile(input.terminal);
  try {
    return await file.exclusively(connection.options.timeoutMs, async () => {
      const session = file.find(core);
      if (session === undefined) throw notLoggedIn(file, core);
      await logOut(connection, session);
      file.remove(core);
      return { value: { username: session.username, core }, text: `logged out ${session.username} at ${core}` };
    });
  } finally {
    connection.channel.close();
  }
}

async function use({ values, terminal }: Input) {
  const file = credentialsFile(terminal);
  const core = values.text('core');
  if (core === undefined) {
    return { value: loginsOf(file), columns: ['current', 'core', 'username'] };
  }
  const session = file.find(core);
  if (session === undefined) throw notLoggedIn(file, core);
  await file.exclusively(0, async () => file.use(core));
  const { username } = session;
  const override = terminal.env['AUTHSERVICE_CORE'] ?? core;
  return {
    value: { core, username },
    text: `the current core is ${core}, as ${username}`,
    ...(override !== core && { note: `AUTHSERVICE_CORE is set, so commands still call ${override}` }),
  };
}

/** All logins, and the current core also without a login: later commands call it. */
function loginsOf(file: CredentialsFile) {
  const current = file.current();
  const logins = file.list().map(({ core, username }) => ({ current: core === current, core, username }));
  const isListed = current === undefined || logins.some((login) => login.current);
  return isListed ? logins : [...logins, { current: true, core: current, username: null }];
}
