// The question before a command that ends or deletes something.
import { loadSettings } from '../src/platform/config/load.ts';
import { shownSettings } from '../src/platform/config/print.ts';
import type { Command, Input } from './command.ts';
import { targetOf } from './core/connect.ts';
import { givenCredential } from './core/connection-options.ts';
import { credentialsFile } from './core/credentials-file.ts';
import { EXIT } from './exit-codes.ts';
import { CommandFailure } from './failure.ts';
import { printable } from './terminal/escape.ts';

/** Returns if the caller has confirmed the command, or if it ends nothing. Asks a person once. */
export async function confirm({ ends, confirmedBy, uses }: Command, input: Input): Promise<void> {
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
