import { SessionServiceService, type Session } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { Command } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { listCommand, userId } from './lists.ts';

export const SESSION_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'session list',
    summary: 'list the open sessions of a user, of all users, or your own',
    arguments: { '[user]': 'the username or id (default: you)' },
    options: {
      '--all': 'of all users of the tenant; for a SUPER_ADMIN, of all tenants',
      '--tenant <id>': 'of all users of this tenant, for a SUPER_ADMIN',
    },
    columns: ['id', 'username', 'clientAddress', 'rememberMe', 'createdAt', 'refreshedAt', 'expiresAt'],
    async read(core, values) {
      const { listMySessions, listSessions, listUserSessions } = core.client(SessionServiceService);
      const [user, tenantId] = [values.text('user'), values.text('tenant')];
      if (values.flag('all') || tenantId !== undefined) {
        const of = user === undefined ? undefined : await userId(core, user);
        return (page) => listSessions({ tenantId, userId: of, page });
      }
      if (user === undefined) return (page) => listMySessions({ page });
      const id = await userId(core, user);
      return (page) => listUserSessions({ userId: id, page });
    },
    items: ({ sessions }) => sessions.map(sessionRecord),
  }),
  {
    name: 'session revoke',
    summary: 'end one session, or all sessions of a user',
    arguments: { '[session]': 'the id of a session' },
    options: { '--user <user>': 'the user whose session it is; without a session: all its sessions' },
    ends(values) {
      const [session, user] = [values.text('session'), values.text('user')];
      if (session === undefined && user === undefined)
        throw new CommandFailure('give a session, or --user for all sessions of a user', EXIT.usage);
      return session === undefined ? `ends all sessions of user ${user}` : `ends session ${session}`;
    },
    async run({ values, core }) {
      const opened = await core();
      const sessions = opened.client(SessionServiceService);
      const session = values.text('session');
      const user = values.text('user');
      const id = user === undefined ? undefined : await userId(opened, user);
      if (session === undefined) {
        const { revoked } = await sessions.revokeUserSessions({ userId: id! });
        return { value: { revoked }, text: `${revoked} sessions ended` };
      }
      await sessions.revokeSession({ sessionId: session, userId: id });
      return { value: { revoked: 1 }, text: `session ${session} ended` };
    },
  },
];

/** A session without the details of its transport. */
export function sessionRecord({ refreshTokenTransport: _transport, ...session }: Session) {
  return session;
}
