// The brand of the pages: name, logo and colour of the settings.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../../gateway/context.ts';
import { brandStyle } from '../../gateway/pages/brand-colors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { sharedGateway } from './gateway.ts';

const folder = temporaryFolder('brand-');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function logo(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function get(url: string, settings: Partial<GatewaySettings>) {
  const { app } = await sharedGateway({ 'app.http.pages': true, ...settings });
  return app.inject({ url, headers: { host: 'shop.test' } });
}

describe('without a brand', () => {
  it('the pages load the style sheet of the project alone', async () => {
    const { body } = await get('/login', {});
    expect(body.match(/rel="stylesheet"/g)).toHaveLength(1);
    expect(body).toContain('<div id="page"></div>');
  });
});

describe('a logo', () => {
  it.each([
    ['an SVG', 'a.svg', SVG, /data-logo="(\/assets\/logo-[\da-f]{10}\.svg)"/, 'image/svg+xml'],
    [
      'an SVG after a declaration',
      'b.svg',
      `<?xml version="1.0"?>\n<!-- x -->${SVG}`,
      /data-logo="([^"]+\.svg)"/,
      'image/svg+xml',
    ],
    ['a PNG, whatever its name', 'c.svg', PNG, /data-logo="([^"]+\.png)"/, 'image/png'],
  ])('%s is served by its hash and runs no script', async (_case, name, content, pattern, type) => {
    const settings = { 'app.brand.logo': logo(name, content) };
    const { body } = await get('/login', settings);
    const [, path = ''] = pattern.exec(body)!;
    expect(body).toContain(`<link rel="icon" href="${path}">`);
    const { statusCode, headers, rawPayload } = await get(path, settings);
    expect([statusCode, rawPayload.toString('latin1')]).toEqual([200, Buffer.from(content).toString('latin1')]);
    expect(headers).toMatchObject({
      'content-type': type,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is below the context path', async () => {
    const settings = { 'app.brand.logo': logo('d.svg', SVG), 'app.http.context-path': '/shop' };
    const [, path = ''] = /data-logo="([^"]+)"/.exec((await get('/shop/login', settings)).body)!;
    expect(path).toMatch(/^\/shop\/assets\//);
    expect((await get(path, settings)).statusCode).toBe(200);
  });

  it.each([
    ['HTML', () => logo('e.svg', '<html><svg></svg></html>'), 'is neither a PNG nor an SVG file'],
    [
      'a file that is too large',
      () => logo('f.png', Buffer.concat([PNG, Buffer.alloc(65_536)])),
      'has more than 64 kB',
    ],
    ['a missing file', () => join(folder, 'missing.svg'), 'ENOENT'],
    ['a folder', () => folder, 'EISDIR'],
  ])('stops the start for %s', async (_case, path, problem) => {
    const start = get('/login', { 'app.brand.logo': path() });
    await expect(start).rejects.toThrow(/^app\.brand\.logo: .*; give a PNG or SVG file of at most 64 kB$/);
    await expect(start).rejects.toThrow(problem);
  });
});

describe('a colour', () => {
  it('is a style sheet after that of the project, and the colour of the icon', async () => {
    const settings = { 'app.brand.color': '#b3261e' };
    const { body } = await get('/login', settings);
    const [style, brand] = [...body.matchAll(/rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path!);
    expect([style, brand]).toEqual([expect.stringMatching(/style-/), expect.stringMatching(/brand-[\da-f]{10}\.css$/)]);
    const sheet = await get(brand!, settings);
    expect([sheet.statusCode, sheet.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
    expect(sheet.body).toContain('--accent:#b3261e');
    const [, icon = ''] = /rel="icon" href="([^"]+)"/.exec(body)!;
    expect((await get(icon, settings)).body).toContain('fill="#b3261e"');
  });

  const BACKGROUNDS = { light: ['#f5f7f6', '#ffffff'], dark: ['#101614', '#18201d'] } as const;
  const COLORS = [
    '#000000',
    '#ffffff',
    '#808080',
    '#ff0000',
    '#00ff00',
    '#0000ff',
    '#ffff00',
    '#1f6f5c',
    '#0b2545',
    '#ffe0ef',
  ];

  it.each(COLORS)('%s is readable on light and dark pages', (color) => {
    const [light, dark] = brandStyle(color).split('@media') as [string, string];
    for (const [scheme, style] of [
      ['light', light],
      ['dark', dark],
    ] as const) {
      const value = (name: string) => new RegExp(`--${name}:(#[\\da-f]{6})`).exec(style)![1]!;
      for (const background of [...BACKGROUNDS[scheme], value('accent-soft')])
        expect({ color, scheme, background, ratio: contrast(value('accent'), background) }).toMatchObject({
          ratio: expect.toSatisfy((ratio: number) => ratio >= 4.5),
        });
      for (const button of ['accent', 'accent-strong'])
        expect(contrast(value(button), value('on-accent'))).toBeGreaterThanOrEqual(4.5);
    }
    const mark = [/--brand:(#\w+)/, /--on-brand:(#\w+)/].map((pattern) => pattern.exec(light)![1]!);
    expect(contrast(mark[0]!, mark[1]!)).toBeGreaterThanOrEqual(3);
  });
});

/** Contrast ratio of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [a, b] = [one, other].map((color) => {
    const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  });
  return (Math.max(a!, b!) + 0.05) / (Math.min(a!, b!) + 0.05);
}
