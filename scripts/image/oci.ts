// Writes images in the OCI image layout: https://github.com/opencontainers/image-spec. GNU tar and gzip write the layers, because
// their output does not depend on the processor.
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../debian-archive.ts';

/** Files of a layer with one owner. */
export interface Entries {
  /** The folder that becomes `/`. */
  readonly root: string;
  /** Paths below the root. Default: all. */
  readonly paths?: readonly string[];
  /** User and group. Default: root. */
  readonly owner?: number;
  /** The mode of all files. Default: all users can read, only the owner can write. */
  readonly mode?: string;
}

export interface Layer {
  readonly createdBy: string;
  readonly entries: readonly Entries[];
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface WrittenLayer {
  readonly descriptor: Descriptor;
  /** The digest of the layer without compression. */
  readonly diffId: string;
}

export interface ImageOptions {
  readonly architecture: string;
  readonly created: string;
  readonly epochSeconds: number;
  readonly container: object;
  readonly labels: Readonly<Record<string, string>>;
}

export interface WrittenImage {
  readonly manifest: Descriptor;
  readonly architecture: string;
  readonly layers: readonly (Descriptor & { readonly createdBy: string })[];
}

const MEDIA = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
} as const;

/** Starts a layout in an empty folder. */
export function createLayout(folder: string): void {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}

/** Writes the layers, the configuration and the manifest of an image. */
export async function writeImage(
  folder: string,
  layers: readonly Layer[],
  options: ImageOptions,
): Promise<WrittenImage> {
  const written: WrittenLayer[] = [];
  for (const layer of layers) written.push(await writeLayer(folder, layer, options.epochSeconds));
  const config = writeJson(folder, MEDIA.config, {
    created: options.created,
    architecture: options.architecture,
    os: 'linux',
    config: { ...options.container, Labels: options.labels },
    rootfs: { type: 'layers', diff_ids: written.map(({ diffId }) => diffId) },
    history: layers.map(({ createdBy }) => ({ created: options.created, created_by: createdBy })),
  });
  const manifest = writeJson(folder, MEDIA.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config,
    layers: written.map(({ descriptor }) => descriptor),
    annotations: options.labels,
  });
  const sizes = written.map(({ descriptor }, index) => ({ ...descriptor, createdBy: layers[index]!.createdBy }));
  return { manifest, architecture: options.architecture, layers: sizes };
}

/** Writes the index of the layout: one name for the images of all architectures. Returns the digest behind the name. */
export function writeIndex(folder: string, name: string, images: readonly WrittenImage[]): string {
  const manifests = images.map(({ manifest, architecture }) => ({
    ...manifest,
    platform: { architecture, os: 'linux' },
  }));
  const [only] = manifests;
  const named =
    manifests.length === 1
      ? only!
      : writeJson(folder, MEDIA.index, { schemaVersion: 2, mediaType: MEDIA.index, manifests });
  const annotations = { 'org.opencontainers.image.ref.name': name };
  const index = { schemaVersion: 2, mediaType: MEDIA.index, manifests: [{ ...named, annotations }] };
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
  return named.digest;
}

async function writeLayer(folder: string, { entries }: Layer, epochSeconds: number): Promise<WrittenLayer> {
  const place = mkdtempSync(join(folder, 'layer-'));
  const file = join(place, 'layer.tar');
  for (const [index, { root, paths = ['.'], owner = 0, mode = 'a+rX,u+w,go-w' }] of entries.entries()) {
    const how = index === 0 ? '--create' : '--append';
    const fixed = ['--format=gnu', '--sort=name', '--numeric-owner', `--mtime=@${epochSeconds}`, `--mode=${mode}`];
    runProgram('tar', [how, `--file=${file}`, ...fixed, `--owner=${owner}`, `--group=${owner}`, '-C', root, ...paths]);
  }
  const diffId = await digestOf(file);
  runProgram('gzip', ['--no-name', file]);
  const descriptor = await addBlob(folder, `${file}.gz`, MEDIA.layer);
  rmSync(place, { recursive: true });
  return { descriptor, diffId };
}

/** Moves a file among the blobs. */
async function addBlob(folder: string, file: string, mediaType: string): Promise<Descriptor> {
  const digest = await digestOf(file);
  const { size } = statSync(file);
  renameSync(file, blobPath(folder, digest));
  return { mediaType, digest, size };
}

function writeJson(folder: string, mediaType: string, value: object): Descriptor {
  const text = JSON.stringify(value);
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  mkdirSync(dirname(blobPath(folder, digest)), { recursive: true });
  writeFileSync(blobPath(folder, digest), text);
  return { mediaType, digest, size: Buffer.byteLength(text) };
}

const blobPath = (folder: string, digest: string): string => join(folder, 'blobs', ...digest.split(':'));

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
