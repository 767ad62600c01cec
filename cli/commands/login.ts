import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Command, Input } from '../command.ts';
import { connectRemotely } from '../core/connect.ts';
import { credentialsFile } from '../core/credentials-file.ts';
import { logIn, logOut } from '../core/login-session.ts';
import { EXIT } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { userRecord } from './records.ts';

export const LOGIN_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    summary: 'log in and keep the session for later commands',
    uses: 'remote',
    arguments: { '[username]': 'the username; also in AUTHSERVICE_USERNAME' },
    notes:
      'The password is read without echo, or from AUTHSERVICE_PASSWORD, or from the standard input.\n' +
      'The session is kept in ~/.config/authservice/credentials.json (AUTHSERVICE_CREDENTIALS), readable only by you.\n' +
      'AUTHSERVICE_TOKEN (an access token) or AUTHSERVICE_API_KEY replaces a login.',
    run: login,
  },
  { name: 'logout', summary: 'end the kept session', uses: 'remote', run: logout },
  {
    name: 'whoami',
    summary: 'show the account of the credential',
    uses: 'remote',
    async run({ core }) {
      const { account } = await (await core()).client(IdentityServiceService).getMe({});
      return { value: userRecord({ account: account!, heldRoles: account!.roles }) };
    },
  },
  {
    name: 'password',
    summary: 'change your own password and end all your sessions',
    uses: 'remote',
    notes: 'The current and the new password are read without echo, or from two lines of the standard input.',
    run: changePassword,
  },
];

async function changePassword({ core, terminal }: Input) {
  const currentPassword = await terminal.readSecret('Current password');
  const newPassword = await terminal.readSecret('New password', { isNew: true });
  const identity = (await core()).client(IdentityServiceService);
  const { account } = await identity.getMe({});
  await identity.changeOwnPassword({ currentPassword, newPassword });
  const { username } = account!;
  return { value: { username }, text: `password of ${username} changed, all its sessions have ended` };
}

async function login(input: Input) {
  const { values, terminal } = input;
  const username = values.text('username') ?? terminal.env['AUTHSERVICE_USERNAME'];
  if (username === undefined) throw new CommandFailure('give a username: login USERNAME', EXIT.usage);
  const password = terminal.env['AUTHSERVICE_PASSWORD'] ?? (await terminal.readSecret(`Password of ${username}`));
  const connection = connectRemotely(input);
  try {
    const session = await logIn(connection, connection.target, { username, password });
    const file = credentialsFile(terminal);
    await file.exclusively(connection.options.timeoutMs, async () => file.save(session));
    const value = { username, core: session.core, credentials: file.path };
    return { value, text: `logged in as ${username} at ${session.core}` };
  } finally {
    connection.channel.close();
  }
}

async function logout(input: Input) {
  const connection = connectRemotely(input);
  const { core } = connection.target;
  const file = credentialsFile(input.terminal);
  try {
    return await file.exclusively(connection.options.timeoutMs, async () => {
      const session = file.find(core);
      if (session === undefined) throw new CommandFailure(`not logged in at ${core}`, EXIT.credential);
      await logOut(connection, session);
      file.remove(core);
      return { value: { username: session.username, core }, text: `logged out ${session.username} at ${core}` };
    });
  } finally {
    connection.channel.close();
  }
}
