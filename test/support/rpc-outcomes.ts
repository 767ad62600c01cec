// Outcomes of calls to the core.
import { RpcError, type ErrorStatus } from '../../src/platform/rpc/errors/rpc-error.ts';

/** Returns the status of the RpcError that a call rejects with. Throws if it resolves, or rejects with another error. */
export async function refusal(call: Promise<unknown>): Promise<ErrorStatus> {
  const outcome = await call.then(
    (response) => new Error(`not refused: ${JSON.stringify(response)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof RpcError) return outcome.status;
  throw outcome;
}

/** Returns `OK`, or the reason of the error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'OK',
    (error: unknown) => {
      if (error instanceof RpcError) return error.status.reason;
      throw error;
    },
  );
}

/** Counts the calls by outcome. */
export function tally(outcomes: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...new Set(outcomes)].map((name) => [name, outcomes.filter((o) => o === name).length]));
}

/** Returns the violations of a call as `field: rule`. */
export async function violationsOf(call: Promise<unknown>): Promise<string[]> {
  const { reason, violations } = await refusal(call);
  if (reason !== 'VALIDATION_ERROR') throw new Error(`refused by ${reason}`);
  return violations.map(({ props, format }) => `${props?.join('.')}: ${format}`);
}
