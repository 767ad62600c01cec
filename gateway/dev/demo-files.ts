// Files of the demo page, read from client/. Types are stripped from the scripts on each request, so there is no build step.
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { GatewayError } from '../errors/gateway-error.ts';

const CLIENT = new URL('../../client/', import.meta.url);
/** Only these paths are served. */
const FILE = /^(?:demo|src|src\/generated)\/[\w-]+\.(ts|css|html|svg)$/;

const TYPES: Readonly<Record<string, string>> = {
  ts: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface DemoFile {
  readonly type: string;
  readonly text: string;
}

/** Reads a file of the page by its path below client/. Throws GatewayError NOT_FOUND if it is missing or not allowed. */
export async function readDemoFile(path: string): Promise<DemoFile> {
  const [, extension] = FILE.exec(path) ?? [];
  const type = TYPES[extension ?? ''];
  if (type === undefined) throw new GatewayError('NOT_FOUND');
  const text = await readFile(new URL(path, CLIENT), 'utf8').catch(() => undefined);
  if (text === undefined) throw new GatewayError('NOT_FOUND');
  return { type, text: extension === 'ts' ? stripTypeScriptTypes(text) : text };
}
