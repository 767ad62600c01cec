// Why an administrator has ended sessions, from the own audit records.
import { expect, it } from 'vitest';
import type { OwnAuditRecord } from '../../../client/src/operations.ts';
import { findEndedSessions } from '../../src/login/ended-sessions.ts';

const record = (event: string, more: Partial<OwnAuditRecord> = {}): OwnAuditRecord => ({
  id: event,
  at: '2026-01-01T00:00:00.000Z',
  event,
  actor: 'ADMINISTRATOR',
  concernsYou: true,
  details: { sessions: 1 },
  ...more,
});
const login = record('login.succeeded', { actor: 'ACCOUNT' });

it('finds the last act since the login before this one', () => {
  const secured = record('account.secured', { details: { sessions: 2, reason: 'ticket 4711' } });
  const found = { event: 'account.secured', at: secured.at, reason: 'ticket 4711' };
  expect(findEndedSessions([login, record('account.unlocked'), secured, record('session.revoked'), login])).toEqual(
    found,
  );
  expect(findEndedSessions([record('second-factor.failed'), login, secured, login])).toEqual(found);
  const one = record('session.revoked', { details: { sessionId: 'x' } });
  expect(findEndedSessions([login, one, login])?.event).toBe('session.revoked');
});

it('finds no act of the user, without effect, of another account, or before the login before this one', () => {
  const others = [
    record('session.revoked', { actor: 'ACCOUNT' }),
    record('account.roles-changed', { details: { sessionsEnded: 0 } }),
    record('account.secured', { concernsYou: false }),
    record('account.updated'),
  ];
  expect(findEndedSessions([login, ...others, login, record('account.secured')])).toBeUndefined();
  expect(findEndedSessions([login, record('account.password-changed')])).toBeUndefined();
  expect(findEndedSessions([])).toBeUndefined();
});
