// The brand of the pages: its logo and its colour are files of the pages. Nothing of it is in the HTML or in a script.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { SettingError } from '../../src/platform/setting-error.ts';
import type { GatewaySettings } from '../../src/platform/config/settings.ts';
import { createOnce, createStaticBody, type StaticBody, type StaticHeaders } from '../http/static-body.ts';
import { brandStyle } from './brand-colors.ts';
import { ASSET_HEADERS, type PageFiles, typeOf } from './page-files.ts';

const MAX_LOGO_BYTES = 65_536;

/** An SVG that somebody opens as a page runs no script and loads nothing. Within a page it is an image, which never does. */
const LOGO_HEADERS: StaticHeaders = {
  ...ASSET_HEADERS,
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

interface BrandFile {
  readonly name: string;
  readonly body: () => Promise<StaticBody>;
}

export interface Brand {
  readonly logo: BrandFile | undefined;
  readonly color: string | undefined;
}

/** Reads the brand of the settings. Throws an Error that names the setting if the logo cannot be used. */
export async function readBrand(settings: Pick<GatewaySettings, 'app.brand.logo' | 'app.brand.color'>): Promise<Brand> {
  const path = settings['app.brand.logo'];
  return {
    logo: path === undefined ? undefined : await readLogo(path),
    color: settings['app.brand.color'],
  };
}

async function readLogo(path: string): Promise<BrandFile> {
  try {
    const bytes = await readLimited(path);
    if (bytes.length > MAX_LOGO_BYTES) throw new Error(`has more than ${MAX_LOGO_BYTES / 1024} kB`);
    const extension = imageType(bytes);
    if (extension === undefined) throw new Error('is neither a PNG nor an SVG file');
    return namedFile('logo', extension, bytes, LOGO_HEADERS);
  } catch (error) {
    const { message } = error as Error;
    throw new SettingError(`app.brand.logo: ${path}: ${message}; give a PNG or SVG file of at most 64 kB`, {
      cause: error,
    });
  }
}

async function readLimited(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LOGO_BYTES + 1), 0, MAX_LOGO_BYTES + 1, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** A root element `svg`, after a declaration, comments and a document type. */
const SVG = /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--[^]*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/i;

/** Returns the extension of an image by its content, so that its type is never guessed. */
function imageType(bytes: Buffer): 'png' | 'svg' | undefined {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'png';
  return SVG.test(bytes.toString('utf8')) ? 'svg' : undefined;
}

/** A file whose name contains the hash of its content. */
function namedFile(name: string, extension: string, content: Buffer, headers: StaticHeaders): BrandFile {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 10);
  const file = `${name}-${digest}.${extension}`;
  return { name: file, body: createOnce(() => createStaticBody(content, typeOf(file), headers)) };
}

/** The colour of the mark in the icon. */
const MARK = /#1f6f5c/gi;

/** Returns the files of the pages with those of the brand. */
export async function withBrand(files: PageFiles, { logo, color }: Brand): Promise<PageFiles> {
  const { manifest } = files;
  const style = color && namedFile('brand', 'css', Buffer.from(brandStyle(color)), ASSET_HEADERS);
  const icon = logo ?? (color && (await coloredIcon(files, color)));
  const own = [logo, style, icon].filter((file) => typeof file === 'object');
  if (own.length === 0) return files;
  const bodies = new Map(own.map(({ name, body }) => [name, body]));
  return {
    manifest: {
      ...manifest,
      ...(icon && { icon: icon.name }),
      brand: { ...(style && { style: style.name }), ...(logo && { logo: logo.name }) },
    },
    asset: (name) => bodies.get(name)?.() ?? files.asset(name),
  };
}

async function coloredIcon({ manifest, asset }: PageFiles, color: string): Promise<BrandFile | undefined> {
  const body = await asset(manifest.icon);
  const text = body?.representations.get('identity')!.bytes.toString('utf8');
  return text === undefined
    ? undefined
    : namedFile('icon', 'svg', Buffer.from(text.replace(MARK, color)), ASSET_HEADERS);
}
