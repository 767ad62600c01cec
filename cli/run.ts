import { CommanderError } from 'commander';
import { confirm } from './confirm.ts';
import { Values, type Command, type Input } from './command.ts';
import type { Core } from './core/core.ts';
import { connectCore } from './core/connect.ts';
import { EXIT } from './exit-codes.ts';
import { failureOf, type Failure } from './failure.ts';
import { createProgram, parserMessage } from './program.ts';
import { splitSettingFlags } from './settings-flags.ts';
import { withEscapedOutput } from './terminal/escape.ts';
import { render } from './terminal/render.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Runs the program with the arguments after its name. Returns the exit code. Rejects never. */
export async function run(argv: readonly string[], rawTerminal: Terminal): Promise<number> {
  const terminal = withEscapedOutput(rawTerminal);
  if (argv[0] === 'complete') return (await import('./completion.ts')).printCompletions(argv.slice(1), terminal);
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
    return EXIT.done;
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
