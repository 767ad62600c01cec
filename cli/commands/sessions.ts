import { SessionServiceService, type Session } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { Command } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { listCommand, REASON, userId } from './lists.ts';

export const SESSION_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'session list',
    summary: 'list the open sessions of a user, of all users, or your own',
    arguments: { '[user]': 'the username or id (default: you)' },
    options: {
      '--all': 'of all users of the tenant; for a SUPER_ADMIN, of all tenants',
      '--tenant <id>': 'of all users of this tenant, for a SUPER_ADMIN',
      '--address <address>': 'with --all or --tenant: from this address or range, such as 192.0.2.0/24',
      '--user-agent <text>': 'with --all or --tenant: whose User-Agent contains this text',
    },
    columns: ['id', 'username', 'clientAddress', 'rememberMe', 'createdAt', 'refreshedAt', 'expiresAt'],
    async read(core, values) {
      const { listMySessions, listSessions, listUserSessions } = core.client(SessionServiceService);
      const [user, tenantId] = [values.text('user'), values.text('tenant')];
      if (values.flag('all') || tenantId !== undefined) {
        const of = user === undefined ? undefined : await userId(core, user);
        const [address, userAgent] = [values.text('address'), values.text('userAgent')];
        return (page) => listSessions({ tenantId, userId: of, address, userAgent, page });
      }
      if (user === undefined) return (page) => listMySessions({ page });
      const id = await userId(core, user);
      return (page) => listUserSessions({ userId: id, page });
    },
    items: ({ sessions }) => sessions.map(sessionRecord),
  }),
  {
    name: 'session show',
    summary: 'show an open session',
    arguments: { '<session>': 'the id of the session' },
    async run({ core, values }) {
      const { getSession } = (await core()).client(SessionServiceService);
      const { session } = await getSession({ sessionId: values.required('session') });
      return { value: sessionRecord(session!) };
    },
  },
  {
    name: 'session revoke',
    summary: 'end one session, or all sessions of a user',
    arguments: { '[session]': 'the id of a session' },
    options: {
      '--user <user>': 'the user whose session it is; without a session: all its sessions',
      ...REASON,
    },
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
      const [user, reason] = [values.text('user'), values.text('reason')];
      const id = user === undefined ? undefined : await userId(opened, user);
      if (session === undefined) {
        const { revoked } = await sessions.revokeUserSessions({ userId: id!, reason });
        return { value: { revoked }, text: `${revoked} sessions ended` };
      }
      await sessions.revokeSession({ sessionId: session, userId: id, reason });
      return { value: { revoked: 1 }, text: `session ${session} ended` };
    },
  },
];

/** A session without the details of its transport. */
export function sessionRecord({ refreshTokenTransport: _transport, ...session }: Session) {
  return session;
}
