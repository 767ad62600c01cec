import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Seed } from '../../support/accounts.ts';
import type { World } from '../../support/world.ts';
import type { CredentialCase, Handed } from './scene.ts';

/** A state that a credential can be in, and its expected explanation. */
export interface State {
  readonly name: string;
  readonly of: CredentialCase;
  /** The account of the credential when it is handed out. */
  readonly seed?: (now: number) => Seed;
  /** Changes what stands behind the credential; may return another text to present. */
  readonly change?: (world: World, handed: Handed) => Promise<string | void>;
  readonly handOut?: (world: World) => Promise<Handed>;
  /** The checks that fail, in order. */
  readonly failed: readonly string[];
  /** What the first of them says. */
  readonly says?: RegExp;
  /** Its time, relative to now. */
  readonly at?: number;
}

/** Logs the session of a credential out. */
export async function logOut({ clients }: World, { forge }: Handed): Promise<void> {
  const { signed, claims } = await forge();
  const authorization = [`Bearer ${signed(claims())}`];
  await clients.session.logout(
    { refreshTokens: [], refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY },
    { authorization },
  );
}
