// A software bill of materials in CycloneDX 1.5: npm packages with Node, and for the image Debian packages. `npm sbom --omit dev` is
// not used, because it also leaves out packages of production that development needs too.
import { createHash } from 'node:crypto';
import { isoTime, type Source } from '../image/config.ts';
import type { DebianPackage } from '../image/debian.ts';

/** A package of npm's lock file. */
export interface LockedPackage {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages by path, for example `node_modules/fastify`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

interface Component {
  readonly 'bom-ref': string;
  readonly type: 'library' | 'application';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/** The npm packages that contain Node. Scanners look for vulnerabilities of Node itself, by this name. */
const NODE_PACKAGE = /^node-linux-\w+$/;

/** The Debian packages of an image. */
export interface DebianSystem {
  readonly packages: readonly DebianPackage[];
  readonly release: string;
  readonly architecture: string;
}

/** Returns the document. Its time and serial number depend on the content and the commit only. */
export function createSbom(source: Source, npm: LockedPackages, debian?: DebianSystem): string {
  const own = npmComponent('', { name: 'authservice', version: source.version, license: 'Apache-2.0' });
  const paths = Object.keys(npm).toSorted();
  // A package can be installed at several paths.
  const byRef = new Map(paths.map((path) => [npmComponent(path, npm[path]!)['bom-ref'], path]));
  const npmComponents = [...byRef.values()].map((path) => npmComponent(path, npm[path]!));
  const debianComponents = debian?.packages.map((one) => debianComponent(one, debian)) ?? [];
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

const nameOf = (path: string, { name }: LockedPackage): string => name ?? path.split('node_modules/').at(-1)!;

const refOf = (path: string, npm: LockedPackages): string => npmComponent(path, npm[path]!)['bom-ref'];

function npmComponent(path: string, one: LockedPackage): Component & Readonly<Record<string, unknown>> {
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
function dependenciesOf(path: string, npm: LockedPackages): string[] {
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

function debianComponent({ name, version, sha256 }: DebianPackage, { release, architecture }: DebianSystem) {
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
