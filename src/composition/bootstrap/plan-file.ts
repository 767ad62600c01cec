// Reads a bootstrap file and reports all problems at once. Messages never show values, or texts that may be values.
import { stat } from 'node:fs/promises';
import { Settings as TypeBox } from 'typebox/system';
import { Value } from 'typebox/value';
import { parseDocument } from 'yaml';
import { safeName } from '../../platform/config/problem.ts';
import { EncodingError } from '../../platform/formats/strict-decoder.ts';
import { readText } from '../../platform/read-text.ts';
import { SettingError } from '../../platform/setting-error.ts';
import { canonicalUsername } from '../../auth/identity/login-name.ts';
import { parseDomainName } from '../../platform/formats/names.ts';
import { BootstrapPlan } from './plan.ts';
import { plannedAccounts } from './planned-accounts.ts';
import { plannedApplications } from './planned-applications.ts';

const MAX_PROBLEMS = 1_000;
/** Read permission of the group and of other users. */
const READABLE_BY_OTHERS = 0o044;
// Maximum number of aliases. A file with more tries to exhaust the memory.
const MAX_ALIASES = 100;

export interface BootstrapFile {
  readonly plan: BootstrapPlan;
  /** Whether it contains passwords or client secrets. */
  readonly hasSecrets: boolean;
  /** Whether other users of the machine may read it. */
  readonly isReadableByOthers: boolean;
}

/** Reads a file. Rejects with an error that lists every problem with its place. */
export async function readBootstrapPlan(path: string): Promise<BootstrapFile> {
  const { text, mode } = await readPlan(path);
  const { plan: parsed, problems } = parse(text);
  if (problems.length === 0) problems.push(...schemaProblems(parsed), ...duplicates(parsed));
  if (problems.length === 0) {
    const plan = parsed as BootstrapPlan;
    const hasSecrets =
      plannedAccounts(plan).some(({ password, secret }) => (password ?? secret) !== undefined) ||
      plannedApplications(plan).some(({ application }) => application.clientSecret !== undefined);
    return { plan, hasSecrets, isReadableByOthers: (mode & READABLE_BY_OTHERS) !== 0 };
  }
  throw new SettingError(
    `app.bootstrap.file ${path} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
}

async function readPlan(path: string): Promise<{ readonly text: string; readonly mode: number }> {
  try {
    const { mode } = await stat(path);
    return { text: readText(path), mode };
  } catch (error) {
    const reason = error instanceof EncodingError ? error.message : (error as NodeJS.ErrnoException).code;
    throw new SettingError(
      `app.bootstrap.file ${path} cannot be read (${reason}); give the path of a YAML file in UTF-8`,
      {
        cause: error,
      },
    );
  }
}

function parse(text: string): { plan?: unknown; problems: string[] } {
  const document = parseDocument(text, { uniqueKeys: true });
  const problems = document.errors.map(
    ({ code, linePos }) => `line ${linePos?.[0].line ?? '?'}: ${code.toLowerCase().replaceAll('_', ' ')}`,
  );
  if (problems.length > 0) return { problems };
  try {
    return { plan: document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}, problems };
  } catch {
    return { problems: ['it has too many aliases, or an alias without an anchor'] };
  }
}

function schemaProblems(plan: unknown): string[] {
  TypeBox.Set({ maxErrors: MAX_PROBLEMS });
  return Value.Errors(BootstrapPlan, plan).flatMap((error) => {
    const place = error.instancePath || '/';
    // Reported again below, by the object with the unknown key.
    if (error.keyword === 'boolean') return [];
    if (error.keyword === 'additionalProperties') {
      return error.params.additionalProperties.map((key) => `${place}: the key ${safeName(key)} is unknown`);
    }
    if (error.keyword === 'enum') return [`${place}: must be one of ${error.params.allowedValues.join(', ')}`];
    return [`${place}: ${error.message}`];
  });
}

/** Finds usernames, client ids and tenant ids that are given twice. The plan may have other errors as well. */
function duplicates(plan: unknown): string[] {
  const tenants = items(plan, 'tenants', '');
  const accounts = [
    ...items(plan, 'superAdmins', '').map((item) => named(item, 'username')),
    ...items(plan, 'serviceAccounts', '').map((item) => named(item, 'clientId')),
    ...items(plan, 'applications', '').map((item) => named(item, 'clientId')),
    ...tenants.flatMap((tenant) => [
      ...items(tenant.value, 'users', tenant.place).map((item) => named(item, 'username')),
      ...items(tenant.value, 'serviceAccounts', tenant.place).map((item) => named(item, 'clientId')),
      ...items(tenant.value, 'applications', tenant.place).map((item) => named(item, 'clientId')),
    ]),
  ].map(({ place, name }) => ({ place, name: name === undefined ? undefined : canonicalUsername(name) }));
  const domains = tenants.flatMap((tenant) =>
    items(tenant.value, 'loginDomains', tenant.place).map(({ place, value }) => ({
      place,
      name: typeof value === 'string' ? parseDomainName(value) : undefined,
    })),
  );
  const lists = [{ place: '', value: plan }, ...tenants].map((parent) => items(parent.value, 'roles', parent.place));
  return [
    ...lists.flatMap((roles) =>
      twice(roles.map((item) => named(item, 'name'))).map((place) => `${place}: the role is given twice`),
    ),
    ...twice(domains).map((place) => `${place}: the login domain is given twice; it has one owner`),
    ...twice(tenants.map((item) => named(item, 'id'))).map((place) => `${place}: the tenant is given twice`),
    ...twice(accounts).map(
      (place) => `${place}: is given twice; usernames and client ids are unique across all tenants`,
    ),
  ];
}

interface Item {
  readonly place: string;
  readonly value: unknown;
}

function items(parent: unknown, key: string, place: string): Item[] {
  const list = member(parent, key);
  return Array.isArray(list) ? list.map((value: unknown, index) => ({ place: `${place}/${key}/${index}`, value })) : [];
}

function named({ place, value }: Item, key: string): { place: string; name: string | undefined } {
  const name = member(value, key);
  return { place: `${place}/${key}`, name: typeof name === 'string' ? name : undefined };
}

function member(parent: unknown, key: string): unknown {
  return typeof parent === 'object' && parent !== null ? (parent as Record<string, unknown>)[key] : undefined;
}

/** Returns the places of names that occurred before. */
function twice(names: readonly { place: string; name: string | undefined }[]): string[] {
  const seen = new Set<string>();
  return names.flatMap(({ place, name }) => {
    if (name === undefined) return [];
    if (seen.has(name)) return [place];
    seen.add(name);
    return [];
  });
}
