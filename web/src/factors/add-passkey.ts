import { createPasskey } from '../../../client/src/factors.ts';
import type { Session } from '../../../client/src/index.ts';
import { createMyPasskey, createMyPasskeyOptions } from '../../../client/src/operations.ts';
import { describeUserAgent } from '../user-agent.ts';

/** Adds a passkey to the account. It is named after this browser. */
export async function addPasskey(session: Session) {
  const { data: creation } = await createMyPasskeyOptions(session);
  const passkey = await createPasskey(creation.options);
  const label = describeUserAgent(navigator.userAgent) ?? 'Passkey';
  return (await createMyPasskey(session, { body: { label, passkey } })).data;
}
