// Commands as data: program.ts makes the parser, the help, the completion and the reference page from them.
import { resolve } from 'node:path';
import { parseDuration } from '../src/platform/config/kinds.ts';
import type { Core } from './core/core.ts';
import { EXIT, CommandFailure } from './failure.ts';
import type { Result } from './terminal/render.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The name of the program, as package.json declares it in `bin`. */
export const PROGRAM = 'authservice';

/** One command of the program. */
export interface Command {
  /** Its words: `user create`. */
  readonly name: string;
  readonly summary: string;
  /** `core`: calls a core, over gRPC or with --local. `remote`: over gRPC only. `settings`: takes settings as flags. Default: `core`. */
  readonly uses?: 'core' | 'remote' | 'settings' | 'nothing';
  /** By their notation, `<user>` or `[file]`. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** By their notation, `--tenant <id>` or `--yes`. A notation with `...` can be repeated. */
  readonly options?: Readonly<Record<string, string>>;
  /** The sessions or records that the command ends or deletes, as a text after `This`. A person is asked before it runs. Undefined if it ends nothing. */
  ends?(values: Values): string | undefined;
  /** The argument whose value confirms the command, because nothing can be restored. Default: --yes confirms it. */
  readonly confirmedBy?: string;
  /** Further help, shown after the options. A line is a paragraph. */
  readonly notes?: string;
  /** Returns what to print, or the exit code if it has printed the result. */
  run(input: Input): Promise<Result | number>;
}

/** The input of a command. */
export interface Input {
  readonly values: Values;
  readonly terminal: Terminal;
  /** Settings given as flags: `--config=FILE`, `--app.NAME=VALUE`. */
  readonly settingFlags: readonly string[];
  readonly json: boolean;
  /** Connects at the first use. Closed after the command. */
  core(): Promise<Core>;
}

/** Arguments and options by their names in camel case. */
export class Values {
  readonly all: Readonly<Record<string, unknown>>;

  readonly #folder: string;

  /** Relative paths among the values are those of the folder. */
  constructor(all: Readonly<Record<string, unknown>>, folder: string) {
    this.all = all;
    this.#folder = folder;
  }

  /** Returns the values with these changes. */
  with(changes: Readonly<Record<string, unknown>>): Values {
    return new Values({ ...this.all, ...changes }, this.#folder);
  }

  text(name: string): string | undefined {
    return this.all[name] as string | undefined;
  }

  /** An argument that the parser has required. */
  required(name: string): string {
    return this.text(name)!;
  }

  /** An absolute path. */
  path(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : resolve(this.#folder, text);
  }

  /** The absolute path of an argument that the parser has required. */
  requiredPath(name: string): string {
    return this.path(name)!;
  }

  flag(name: string): boolean {
    return this.all[name] === true;
  }

  list(name: string): string[] {
    return [...((this.all[name] as readonly string[] | undefined) ?? [])];
  }

  /** A point in time: ISO 8601, or a duration from now such as `30d`. */
  time(name: string): Date | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const ms = parseDuration(text);
    const time = new Date(ms === undefined ? text : Date.now() + ms);
    if (Number.isNaN(time.getTime())) throw invalid(name, 'a time such as 2027-01-31T12:00:00Z, or 30d from now');
    return time;
  }

  count(name: string, byDefault: number): number {
    const text = this.text(name);
    if (text === undefined) return byDefault;
    if (!/^\d{1,9}$/.test(text)) throw invalid(name, 'a number from 0');
    return Number(text);
  }

  /** A duration in milliseconds. */
  duration(name: string, byDefaultMs: number): number {
    const text = this.text(name);
    const ms = text === undefined ? byDefaultMs : parseDuration(text);
    if (ms === undefined || ms === 0) throw invalid(name, 'a duration such as 30s or 5m');
    return ms;
  }

  /** One of some names, in any case. */
  choice<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
    const text = this.text(name)?.toUpperCase();
    const found = names.find((one) => one === text);
    if (text !== undefined && found === undefined) throw invalid(name, names.join(', '));
    return found;
  }
}

function invalid(name: string, accepted: string): CommandFailure {
  const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return new CommandFailure(`--${option}: give ${accepted}`, EXIT.usage);
}
