import { type Assignment, type Problem, safeName } from './problem.ts';
import { isSettingName } from './schema.ts';
import { suggestKey } from './suggest.ts';

export const CONFIG_FLAG = '--config';

/** Reads `--app.x.y=value`, `--config=FILE` and `--config FILE`. The last `--config` wins. */
export function readFlags(argv: readonly string[]) {
  const assignments: Assignment[] = [];
  const problems: Problem[] = [];
  let configFile: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index]!;
    const equals = argument.indexOf('=');
    const flag = equals < 0 ? argument : argument.slice(0, equals);
    const next = argv[index + 1];
    const valueFollows = equals < 0 && next !== undefined && !next.startsWith('--');
    const name = flag.slice(2);
    const known = flag.startsWith('--') && isSettingName(name);
    const source = known ? `flag ${flag}` : `argument ${index + 1}`;

    if (known && equals >= 0) {
      assignments.push({ name, raw: argument.slice(equals + 1), source });
    } else if (known) {
      problems.push({ name, source, message: `needs its value in the same argument: ${flag}=VALUE` });
    } else if (flag === CONFIG_FLAG) {
      const file = equals >= 0 ? argument.slice(equals + 1) : valueFollows ? next : '';
      if (file === '') {
        problems.push({ name: CONFIG_FLAG, source, message: 'needs the path of a YAML file: --config=FILE' });
      } else configFile = file;
    } else if (flag.startsWith('--')) {
      problems.push({ name: safeName(flag), source, message: `no such flag${suggestKey(name)}` });
    } else {
      // The message does not repeat the argument. It may be a secret that a space has separated from its flag.
      problems.push({ name: 'argument', source, message: 'not a flag; give --app.NAME=VALUE or --config=FILE' });
    }
    if ((known || flag === CONFIG_FLAG) && valueFollows) index += 1;
  }
  return { assignments, problems, configFile };
}
