// The software bill of materials of the image, in CycloneDX 1.5: npm packages, Node and Debian packages. `npm sbom --omit dev` is not
// used, because it also leaves out packages that development needs too.
import { createHash } from 'node:crypto';
import { isoTime, type Source } from './config.ts';
import type { DebianPackage } from './debian.ts';

/** A package of npm's lock file of installed packages. */
export interface InstalledPackage {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** By path, for example `node_modules/fastify`. */
export type InstalledPackages = Readonly<Record<string, InstalledPackage>>;

interface Component {
  readonly 'bom-ref': string;
  readonly type: 'library' | 'application';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/** The npm packages that contain Node. Scanners look for vulnerabilities of Node itself, by this name. */
const NODE_PACKAGE = /^node-linux-\w+$/;

/** Returns the document. Its time and serial number depend on the content and the commit only. */
export function imageSbom(
  npm: InstalledPackages,
  debian: readonly DebianPackage[],
  {
    release,
    architecture,
    source,
  }: { readonly release: string; readonly architecture: string; readonly source: Source },
): string {
  const own = npmComponent('', { name: 'authservice', version: source.version, license: 'Apache-2.0' });
  const paths = Object.keys(npm).toSorted();
  // A package can be installed at several paths.
  const byRef = new Map(paths.map((path) => [npmComponent(path, npm[path]!)['bom-ref'], path]));
  const npmComponents = [...byRef.values()].map((path) => npmComponent(path, npm[path]!));
  const debianComponents = debian.map((one) => debianComponent(one, release, architecture));
  const components = [...npmComponents, ...debianComponents];
  const direct = paths.filter((path) => path.lastIndexOf('node_modules/') === 0).map((path) => refOf(path, npm));
  const dependencies = [
    { ref: own['bom-ref'], dependsOn: [...direct, ...debianComponents.map((one) => one['bom-ref'])] },
    ...[...byRef].map(([ref, path]) => ({ ref, dependsOn: dependenciesOf(path, npm) })),
  ];
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(components))}`,
    version: 1,
    metadata: { timestamp: isoTime(source.epochSeconds), component: { ...own, type: 'application' } },
    components,
    dependencies,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const nameOf = (path: string, { name }: InstalledPackage): string => name ?? path.split('node_modules/').at(-1)!;

const refOf = (path: string, npm: InstalledPackages): string => npmComponent(path, npm[path]!)['bom-ref'];

function npmComponent(path: string, one: InstalledPackage): Component & Readonly<Record<string, unknown>> {
  const { version, integrity, license } = one;
  const name = nameOf(path, one);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [, sha512] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(sha512 !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    }),
    ...(NODE_PACKAGE.test(name) && { cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*` }),
  };
}

/** The installed packages that a package loads: Node looks for them in the folders above it. */
function dependenciesOf(path: string, npm: InstalledPackages): string[] {
  const { dependencies, optionalDependencies } = npm[path]!;
  const found = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => {
    let folder = path;
    while (folder !== '' && !Object.hasOwn(npm, `${folder}/node_modules/${name}`))
      folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0));
    return folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
  });
  const refs = found.filter((one) => Object.hasOwn(npm, one)).map((one) => refOf(one, npm));
  return [...new Set(refs)].toSorted();
}

function debianComponent({ name, version, sha256 }: DebianPackage, release: string, architecture: string) {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=${release}`;
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    purl,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  } as const;
}

/** A UUID (version 8, of a name by SHA-256). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
