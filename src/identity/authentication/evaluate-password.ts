import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext } from '../../audit/audit-log.ts';
import type { Clock } from '../../clock.ts';
import { DependencyUnavailableError } from '../../errors.ts';
import type { AccountLock, ClaimOutcome, LockSubject } from './account-lock.ts';
import { newAttemptSlot } from './attempt-slot.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { Settlements } from './settlements.ts';

export interface PasswordAttempt {
  readonly subject: LockSubject;
  /** Undefined if no password is right. */
  readonly passwordHash: string | undefined;
  readonly password: string;
}

export type Evaluation =
  /** The slot is open: its settlement is due, whatever becomes of the caller. */
  | { readonly kind: 'evaluated'; readonly right: boolean; readonly slot: string }
  | Extract<ClaimOutcome, { kind: 'locked' }>;

/** Evaluates a password in an attempt slot. If it rejects, nothing was evaluated. */
export type EvaluatePassword = (attempt: PasswordAttempt, context: AuditContext) => Promise<Evaluation>;

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

export function createEvaluatePassword(options: {
  readonly lock: AccountLock;
  readonly hasher: PasswordHasher;
  readonly settlements: Settlements;
  readonly clock: Clock;
  /** Whether an attempt on a locked account costs as much as any other. */
  readonly uniformRefusals: boolean;
}): EvaluatePassword {
  const { lock, hasher, settlements, clock, uniformRefusals } = options;

  // A slot is claimed only when the hash can begin: an attempt that waits in the queue, perhaps for ever, blocks no other one.
  async function evaluateOnce(
    { subject, passwordHash, password }: PasswordAttempt,
    context: AuditContext,
  ): Promise<Evaluation | ClaimOutcome> {
    let claimed: string | undefined;
    try {
      return await hasher.runLimited(context, async (verify) => {
        const slot = newAttemptSlot(clock());
        // If this rejects, the database does not answer; a slot that it opened all the same ends by itself.
        const outcome = await lock.claim(subject, slot, context.deadline);
        if (outcome.kind === 'claimed') {
          claimed = slot;
          if (context.deadline.signal.aborted) throw tooLate();
          return { kind: 'evaluated', right: await verify(passwordHash, password), slot };
        }
        if (outcome.kind === 'locked' && uniformRefusals) await verify(undefined, password);
        return outcome;
      });
    } catch (error) {
      const slot = claimed;
      if (slot !== undefined) settlements.settleLater(context, () => lock.release(subject, slot));
      throw error;
    }
  }

  // Those who wait hold nothing; the first ones under way decide whether they are let in or locked out.
  return async (attempt, context) => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
      const outcome = await evaluateOnce(attempt, context);
      if (outcome.kind === 'evaluated' || outcome.kind === 'locked') return outcome;
      if (context.deadline.signal.aborted) throw tooLate();
      await delay(pause);
    }
  };
}

function tooLate(): DependencyUnavailableError {
  return new DependencyUnavailableError('the deadline of the login has passed');
}
