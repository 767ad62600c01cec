// Settings: reading, checking and documenting them. This folder does not use the database.
// The last source with a value wins: defaults, then the YAML file, then the environment, then flags.
import { resolve } from 'node:path';
import { advise, adviseOnFlags } from './advice.ts';
import { crossCheck, type Origins, type Role } from './cross-checks.ts';
import { errorCode, readEnvironment, type ReadFile } from './environment.ts';
import { CONFIG_FLAG, readFlags } from './flags.ts';
import { REFUSED, type Raw } from './kinds.ts';
import { ConfigurationError, type Assignment, type Problem, type SourceReading } from './problem.ts';
import { SETTING_NAMES, settingOf, type SettingName } from './schema.ts';
import { readText } from '../read-text.ts';
import type { Basis, Given } from './setting.ts';
import type { Settings } from './settings.ts';
import { readYaml } from './yaml-file.ts';

export { ConfigurationError } from './problem.ts';
export type { Problem } from './problem.ts';
export type { Origins, Role } from './cross-checks.ts';

export interface LoadInput {
  /** The arguments after the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder to which the paths of the configuration file and of `…_FILE` variables are relative. */
  readonly cwd: string;
  /** The role of this process. Default: `all`, which counts as `gateway` if app.gateway.core is not `local`. */
  readonly role?: Role;
  /** Whether the process serves, so that there are warnings about unsafe settings. Default: true. */
  readonly serves?: boolean;
  /** Reads a file as UTF-8 text. Default: from the disk. */
  readonly readFile?: ReadFile;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly origins: Origins;
  /** Warnings to log once at the start. */
  readonly warnings: readonly string[];
}

const ASSUMED = 'app.env is not set, so it is PROD. For the service that npm run dev starts, give --app.env=DEV';

const DEFAULT_FILE = 'application.yaml';

function readConfigFile(file: string, given: boolean, readFile: ReadFile): SourceReading {
  try {
    return readYaml(readFile(file), file);
  } catch (error) {
    const code = errorCode(error);
    if (!given && code === 'ENOENT') return { assignments: [], problems: [] };
    const message = `cannot be read (${code}); give the path of a readable YAML file in UTF-8`;
    return {
      assignments: [],
      problems: [{ name: file, source: given ? 'flag --config' : 'the default file', message }],
    };
  }
}

/** Node replaces bytes of arguments and environment variables that are not UTF-8. */
const isDamaged = (raw: Raw): boolean => String(raw).includes('\uFFFD');
const DAMAGED = 'contains U+FFFD, which replaces bytes that are not UTF-8; give it in UTF-8';

/** Returns the last valid value of each setting, and a problem for every invalid value, even if it is overridden. */
function evaluate(assignments: readonly Assignment[]) {
  const values = new Map<SettingName, { value: unknown; source: string }>();
  const problems: Problem[] = [];
  for (const { name, raw, source } of assignments) {
    const { kind } = settingOf(name);
    const value = kind.parse(raw);
    if (isDamaged(raw)) problems.push({ name, source, message: DAMAGED });
    else if (value === REFUSED) problems.push({ name, source, message: `not accepted; give ${kind.accepts}` });
    else values.set(name, { value, source });
  }
  return { values, problems };
}

/** Returns the values of all settings, and defaults where there is none. A default can depend on other settings' values. */
function withDefaults(values: ReadonlyMap<SettingName, { readonly value: unknown }>): Settings {
  const valueOf = (name: SettingName): unknown => {
    const { kind, default: fallback } = settingOf(name);
    if (values.has(name)) return values.get(name)!.value;
    return typeof fallback === 'string' ? kind.parse(fallback) : fallback.of(basis, given);
  };
  const given: Given = Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
  const basis = new Proxy({}, { get: (_, name) => valueOf(name as SettingName) }) as Basis;
  return Object.freeze(Object.fromEntries(SETTING_NAMES.map((name) => [name, valueOf(name)]))) as Settings;
}

/**
 * Returns the effective settings of a process.
 * @throws ConfigurationError with all problems at once.
 */
export function loadSettings(input: LoadInput): LoadedSettings {
  const readFile: ReadFile = (path) => (input.readFile ?? readText)(resolve(input.cwd, path));
  const flags = readFlags(input.argv);
  const fileName = flags.configFile ?? DEFAULT_FILE;
  const file = readConfigFile(fileName, flags.configFile !== undefined, readFile);
  const environment = readEnvironment(input.env, readFile);
  const { values, problems: refused } = evaluate([file, environment, flags].flatMap((reading) => reading.assignments));

  const settings = withDefaults(values);
  const origins = Object.freeze(
    Object.fromEntries(SETTING_NAMES.map((name) => [name, values.get(name)?.source ?? 'default'])),
  ) as Origins;

  const own = [...file.problems, ...environment.problems, ...flags.problems, ...refused];
  const asked = input.role ?? 'all';
  const role = asked === 'all' && settings['app.gateway.core'] !== 'local' ? 'gateway' : asked;
  const wrong = new Set(own.map((problem) => problem.name));
  // If the file cannot be read, its settings must not be reported as missing.
  const unread = wrong.has(fileName) || wrong.has(CONFIG_FLAG);
  const crossChecked = crossCheck(settings, origins, role, wrong);
  const problems = unread ? own : [...own, ...crossChecked.problems];
  const isAssumed = crossChecked.dependsOnEnvironment && origins['app.env'] === 'default';
  if (problems.length > 0) throw new ConfigurationError(problems, !unread && isAssumed ? ASSUMED : undefined);
  const advice = input.serves === false ? [] : advise(settings, role);
  return { settings, origins, warnings: [...environment.warnings, ...adviseOnFlags(flags.assignments), ...advice] };
}
