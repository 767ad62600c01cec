// Writes the settings into values.schema.json of the Helm chart, so that Helm refuses unknown and misplaced ones. The rest of the file
// is written by hand. With --check, it writes nothing and fails if the file differs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES, settingOf } from '../src/platform/config/schema.ts';
import type { SettingName } from '../src/platform/config/schema.ts';
import type { Owner } from '../src/platform/config/setting.ts';
import { writePage } from './write-page.ts';

const FILE = 'deploy/helm/authservice/values.schema.json';

/** The templates set these, because objects of Kubernetes must match them. */
const SET_BY_CHART =
  /^app\.(?:(?:http|management|rpc)\.(?:host|port)|http\.context-path|public-url|process\.drain-delay|shutdown-grace|bootstrap\.file|gateway\..*|rpc\.(?:enabled|plaintext|tls\..*|trusted-gateways))$/;

/** Of the settings that may contain a secret, these have values without one. Only those can be in a ConfigMap. */
const WITHOUT_SECRET: readonly string[] = ['none', 'memory', 'database'];
const isStore = (name: SettingName): boolean => name.endsWith('.rate-limit.store');

interface ValueSchema {
  readonly description: string;
  readonly $ref?: string;
  readonly enum?: readonly string[];
}

function settingsOf(...owners: readonly Owner[]): object {
  const names = SETTING_NAMES.filter((name) => owners.includes(settingOf(name).owner) && !SET_BY_CHART.test(name));
  const entries = names
    .filter((name) => !settingOf(name).secret || isStore(name))
    .map((name) => [name, schemaOf(name)]);
  return mapOf(Object.fromEntries(entries));
}

function schemaOf(name: SettingName): ValueSchema {
  const description = settingOf(name).doc;
  return isStore(name) ? { description, enum: WITHOUT_SECRET } : { description, $ref: '#/$defs/setting' };
}

function secretFiles(): object {
  const names = SETTING_NAMES.filter((name) => settingOf(name).secret);
  return mapOf(
    Object.fromEntries(names.map((name) => [name, { description: settingOf(name).doc, $ref: '#/$defs/file' }])),
  );
}

const mapOf = (properties: Readonly<Record<string, ValueSchema>>): object => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

const schema = JSON.parse(readFileSync(join(import.meta.dirname, '..', FILE), 'utf8')) as { $defs: object };
const $defs = {
  ...schema.$defs,
  sharedSettings: settingsOf('both'),
  coreSettings: settingsOf('core', 'both'),
  gatewaySettings: settingsOf('gateway', 'both'),
  secretFiles: secretFiles(),
};
writePage(FILE, `${JSON.stringify({ ...schema, $defs }, undefined, 2)}\n`);
