// snippet:start revocations
import { setTimeout as sleep } from 'node:timers/promises';

/** The claims that a revocation can name. */
export interface RevocableClaims {
  readonly sub: string;
  readonly sid?: string;
  readonly jti?: string;
  readonly gid?: string;
  readonly tenantId?: string;
}

/** Whether a token is revoked. Throws until the first snapshot is complete. */
export type IsRevoked = (claims: RevocableClaims) => boolean;

/** Ids by `session 01a2…`, with the expiry of the last access token. */
type Revocations = Map<string, number>;

/** Bounds the memory. 100,000 logouts in an hour are 25,000 at a time. */
const MAX_REVOCATIONS = 1_000_000;
/** A comment comes every 15 s. */
const SILENCE_MS = 30_000;

/**
 * Keeps the set of ended sessions and grants, revoked tokens, disabled accounts and suspended tenants. Each stream makes it anew, so it
 * holds those of the last 25 minutes. The client is a resource server.
 */
export function followRevocations(issuer: string, clientId: string, clientSecret: string): IsRevoked {
  let current: Revocations | undefined;

  async function follow(): Promise<void> {
    for (;;) {
      // The stream ends with its access token, and after ten minutes at most.
      await read().catch((error: unknown) => console.error('revocations:', error));
      await sleep(1_000);
    }
  }

  /** Reads one stream. Until its snapshot is complete, the set of the previous stream stays in force. */
  async function read(): Promise<void> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const headers = { authorization: `Bearer ${await grant()}` };
      const response = await fetch(`${issuer}/api/v1/auth/revocations`, { headers, signal: silence.signal });
      if (!response.ok) throw new Error(`${response.status}`);
      const snapshot: Revocations = new Map();
      let rest = '';
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        timer.refresh();
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) apply(snapshot, block);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  function apply(snapshot: Revocations, block: string): void {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
    if (event === undefined) return;
    if (event === 'snapshot-end') return void (current = snapshot);
    if (snapshot.size >= MAX_REVOCATIONS) throw new Error(`more than ${MAX_REVOCATIONS} revocations`);
    const { id, until } = JSON.parse(data!) as { readonly id: string; readonly until: string | null };
    for (const set of [snapshot, current]) {
      // null: the account was enabled, or the tenant activated.
      if (until === null) set?.delete(`${event} ${id}`);
      else set?.set(`${event} ${id}`, Date.parse(until));
    }
  }

  async function grant(): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const response = await fetch(`${issuer}/api/v1/auth/token`, { method: 'POST', body });
    if (!response.ok) throw new Error(`no access token: ${response.status}`);
    return ((await response.json()) as { readonly access_token: string }).access_token;
  }

  void follow();
  return ({ sub, sid, jti, gid, tenantId }) => {
    if (current === undefined) throw new Error('the revocations are not known yet');
    const keys = [`session ${sid}`, `token ${jti}`, `grant ${gid}`, `account ${sub}`, `tenant ${tenantId}`];
    return keys.some((key) => (current!.get(key) ?? 0) > Date.now());
  };
}
// snippet:end
