// A step that creates records for the check, and its requests.
import type { HttpResponse } from './http.ts';
import type { Party } from './party.ts';
import type { PartialRecords } from './records.ts';

/** The result of a step. */
export interface StepResult {
  readonly records: PartialRecords;
  /** Deletes the records. Returns a description of a remaining record, or undefined. */
  readonly undo?: () => Promise<string | undefined>;
}

/**
 * Creates records with the help of existing ones. Rejects with StepSkippedError if the deployment or the account does not allow
 * it.
 */
export type Step = (party: Party, known: PartialRecords) => Promise<StepResult>;

/** The deployment does not serve the operation, or the account is not permitted to call it. */
export class StepSkippedError extends Error {
  override readonly name = 'StepSkippedError';
}

/**
 * Sends a request and returns the response body. Rejects with StepSkippedError for 403 and 404, with Error for other failures.
 */
export async function request(
  { http, target }: Party,
  method: string,
  path: string,
  body?: unknown,
): Promise<any> /* The response type of the route. */ {
  const json = body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return bodyOf(`${method} ${path}`, await http({ method, path: target.apiRoot + path, ...json }));
}

/** Returns the body of a response. Throws StepSkippedError for 403 and 404, Error for other failures. */
export function bodyOf(name: string, { status, outcome, text, body }: HttpResponse): any {
  if (status === 403 || status === 404) throw new StepSkippedError(`${name}: ${outcome}`);
  if (status >= 300) throw new Error(`${name}: ${outcome} ${text}`);
  return body;
}
