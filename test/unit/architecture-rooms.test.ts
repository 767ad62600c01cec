// Each room says at its door what it is: the first comment of its service.ts, or of the file named here. What can be compared is.
import Fastify from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectClients } from '../../gateway/clients.ts';
import { registerRoutes } from '../../gateway/routes.ts';
import { lazyCompilers } from '../../gateway/schema/lazy-schemas.ts';
import { gatewaySettings } from '../support/gateways.ts';
import { mailFolder } from '../support/mails.ts';
import { sources, type Source } from './architecture.ts';
import { writersByTable } from './tables-written.ts';

/** Rooms without RPCs, with the file that is their door. */
const DOORS: Readonly<Record<string, string>> = {
  'src/auth/access': 'principal.ts',
  'src/auth/delivery': 'outbox.ts',
  'src/auth/mail': 'outbox.ts',
  'src/auth/token': 'access-token.ts',
};
const MAX_LINES = 15;
const PREFIX = '/api/v1';

interface Room {
  readonly folder: string;
  readonly door: Source;
  readonly header: string;
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

const services = sources.filter(({ path }) => /^src\/(?:auth|business)\/.*\/service\.ts$/.test(path));
const doors = [
  ...services.map((door) => [folderOf(door.path), door] as const),
  ...Object.entries(DOORS).map(
    ([folder, name]) => [folder, sources.find(({ path }) => path === `${folder}/${name}`)!] as const,
  ),
];
const rooms: readonly Room[] = doors.map(([folder, door]) => ({
  folder,
  door,
  header: /^(?:\/\/.*\n)*/.exec(door.text)![0].replaceAll(/^\/\/ ?/gm, ''),
}));

/** The room of a file: the innermost. */
function roomOf(path: string): string | undefined {
  const containing = rooms.filter(({ folder }) => path.startsWith(`${folder}/`));
  return containing.toSorted((one, other) => other.folder.length - one.folder.length)[0]?.folder;
}

/** Returns the words of a line of a header, which can continue on the next ones: `Tables: accounts, tenants`. */
function listed(header: string, name: string): string[] {
  const text = new RegExp(`^${name}: ((?:.*\\n?)+?)(?=^\\w+: |$(?![^]))`, 'm').exec(header)?.[1] ?? '';
  const words = text.replaceAll('\n', ' ').trim().replace(/\.$/, '');
  return words.startsWith('none')
    ? []
    : words
        .split(/, (?![^{]*\})/)
        .flatMap(expand)
        .toSorted();
}

/** Writes out `/auth/{login,logout}`. */
function expand(word: string): string[] {
  const [, before, inner, after] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(word.trim()) ?? [];
  if (inner === undefined) return [word.trim()];
  return inner.split(',').flatMap((one) => expand(`${before}${one.trim()}${after}`));
}

/** Returns the paths of each service. */
async function routesByService(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const settings = gatewaySettings(mailFolder().settings);
  const app = Fastify({ schemaController: { compilersFactory: lazyCompilers() } });
  const found = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, config }) => {
    const [service] = (config as { readonly rpc?: string } | undefined)?.rpc?.split('/') ?? [];
    if (service === undefined) return;
    const path = url.startsWith(`${PREFIX}/`) ? url.slice(PREFIX.length) : url;
    found.set(service.split('.').at(-1)!, (found.get(service.split('.').at(-1)!) ?? new Set()).add(path));
  });
  const clients = connectClients(() => ({}) as never);
  registerRoutes(app.withTypeProvider<TypeBoxTypeProvider>(), { settings, clients, log: pino({ level: 'silent' }) });
  await app.ready();
  await app.close();
  return found;
}

describe.each(rooms)('the header of $folder', ({ folder, door, header }) => {
  let routes: ReadonlyMap<string, ReadonlySet<string>>;
  beforeAll(async () => void (routes = await routesByService()));

  it(`has what it decides, its states, tables and routes in at most ${MAX_LINES} lines`, () => {
    expect(header.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
    for (const name of ['Decides', 'States', 'Tables', 'Routes'])
      expect(header).toMatch(new RegExp(`^${name}: \\S`, 'm'));
  });

  it('names the tables that its files write', () => {
    const written = [...writersByTable(sources)].flatMap(([table, paths]) =>
      paths.some((path) => roomOf(path) === folder) ? [table] : [],
    );
    expect(listed(header, 'Tables')).toEqual(written.map(String).toSorted());
  });

  it('names the routes of its RPCs', () => {
    const served = [...door.text.matchAll(/\b(\w+Service)Service\b/g)].map(([, service]) => service!);
    const paths = [...new Set(served)].flatMap((service) => [...(routes.get(service) ?? [])]);
    expect(listed(header, 'Routes')).toEqual([...paths].toSorted());
  });
});
