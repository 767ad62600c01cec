import { CommanderError } from 'commander';
import { Values, type Command, type Input } from './command.ts';
import type { Core } from './core/core.ts';
import { connectCore, targetOf } from './core/connect.ts';
import { EXIT, failureOf, type Failure, CommandFailure } from './failure.ts';
import { createProgram, parserMessage } from './program.ts';
import { withEscapedOutput, printable, type Terminal } from './terminal/terminal.ts';
import { render } from './terminal/render.ts';
import { loadSettings } from '../src/platform/config/load.ts';
import { shownSettings } from '../src/platform/config/print.ts';
import { givenCredential } from './core/connection-options.ts';
import { credentialsFile } from './core/credentials-file.ts';
import { resolve } from 'node:path';

/** Runs the program with the arguments after its name. Returns the exit code. Rejects never. */
export async function run(argv: readonly string[], rawTerminal: Terminal): Promise<number> {
  const terminal = withEscapedOutput(rawTerminal);
  if (argv[0] === 'complete') return (await import('./completion.ts')).printCompletions(argv.slice(1), terminal);
  // Node replaces bytes of arguments that are not UTF-8.
  const damaged = argv.findIndex((argument) => argument.includes('\uFFFD'));
  if (damaged !== -1)
    return fail(
      {
        exitCode: EXIT.usage,
        message: `argument ${damaged + 1} contains U+FFFD, which replaces bytes that are not UTF-8`,
      },
      argv.includes('--json'),
      terminal,
    );
  const { settingFlags, others } = splitSettingFlags(argv, terminal.callerFolder);
  let json = argv.includes('--json');
  let exitCode: number = EXIT.done;
  const program = createProgram(terminal, async (command, values, asJson) => {
    json = asJson;
    exitCode = await runCommand(command, {
      values: new Values(values, terminal.callerFolder),
      settingFlags,
      json,
      terminal,
    });
  });
  try {
    await program.parseAsync(others, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail(failureOf(error), json, terminal);
    const message = parserMessage(error);
    return message === undefined ? EXIT.done : fail({ exitCode: EXIT.usage, message }, json, terminal);
  }
}

async function runCommand(command: Command, known: Omit<Input, 'core'>): Promise<number> {
  const { json, terminal } = known;
  let opening: Promise<Core> | undefined;
  const input: Input = { ...known, core: () => (opening ??= connectCore(input)) };
  try {
    await confirm(command, input);
    const result = await command.run(input);
    if (typeof result === 'number') return result;
    const { text, notes } = render(result, json, terminal.columns);
    terminal.out(text);
    for (const note of notes) terminal.error(`${note}\n`);
    return result.failed === true ? EXIT.failed : EXIT.done;
  } catch (error) {
    if (terminal.signal.aborted) return fail({ exitCode: EXIT.interrupted, message: 'interrupted' }, json, terminal);
    throw error;
  } finally {
    await opening?.then(
      (core) => core.close(),
      () => undefined,
    );
  }
}

function fail({ exitCode, ...error }: Failure, json: boolean, terminal: Terminal): number {
  if (json) terminal.error(`${JSON.stringify({ error: { ...error, exitCode } })}\n`);
  else terminal.error(`${error.message}\n`);
  return exitCode;
}

/** Returns if the caller has confirmed the command, or if it ends nothing. Asks a person once. */
async function confirm({ ends, confirmedBy, uses }: Command, input: Input): Promise<void> {
  const { values, terminal } = input;
  const text = ends?.(values);
  if (text === undefined) return;
  const name = confirmedBy === undefined ? undefined : values.required(confirmedBy);
  const given = name === undefined ? values.flag('yes') : values.text('confirm') === name;
  if (given) return;
  const flag = name === undefined ? '--yes' : `--confirm ${name}`;
  const place = values.flag('local') || uses === 'settings' ? databaseOf(input) : coreOf(input);
  const request = name === undefined ? 'Continue? (y/N)' : `Nothing can be restored. Type ${name} to continue:`;
  const question = [`This ${text}.`, place, request].map(printable).join('\n');
  const answer = values.text('confirm') === undefined ? await terminal.ask(`${question} `) : undefined;
  if (answer === undefined) throw new CommandFailure(`this ${text}; confirm with ${flag}`, EXIT.usage);
  const accepted = name === undefined ? /^y(es)?$/i.test(answer.trim()) : answer.trim() === name;
  if (!accepted) throw new CommandFailure('not confirmed, nothing was changed');
}

function coreOf(input: Input): string {
  const { core } = targetOf(input);
  const given = givenCredential(input.terminal);
  if (given !== undefined) return `Core: ${core}, as the account of ${given.variable}`;
  const login = credentialsFile(input.terminal).find(core);
  return login === undefined ? `Core: ${core}, without a login` : `Core: ${core}, as ${login.username}`;
}

function databaseOf({ settingFlags, terminal: { env, cwd } }: Input): string {
  const shown = shownSettings(loadSettings({ argv: settingFlags, env, cwd, role: 'command' }));
  const url = shown.find(({ name }) => name === 'app.database.url')!.value;
  return `Database: ${url}, as the operator of this machine`;
}

const CONFIG = '--config';

/**
 * Separates the flags of settings from other arguments and keeps the order. All arguments after `--` are others. The path
 * of `--config` becomes absolute; a relative one is that of the folder.
 */
function splitSettingFlags(argv: readonly string[], folder: string): { settingFlags: string[]; others: string[] } {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const settingFlags: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < end; index += 1) {
    const argument = argv[index]!;
    if (argument.startsWith(`${CONFIG}=`)) settingFlags.push(configFlag(argument.slice(CONFIG.length + 1), folder));
    else if (argument === CONFIG && hasValue(argv[index + 1]))
      settingFlags.push(configFlag(argv[(index += 1)]!, folder));
    else if (argument === CONFIG || argument.startsWith('--app.')) settingFlags.push(argument);
    else others.push(argument);
  }
  return { settingFlags, others: [...others, ...argv.slice(end)] };
}

function hasValue(next: string | undefined): boolean {
  return next !== undefined && !next.startsWith('--');
}

function configFlag(path: string, folder: string): string {
  return `${CONFIG}=${path === '' ? '' : resolve(folder, path)}`;
}
