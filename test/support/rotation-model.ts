// A model of a session's row on a server or a cluster that loses statements and answers.
import fc from 'fast-check';
import type { Deadline } from '../../src/platform/clock.ts';
import { rolledBack, unavailable, withUnknownOutcome } from '../../src/platform/db/errors.ts';
import type { Session } from '../../src/auth/session/session.ts';

export const SELECTOR = Buffer.from('selector');
export const token = (generation: number, verifier: string) => ({
  selector: SELECTOR,
  generation,
  verifierHash: Buffer.from(verifier),
});
export const PREVIOUS = { ...token(1, 'previous'), id: 'session', tenantId: 'acme' } as Session;
export const NEXT = token(2, 'next');
type Token = Pick<Session, 'selector' | 'generation' | 'verifierHash'> & {
  readonly rotationBatch?: string | undefined;
};

/** What happens to one statement. */
export type Fault =
  | 'none'
  /** It never reaches the server. */
  | 'lost'
  /** It is carried out, and its response is lost. */
  | 'unanswered'
  /** It reaches the server later, but before its deadline. */
  | 'late'
  /** It is carried out on one node at once, and the cluster certifies it later. */
  | 'certified later'
  /** No connection is free. */
  | 'not sent'
  /** It loses against another transaction. */
  | 'deadlock';

export const FAULTS = fc.constantFrom<Fault>(
  'none',
  'lost',
  'unanswered',
  'late',
  'certified later',
  'not sent',
  'deadlock',
);

/** A row that statements change, as a server or a cluster does it. */
export function createModel(faults: readonly Fault[]) {
  let row: Token = PREVIOUS;
  let version = 0;
  let waiting: { readonly isBegun: boolean; arrive(): void }[] = [];
  let step = 0;
  const write = (next: Token) => {
    row = next;
    version += 1;
  };
  const isAt = ({ generation, verifierHash }: Token) =>
    row.generation === generation && row.verifierHash.equals(verifierHash);

  /** Runs a statement with the next fault. `change` returns whether the row matched. */
  async function run(change: () => boolean): Promise<boolean> {
    const fault = faults[step++] ?? 'none';
    if (fault === 'none') return change();
    if (fault === 'not sent') throw unavailable('no connection');
    if (fault === 'deadlock') throw rolledBack('deadlock');
    if (fault === 'unanswered') change();
    if (fault === 'late') waiting.push({ isBegun: false, arrive: change });
    if (fault === 'certified later') {
      const seen = version;
      waiting.push({ isBegun: true, arrive: () => void (version === seen && change()) });
    }
    throw withUnknownOutcome(unavailable('no response'));
  }
  const sessions = {
    advance: (session: Token, next: Token, { batch }: { readonly batch: string }) =>
      run(() => isAt(session) && (write({ ...next, rotationBatch: batch }), true)),
    retract: async (session: Token, next: Token) =>
      void (await run(() => (isAt(next) || isAt(session)) && (write(session), true))),
    async findBySelector() {
      await run(() => true);
      return row as Session;
    },
  };
  return {
    sessions,
    isAt,
    write,
    /** The row as another process reads it. */
    row: () => row as Session,
    /** All statements that are on their way arrive. */
    arrive() {
      for (const { arrive } of waiting.splice(0)) arrive();
    },
    /** Statements that no server has begun are refused from now on. */
    deadlinePasses() {
      waiting = waiting.filter(({ isBegun }) => isBegun);
    },
  };
}

/** A deadline that passes when it has been asked for this often. */
export function deadlineAfter(checks: number): Deadline {
  let left = checks;
  return { at: Infinity, signal: new AbortController().signal, isAborted: () => left-- <= 0 };
}

export const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
