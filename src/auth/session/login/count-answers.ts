// Counts the answers to challenges of logins, and the confirmations of sessions, for the metrics.
import { isServerFault } from '../../../platform/problem/catalogue.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Metric } from '../../../platform/metric.ts';

const OUTCOMES = ['success', 'wrong', 'locked', 'refused', 'error'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The outcomes of reasons. All other refusals concern the challenge or the account: `refused`. */
const OUTCOME_OF: Readonly<Record<string, Outcome>> = {
  BAD_CREDENTIALS: 'wrong',
  SECOND_FACTOR_INVALID: 'wrong',
  ACCOUNT_LOCKED: 'locked',
  SECOND_FACTOR_LOCKED: 'locked',
};

interface Presented {
  readonly proof?: { readonly $case: string } | undefined;
}
type Handler<Input, Output, Call> = (request: Input, call: Call) => Promise<Output>;

/** Counts of one metric. */
export interface ProofCounts {
  /** Returns a handler that counts its calls. */
  counted<Input extends Presented, Output, Call>(handle: Handler<Input, Output, Call>): Handler<Input, Output, Call>;
  readonly metric: Metric;
}

export const createAnswerCounts = (): ProofCounts =>
  createProofCounts({
    name: 'second_factor_answers_total',
    help: 'Answers to challenges of logins, by the method of the second factor and by outcome.',
    methods: { totp: 'totp', recoveryCode: 'recovery-code', accessCode: 'access-code', passkey: 'passkey' },
  });

export const createConfirmationCounts = (): ProofCounts =>
  createProofCounts({
    name: 'session_confirmations_total',
    help: 'Confirmations of sessions, by the method and by outcome.',
    methods: { password: 'password', totp: 'totp', passkey: 'passkey' },
  });

/** @param metric.methods The label of each case of a proof. */
function createProofCounts(metric: {
  readonly name: string;
  readonly help: string;
  readonly methods: Readonly<Record<string, string>>;
}): ProofCounts {
  const { name, help, methods } = metric;
  // All combinations exist from the start, so that a first wrong proof is an increase.
  const samples = Object.values(methods).flatMap((method) =>
    OUTCOMES.map((outcome) => ({ labels: { method, outcome }, value: 0 })),
  );
  const count = ({ proof }: Presented, outcome: Outcome): void => {
    const method = proof && methods[proof.$case];
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
      name,
      help,
      type: 'counter',
      labelNames: ['method', 'outcome'],
      read: () => samples,
    },
  };
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ServiceError)) return 'error';
  const { reason } = error;
  return OUTCOME_OF[reason] ?? (isServerFault(reason) ? 'error' : 'refused');
}
