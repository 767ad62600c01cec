// What became of a call to the core.
import { RpcError, type ErrorStatus } from '../../src/rpc/errors/rpc-error.ts';

/** The status of the RpcError that a call rejects with. Throws if it resolves, or rejects with another error. */
export async function refusal(call: Promise<unknown>): Promise<ErrorStatus> {
  const outcome = await call.then(
    (response) => new Error(`not refused: ${JSON.stringify(response)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof RpcError) return outcome.status;
  throw outcome;
}

/** `OK`, or the reason of the refusal. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'OK',
    (error: unknown) => {
      if (error instanceof RpcError) return error.status.reason;
      throw error;
    },
  );
}

/** How often each outcome came. */
export function tally(outcomes: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...new Set(outcomes)].map((name) => [name, outcomes.filter((o) => o === name).length]));
}

/** Fields of the request that broke a rule, as `field: rule`. */
export async function violationsOf(call: Promise<unknown>): Promise<string[]> {
  const { reason, violations } = await refusal(call);
  if (reason !== 'VALIDATION_ERROR') throw new Error(`refused by ${reason}`);
  return violations.map(({ props, format }) => `${props?.join('.')}: ${format}`);
}
