// Files of the demo page, read from client/ once. Types are stripped from the scripts, so there is no build step.
import { readFile, readdir } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { createStaticBody, type StaticBody, type StaticHeaders } from '../http/static-body.ts';

const CLIENT = new URL('../../client/', import.meta.url);
/** Only files of these folders are served. */
const FOLDERS = ['demo', 'src', 'src/generated'];

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads all files of the page, by their paths below client/. */
export async function readDemoFiles(headers: StaticHeaders): Promise<ReadonlyMap<string, StaticBody>> {
  const files = new Map<string, StaticBody>();
  for (const folder of FOLDERS) {
    for (const name of await readdir(new URL(folder, CLIENT))) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const path = `${folder}/${name}`;
      const text = await readFile(new URL(path, CLIENT), 'utf8');
      const content = extname(name) === '.ts' ? stripTypeScriptTypes(text) : text;
      files.set(path, await createStaticBody(content, type, headers));
    }
  }
  return files;
}
