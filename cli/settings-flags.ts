import { resolve } from 'node:path';

const CONFIG = '--config';

/**
 * Separates the flags of settings from other arguments and keeps the order. All arguments after `--` are others. The path
 * of `--config` becomes absolute; a relative one is that of the folder.
 */
export function splitSettingFlags(
  argv: readonly string[],
  folder: string,
): { settingFlags: string[]; others: string[] } {
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
