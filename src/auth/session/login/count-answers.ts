// Counts the answers to challenges of logins, for the metrics.
import type { CompleteLoginRequest } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { isServerFault } from '../../../platform/problem/catalogue.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Metric } from '../../../platform/metric.ts';

const METHODS = { totp: 'totp', recoveryCode: 'recovery-code', passkey: 'passkey' } as const;
const OUTCOMES = ['success', 'wrong', 'locked', 'refused', 'error'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The outcomes of reasons. All other refusals concern the challenge or the account: `refused`. */
const OUTCOME_OF: Readonly<Record<string, Outcome>> = {
  SECOND_FACTOR_INVALID: 'wrong',
  SECOND_FACTOR_LOCKED: 'locked',
};

type Answer = Pick<CompleteLoginRequest, 'proof'>;
type Handler<Input, Output, Call> = (request: Input, call: Call) => Promise<Output>;

export interface AnswerCounts {
  /** Returns a handler that counts its calls. */
  counted<Input extends Answer, Output, Call>(handle: Handler<Input, Output, Call>): Handler<Input, Output, Call>;
  readonly metric: Metric;
}

export function createAnswerCounts(): AnswerCounts {
  // All combinations exist from the start, so that a first wrong answer is an increase.
  const samples = Object.values(METHODS).flatMap((method) =>
    OUTCOMES.map((outcome) => ({ labels: { method, outcome }, value: 0 })),
  );
  const count = ({ proof }: Answer, outcome: Outcome): void => {
    const method = proof && METHODS[proof.$case];
    const sample = samples.find(({ labels }) => labels.method === method && labels.outcome === outcome);
    if (sample) sample.value += 1;
  };
  return {
    counted: (handle) => async (request, call) => {
      try {
        const response = await handle(request, call);
        count(request, 'success');
        return response;
      } catch (error) {
        count(request, outcomeOf(error));
        throw error;
      }
    },
    metric: {
      name: 'second_factor_answers_total',
      help: 'Answers to challenges of logins, by the method of the second factor and by outcome.',
      type: 'counter',
      labelNames: ['method', 'outcome'],
      read: () => samples,
    },
  };
}

/** Minimal disclosure replaces an error, and keeps it as the cause. */
function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ServiceError)) return 'error';
  const { reason } = error.cause instanceof ServiceError ? error.cause : error;
  return OUTCOME_OF[reason] ?? (isServerFault(reason) ? 'error' : 'refused');
}
