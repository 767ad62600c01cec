import type { Session } from '../src/index.ts';
import { create, element } from './elements.ts';
import { countGeneration } from './generation.ts';

const SHOWN_CHARACTERS = 8;

/** Shows the session, with the first and last characters of its token. */
export async function showSession(session: Session): Promise<number> {
  const snapshot = session.getSnapshot();
  if (snapshot.status !== 'signed-in') return 0;
  const token = await session.accessToken();
  const { jti } = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))) as { jti: string };
  const { user, sessionId = '' } = snapshot;
  const generation = countGeneration(sessionId, jti);
  const facts: readonly (readonly [string, string, string?])[] = [
    ['User', user.email ?? user.id],
    ['Tenant', user.tenantId ?? 'none'],
    ['Roles', user.roles.map((role) => role.replace('ROLE_', '')).join(', ')],
    ['Session', sessionId, 'code'],
    ['Generation', String(generation)],
    ['Access token', `${token.slice(0, SHOWN_CHARACTERS)}…${token.slice(-SHOWN_CHARACTERS)}`, 'code'],
  ];
  element('session').replaceChildren(
    ...facts.flatMap(([name, value, className]) => [create('dt', name), create('dd', value, className)]),
  );
  return generation;
}

/** Shows the remaining lifetime of the token, each second. */
export function showExpiry(session: Session): void {
  const bar = element<HTMLProgressElement>('expiry');
  let expiresAt = 0;
  let lifetime = 1;
  setInterval(() => {
    const snapshot = session.getSnapshot();
    if (snapshot.status !== 'signed-in') return;
    const left = Math.max(0, snapshot.expiresAt - Date.now());
    if (snapshot.expiresAt !== expiresAt) {
      expiresAt = snapshot.expiresAt;
      lifetime = Math.max(left, 1);
    }
    bar.value = left / lifetime;
    element('expiry-text').textContent = `This token expires in ${Math.ceil(left / 1000)} s`;
  }, 1_000);
}
