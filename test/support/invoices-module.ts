// The module of docs/extending.md, written to a folder outside the project.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { expect } from 'vitest';
import { emptyFolder, PROJECT } from './service-process.ts';

const PAGE = readFileSync(join(PROJECT, 'docs/extending.md'), 'utf8');
export const FILES = [...PAGE.matchAll(/^Create `(invoices\/[^`]+)`:\n\n```\w+\n(.*?)^```/gms)].map(
  ([, path, text]) => ({
    path: path!,
    text: text!,
  }),
);
export const PROTO = 'invoices/protos/invoices/v1/invoice_service.proto';
export const MODULE = 'invoices/module.ts';
const SERVICE = 'invoices.v1.InvoiceService';

/** Writes the files of the page, changed by the function, to an empty folder. Returns the path of the module. */
export function writeModule(change: (path: string, text: string) => string = (_path, text) => text): string {
  const folder = emptyFolder();
  for (const { path, text } of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), change(path, text));
  }
  return join(folder, MODULE);
}

/** Writes the module with a changed text in one of its files. */
export function writeChanged(file: string, text: RegExp | string, replacement: string): string {
  return writeModule((of, content) => {
    const changed = of === file ? content.replace(text, replacement) : content;
    expect(of === file && changed === content).toBe(false);
    return changed;
  });
}

/** Calls the service as a client that has the proto of the module at this path. */
export function rpcCaller(target: string, module: string = writeModule()) {
  const folder = join(dirname(module), 'protos');
  const includeDirs = [folder, join(PROJECT, 'proto'), join(PROJECT, 'third_party')];
  const definitions = loadSync('invoices/v1/invoice_service.proto', { includeDirs, longs: Number });
  const methods = definitions[SERVICE] as ServiceDefinition;
  const client = new Client(target, credentials.createInsecure());
  return (name: string, message: object, headers: Readonly<Record<string, string>>) => {
    const { path, requestSerialize, responseDeserialize } = methods[name]!;
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
    return new Promise<unknown>((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, metadata, (error, response) =>
        error ? reject(error) : resolve(response),
      );
    });
  };
}
