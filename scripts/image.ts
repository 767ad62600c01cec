// Builds the OCI image of the service without Docker: npm run image. It needs Debian or Ubuntu, and no root. The same commit gives
// the same digest. docs/containers.md describes it.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from './build/build-programs.ts';
import {
  ARCHITECTURES,
  CONTAINER,
  DATA_FOLDER,
  FOLDER,
  HEALTH_CHECK,
  isoTime,
  labelsOf,
  USER,
  type Architecture,
  type Source,
} from './image/config.ts';
import { debianRelease, unpackDebianPackages, updateDebianPackages } from './image/debian.ts';
import { createLayout, writeImage, writeIndex, type Layer, type WrittenImage } from './image/oci.ts';
import { installPackages } from './image/packages.ts';
import { createSbom, type LockedPackages } from './sbom/document.ts';
import { lockedPackages } from './sbom/shipped-packages.ts';
import { describeSource } from './sbom/source.ts';

const PROJECT = join(import.meta.dirname, '..');

const USAGE = `Usage: npm run image -- [OPTION...]
  --arch NAME         x64 or arm64; several with commas. Default: this machine's
  --output FOLDER     of the OCI layout, replaced. Default: build/image
  --update-packages   write today's versions of the Debian packages to deploy/image/debian.json, and build nothing`;

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: process.arch },
    output: { type: 'string', default: join(PROJECT, 'build/image') },
    'update-packages': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values['update-packages']) updateDebianPackages();
else await build(values.arch.split(','), values.output);

async function build(architectures: readonly string[], output: string): Promise<void> {
  for (const name of architectures)
    if (!Object.hasOwn(ARCHITECTURES, name)) throw new Error(`--arch ${name}: must be x64 or arm64`);
  if (existsSync(output) && !existsSync(join(output, 'oci-layout')))
    throw new Error(`--output ${output}: is a folder without an OCI layout, so it is not replaced`);
  const source = describeSource(PROJECT);
  const work = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    const layout = join(work, 'layout');
    createLayout(layout);
    const programs = join(work, 'programs');
    const { packages } = await buildPrograms(programs);
    cpSync(join(PROJECT, HEALTH_CHECK), join(programs, HEALTH_CHECK));
    const bundled = lockedPackages(PROJECT, packages);
    const images: WrittenImage[] = [];
    for (const name of architectures as Architecture[])
      images.push(await buildFor(name, layout, join(work, name), { source, programs, bundled }));
    const digest = writeIndex(layout, source.version, images);
    rmSync(output, { recursive: true, force: true });
    mkdirSync(dirname(output), { recursive: true });
    cpSync(layout, output, { recursive: true });
    printResult(images, output, source.version, digest);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What is the same for all architectures. */
interface Content {
  readonly source: Source;
  /** The folder of the built programs. */
  readonly programs: string;
  /** The packages whose code they contain. */
  readonly bundled: LockedPackages;
}

/** Builds the image of an architecture into the layout. */
async function buildFor(
  name: Architecture,
  layout: string,
  work: string,
  { source, programs, bundled }: Content,
): Promise<WrittenImage> {
  const [base, nodeRoot, packagesRoot, app] = ['base', 'node', 'packages', 'app'].map((part) => join(work, part)) as [
    string,
    string,
    string,
    string,
  ];
  const architecture = ARCHITECTURES[name];
  const packages = unpackDebianPackages(architecture, base);
  addSystemFiles(base);
  cpSync(programs, join(app, FOLDER), { recursive: true });
  const manifest = join(programs, 'package.json');
  const installed = installPackages(PROJECT, name, { packagesRoot, nodeRoot, manifest });
  const debian = { packages, release: debianRelease(), architecture };
  const document = createSbom(source, { ...installed, ...bundled }, debian);
  writeFileSync(join(app, FOLDER, 'sbom.cdx.json'), document);
  mkdirSync(join(app, DATA_FOLDER, 'files'), { recursive: true });
  const data = DATA_FOLDER.slice(1);
  const layers: readonly Layer[] = [
    {
      createdBy: 'Debian packages',
      entries: [
        { root: base, paths: ['.'] },
        { root: base, paths: ['./tmp'], mode: '1777' },
      ],
    },
    { createdBy: 'Node', entries: [{ root: nodeRoot }] },
    { createdBy: 'npm packages', entries: [{ root: packagesRoot }] },
    { createdBy: 'authservice', entries: [{ root: app }, { root: app, paths: [`./${data}`], owner: USER }] },
  ];
  return writeImage(layout, layers, {
    architecture,
    created: isoTime(source.epochSeconds),
    epochSeconds: source.epochSeconds,
    container: CONTAINER,
    labels: labelsOf(source),
  });
}

/** The accounts and folders that Debian's own installation would make. */
function addSystemFiles(root: string): void {
  for (const folder of ['dev', 'etc', 'proc', 'run', 'sys', 'tmp', 'var/tmp'])
    mkdirSync(join(root, folder), { recursive: true });
  const files = {
    'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nauthservice:x:${USER}:${USER}:authservice:${FOLDER}:/sbin/nologin\n`,
    'etc/group': `root:x:0:\nauthservice:x:${USER}:\n`,
    'etc/nsswitch.conf': 'hosts: files dns\n',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
}

function printResult(images: readonly WrittenImage[], output: string, name: string, digest: string): void {
  const megabytes = (size: number) => `${(size / 1e6).toFixed(1).padStart(6)} MB`;
  for (const { architecture, layers } of images) {
    for (const { createdBy, size } of layers) console.log(`${megabytes(size)}  ${architecture}  ${createdBy}`);
    console.log(`${megabytes(layers.reduce((sum, { size }) => sum + size, 0))}  ${architecture}  in total, compressed`);
  }
  console.log(`oci:${relative(process.cwd(), output)}:${name}@${digest}`);
}
