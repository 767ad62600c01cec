// One step of making records.
import type { HttpAnswer } from './http.ts';
import type { Party } from './party.ts';
import type { Known } from './records.ts';

/** What a step leaves behind it. */
export interface Made {
  readonly records: Known;
  /** Removes the records; returns what stays of them, for a person. */
  readonly undo?: () => Promise<string | undefined>;
}

/** Makes records of some kinds, with the help of those that are there. Rejects with NotMadeError where that is not allowed. */
export type Step = (party: Party, known: Known) => Promise<Made>;

/** The deployment does not have the operation, or the account may not use it. */
export class NotMadeError extends Error {
  override readonly name = 'NotMadeError';
}

/** Sends a request of a step; the body of its answer. Rejects with NotMadeError where the route or the right is missing. */
export async function request(
  { http, target }: Party,
  method: string,
  path: string,
  body?: unknown,
): Promise<any> /* Whatever the route answers with. */ {
  const json = body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return bodyOf(`${method} ${path}`, await http({ method, path: target.apiRoot + path, ...json }));
}

/** The body of a step's answer; throws as `request` rejects. */
export function bodyOf(name: string, { status, outcome, text, body }: HttpAnswer): any {
  if (status === 403 || status === 404) throw new NotMadeError(`${name}: ${outcome}`);
  if (status >= 300) throw new Error(`${name}: ${outcome} ${text}`);
  return body;
}
