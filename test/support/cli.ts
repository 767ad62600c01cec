// The command line in the test's process.
import { run } from '../../cli/run.ts';
import { environmentName, type SettingName } from '../../src/platform/config/schema.ts';
import { TEST_SETTINGS } from './deployment.ts';
import { emptyFolder } from './service-process.ts';

/** The environment of an operator, with the settings of all test deployments. */
export function operatorEnv(databaseUrl: string): Record<string, string> {
  const settings = Object.entries({ ...TEST_SETTINGS, 'app.database.url': databaseUrl });
  return Object.fromEntries(settings.map(([name, value]) => [environmentName(name as SettingName), value]));
}

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The answers to the questions for secrets, in order. A function gives an answer that depends on earlier output. */
  readonly secrets?: readonly (string | (() => string))[];
  /** The answers of a person to other questions, in order. Default: no person is there. */
  readonly answers?: readonly string[];
  /** Width of a terminal. Default: the output is not a terminal. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Runs instead of waiting. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Receives standard output as it is written. */
  readonly out?: (text: string) => void;
  /** Receives standard error as it is written. */
  readonly error?: (text: string) => void;
}

/** Runs the program with these arguments. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { env = {}, cwd = emptyFolder(), secrets = [], signal = new AbortController().signal } = options;
  const responses = [...secrets];
  const answers = options.answers && [...options.answers];
  let out = '';
  let error = '';
  const code = await run(args, {
    env,
    cwd,
    signal,
    callerFolder: cwd,
    columns: options.columns,
    out(text) {
      out += text;
      options.out?.(text);
    },
    error(text) {
      error += text;
      options.error?.(text);
    },
    async ask(question) {
      if (answers === undefined) return undefined;
      error += question;
      return answers.shift() ?? '';
    },
    wait: options.wait ?? (async () => undefined),
    startProgress: () => ({ update: () => undefined, stop: () => undefined }),
    async readSecret(prompt) {
      const response = responses.shift();
      if (response === undefined) throw new Error(`no response to: ${prompt}`);
      return typeof response === 'function' ? response() : response;
    },
  });
  return { code, out, error };
}
