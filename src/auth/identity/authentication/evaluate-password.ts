import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext } from '../../audit/trail/audit-log.ts';
import type { Clock } from '../../../platform/clock.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import { newAttemptSlot, type AccountLock, type ClaimOutcome, type LockSubject } from './account-lock.ts';
import type { PasswordHasher, Verification } from './password-hasher.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';

export interface PasswordAttempt {
  readonly subject: LockSubject;
  /** Undefined if every password is wrong. */
  readonly passwordHash: string | undefined;
  readonly password: string;
}

/** An evaluated password. The slot is open, and the outcome must be recorded even if the caller disconnects. */
export interface Evaluated extends Verification {
  readonly kind: 'evaluated';
  readonly slot: string;
}

type Evaluation = Evaluated | Extract<ClaimOutcome, { kind: 'locked' }>;

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/** Returns a function that evaluates a password in an attempt slot. If it rejects, no password was evaluated. */
export function createEvaluatePassword(options: {
  readonly lock: AccountLock;
  readonly hasher: PasswordHasher;
  readonly outcomes: OutcomeRecorder;
  readonly clock: Clock;
  /** Whether an attempt on a locked account must take as long as any other. */
  readonly uniformRefusals: boolean;
}) {
  const { lock, hasher, outcomes, clock, uniformRefusals } = options;

  // Claims a slot only when the hash can start. So an attempt in the queue does not block others.
  async function evaluateOnce(
    { subject, passwordHash, password }: PasswordAttempt,
    context: AuditContext,
  ): Promise<Evaluation | ClaimOutcome> {
    let claimed: string | undefined;
    try {
      return await hasher.runLimited(context, passwordHash, async (verify) => {
        const slot = newAttemptSlot(clock());
        // If this rejects, the database is unavailable. If it opened the slot anyway, the slot expires by itself.
        const outcome = await lock.claim(subject, slot, context.deadline);
        if (outcome.kind === 'claimed') {
          claimed = slot;
          if (context.deadline.signal.aborted) throw tooLate();
          return { kind: 'evaluated', ...(await verify(passwordHash, password)), slot };
        }
        if (outcome.kind === 'locked' && uniformRefusals) await verify(undefined, password);
        return outcome;
      });
    } catch (error) {
      const slot = claimed;
      if (slot !== undefined) outcomes.recordLater(context, () => lock.release(subject, slot));
      throw error;
    }
  }

  // Waiting attempts hold no slot. The attempts in progress decide whether the waiting ones may run or are locked out.
  return async (attempt: PasswordAttempt, context: AuditContext): Promise<Evaluation> => {
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
