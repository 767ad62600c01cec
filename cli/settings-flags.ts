/** Separates the flags of settings from other arguments and keeps the order. All arguments after `--` are others. */
export function splitSettingFlags(argv: readonly string[]): { settingFlags: string[]; others: string[] } {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const settingFlags: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < end; index += 1) {
    const argument = argv[index]!;
    const isConfig = argument === '--config';
    (isConfig || /^--(?:config=|app\.)/.test(argument) ? settingFlags : others).push(argument);
    if (isConfig && index + 1 < end) settingFlags.push(argv[(index += 1)]!);
  }
  return { settingFlags, others: [...others, ...argv.slice(end)] };
}
