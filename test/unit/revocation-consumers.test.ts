// The readers of the revocation feed that this project publishes know each of its events. One that does not would accept ended tokens.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RevocationSubject } from '../../proto/gen/authservice/session/v1/session_service.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The claim of an access token that has the id of an event. */
const CLAIMS: Readonly<Record<string, string>> = {
  session: 'sid',
  token: 'jti',
  grant: 'gid',
  account: 'sub',
  tenant: 'tenantId',
};

it('there is a claim for each event', () => {
  const names = Object.keys(RevocationSubject).filter((name) => name.startsWith('REVOCATION_SUBJECT_'));
  const events = names.map((name) => name.replace('REVOCATION_SUBJECT_', '').toLowerCase());
  expect(Object.keys(CLAIMS).toSorted()).toEqual(events.filter((event) => event !== 'unspecified').toSorted());
});

it.each([
  ['sdk/java/authservice-spring-boot/src/main/java/io/authservice/spring/Revocations.java'],
  ['examples/frameworks/spring-boot/src/main/java/com/example/shop/Revocations.java'],
  ['examples/frameworks/node/src/revocations.ts'],
  ['examples/frameworks/go/revocations.go', 'examples/frameworks/go/middleware.go'],
  ['examples/frameworks/python/revocations.py'],
])('%s reads all events', (...paths) => {
  const source = paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
  const missing = Object.entries(CLAIMS).filter(
    ([event, claim]) => !new RegExp(`["\`]${event}\\b`).test(source) || !new RegExp(`\\b${claim}\\b`).test(source),
  );
  expect(missing).toEqual([]);
});
