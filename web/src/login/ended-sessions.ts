// Why an administrator has ended sessions of the account since the login before this one: from the own audit records.
import type { OwnAuditRecord } from '../../../client/src/operations.ts';

/** The acts that end sessions. */
const ENDING = [
  'account.secured',
  'account.disabled',
  'account.password-changed',
  'account.roles-changed',
  'factor.reset',
  'factor.removed',
  'session.revoked',
] as const;

export interface EndedSessions {
  readonly event: (typeof ENDING)[number];
  readonly at: string;
  /** As the administrator has given it. */
  readonly reason: string | undefined;
}

/**
 * Returns the last act of an administrator that has ended sessions.
 *
 * @param records The own records, the newest first: that of this login, then what has happened since the one before it.
 */
export function findEndedSessions(records: readonly OwnAuditRecord[]): EndedSessions | undefined {
  const isLogin = ({ event }: OwnAuditRecord) => event === 'login.succeeded';
  const sinceLogin = records.slice(records.findIndex(isLogin) + 1);
  const before = sinceLogin.findIndex(isLogin);
  for (const { event, at, actor, concernsYou, details = {} } of before < 0 ? [] : sinceLogin.slice(0, before)) {
    const known = ENDING.find((name) => name === event);
    const { sessions, sessionsEnded = sessions, reason } = details;
    if (known && actor === 'ADMINISTRATOR' && concernsYou && sessionsEnded !== 0)
      return { event: known, at, reason: typeof reason === 'string' ? reason : undefined };
  }
  return undefined;
}
