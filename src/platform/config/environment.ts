import { EncodingError } from '../formats/strict-decoder.ts';
import type { Assignment, Problem } from './problem.ts';
import { environmentName, SETTING_NAMES } from './schema.ts';
import { suggestVariable } from './suggest.ts';

/** Reads a file as UTF-8 text; throws what node:fs throws. */
export type ReadFile = (path: string) => string;

/** The code of a node:fs error, or the place of bytes that are not UTF-8, for messages. */
export function errorCode(error: unknown): string {
  if (error instanceof EncodingError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}

/**
 * Reads variables such as `APP_HTTP_PORT`, or `APP_HTTP_PORT_FILE` for a value in a file. Unknown `APP_*` variables
 * only cause warnings.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>, readFile: ReadFile) {
  const assignments: Assignment[] = [];
  const problems: Problem[] = [];
  const known = new Set<string>();
  for (const name of SETTING_NAMES) {
    const variable = environmentName(name);
    const fileVariable = `${variable}_FILE`;
    known.add(variable).add(fileVariable);
    const value = env[variable];
    const file = env[fileVariable];
    if (value !== undefined) assignments.push({ name, raw: value, source: `environment ${variable}` });
    if (file === undefined) continue;
    const source = `environment ${fileVariable}`;
    if (value !== undefined)
      problems.push({ name, source, message: `${variable} is set too; set only one of the two` });
    try {
      assignments.push({ name, raw: readFile(file).replace(/\r?\n$/, ''), source });
    } catch (error) {
      problems.push({
        name,
        source,
        message: `cannot read the file (${errorCode(error)}); give the path of a readable file in UTF-8`,
      });
    }
  }
  const warnings = Object.keys(env)
    .filter((variable) => variable.startsWith('APP_') && !known.has(variable))
    .toSorted()
    .map(
      (variable) => `The environment variable ${variable} is not a setting and is ignored${suggestVariable(variable)}`,
    );
  return { assignments, problems, warnings };
}
