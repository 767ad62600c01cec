// The test stand. The service and its limits run on CPU core 0, the load generator and the database on CPU core 1.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../src/platform/db/types.ts';
import type { Side } from './compare.ts';
import { SERVER_CORE, LOAD_CORE, startProgram, type Program } from './program.ts';
import type { Session } from './seed.ts';
import { loadByWrk, type Load, type RequestFormat } from './wrk.ts';

export const ENGINES = ['mariadb', 'sqlite'] as const;
export type Engine = (typeof ENGINES)[number];

export interface Stoppable {
  stop(): Promise<void>;
}

/** The service on one engine, its database, and the programs that it is compared with. */
export interface Stand {
  readonly engine: Engine;
  /** Connections of the load generator. */
  readonly connections: number;
  readonly service: Program;
  readonly database: Database;
  /** URL of the service's database, for other programs. */
  readonly databaseUrl: string;
  /** Sessions, each with its own account, valid as long as the stand. */
  readonly sessions: readonly Session[];
  /** Hand-written versions of the endpoints on the same database: see by-hand/server.ts. */
  readonly byHand: Program;
  /** Number of rows of the large tables, as a share of the full size. */
  readonly scale: number;
  /** Whether a row with this title will be measured. Rows with a long preparation ask before it. */
  wants(row: { readonly title: string; readonly floor?: number }): boolean;
  /** Starts something that ends after the comparisons or figures of its file. */
  start<Started extends Stoppable>(starting: Promise<Started>): Promise<Started>;
}

/** Starts a script of this folder that prints its URL. */
export function startNode(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return startProgram({
    core: SERVER_CORE,
    env,
    command: () => [process.execPath, path, ...args],
    urlIn: (line) => /^http:\S+$/.exec(line)?.[0],
  });
}

/** The load of a side: one request per line of a file. */
export interface Requests {
  readonly path: string;
  readonly format: RequestFormat;
  readonly lines: readonly string[];
  readonly connections: number;
  /** See LoadOptions. */
  readonly mayFail?: boolean;
}

let inputFiles = 0;

/** Creates a side that wrk puts load on. */
export function wrkSide(name: string, { pid, url, directory }: Program, requests: Requests): Side {
  const { path, format, lines, connections, mayFail = false } = requests;
  const inputFile = join(directory, `${format}-${path.replaceAll(/\W+/g, '-')}-${lines.length}-${inputFiles++}`);
  writeFileSync(inputFile, lines.map((line) => `${line}\n`).join(''));
  return {
    name,
    pid,
    load: (seconds) =>
      loadByWrk({ core: LOAD_CORE, connections, seconds, url: url + path, format, inputFile, mayFail }),
  };
}

/** Returns the body of a successful response. Throws for other responses. */
export async function sample(url: string, options: RequestInit = {}): Promise<string> {
  const response = await fetch(url, options);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}: ${text}`);
  return text;
}

/** Throws unless two programs return the same response. A program that does less would not be comparable. */
export async function assertSameResponse(
  path: string,
  options: RequestInit,
  programs: readonly Program[],
): Promise<string> {
  const [first, ...others] = await Promise.all(programs.map(({ url }) => sample(url + path, options)));
  for (const other of others) {
    if (!isDeepStrictEqual(JSON.parse(other), JSON.parse(first!)))
      throw new Error(`${path} is answered differently:\n${first}\n${other}`);
  }
  return first!;
}

/** Asks a program to run its own load, and returns the result. */
export async function runOnRequest(url: string, seconds: number): Promise<Load> {
  const response = await fetch(`${url}?seconds=${seconds}`);
  if (response.status !== 200) throw new Error(`${url}: ${await response.text()}`);
  return (await response.json()) as Load;
}
