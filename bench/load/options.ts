import { parseArgs } from 'node:util';
import { create, fromJson, toBinary, type JsonValue } from '@bufbuild/protobuf';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';

export const USAGE = `npm run bench -- load RPC --target URL [options]
  RPC                  authservice.key.v1.KeyService/GetJsonWebKeySet, for example; not a stream
  --target URL         the core with its port: http://127.0.0.1:50051; https:// for TLS
  --ca FILE            CA of the server's certificate (the CAs that Node trusts)
  --cert FILE          certificate to present, for mutual TLS
  --key FILE           its key
  --data JSON          the request in the protos' JSON form ({})
  --token TOKEN        sent as a bearer token
  --header NAME:VALUE  further metadata, repeatable: x-api-key:…
  --concurrency N      most calls at once (32)
  --connections N      HTTP/2 connections (one for 64 calls at once)
  --duration SECONDS   (10)
  --warm-up SECONDS    loaded before, not counted (2)
  --rate N             calls that begin in a second; latency counts from when a call was due (as many as come back)
  --timeout MS         deadline of each call (5000)
  --json FILE          where to write the result as JSON`;

/** What a load test calls, and how. */
export interface LoadOptions {
  readonly rpc: string;
  readonly target: string;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The request as JSON. */
  readonly data: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly concurrency: number;
  readonly connections: number;
  readonly durationMs: number;
  readonly warmUpMs: number;
  readonly perSecond: number | undefined;
  readonly timeoutMs: number;
  /** File for the result. */
  readonly json: string | undefined;
}

/** A host with a port, because a default port of HTTP is never the port of a core. */
const TARGET = /^https?:\/\/(?:\[[\da-f:.]+\]|[^/:@?#[\]]+):\d+\/?$/i;

/** Reads the arguments. Returns undefined for --help. Throws if an argument is missing or invalid. */
export function readOptions(argv: readonly string[]): LoadOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      target: { type: 'string' },
      ca: { type: 'string' },
      cert: { type: 'string' },
      key: { type: 'string' },
      data: { type: 'string', default: '{}' },
      token: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
      concurrency: { type: 'string', default: '32' },
      connections: { type: 'string' },
      duration: { type: 'string', default: '10' },
      'warm-up': { type: 'string', default: '2' },
      rate: { type: 'string' },
      timeout: { type: 'string', default: '5000' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [rpc, ...more] = positionals;
  if (rpc === undefined || more.length > 0) throw new Error('give one RPC; --help lists the options');
  const { target, ca, cert, key, data, token, json } = values;
  if (target === undefined || !TARGET.test(target))
    throw new Error(
      `--target must be a URL with a port, such as http://127.0.0.1:50051${target ? `, not ${target}` : ''}`,
    );
  if ((cert === undefined) !== (key === undefined)) throw new Error('--cert and --key need each other');
  if (!target.startsWith('https:') && (ca ?? cert) !== undefined)
    throw new Error('--ca, --cert and --key need a --target with https://');
  const concurrency = above('concurrency', values.concurrency);
  return {
    rpc,
    target,
    ca,
    cert,
    key,
    data,
    metadata: {
      ...Object.fromEntries(values.header.map(headerOf)),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    concurrency,
    connections: above('connections', values.connections ?? String(Math.ceil(concurrency / 64))),
    durationMs: 1000 * above('duration', values.duration),
    warmUpMs: 1000 * (values['warm-up'] === '0' ? 0 : above('warm-up', values['warm-up'])),
    perSecond: values.rate === undefined ? undefined : above('rate', values.rate),
    timeoutMs: above('timeout', values.timeout),
    json,
  };
}

function above(name: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new Error(`--${name} must be a number above 0, not ${text}`);
}

function headerOf(text: string): [name: string, value: string] {
  const at = text.indexOf(':');
  if (at > 0) return [text.slice(0, at).toLowerCase(), text.slice(at + 1).trim()];
  throw new Error(`--header must be NAME:VALUE, not ${text}`);
}

/**
 * Encodes a request from proto JSON. Throws if the RPC is unknown or streams, or if the JSON does not match the message.
 *
 * @param rpc `authservice.session.v1.SessionService/Login`.
 */
export function encodeRequest(rpc: string, json: unknown): Uint8Array {
  const method = ownDescriptors().methods.find(({ parent, name }) => `${parent.typeName}/${name}` === rpc);
  if (method === undefined) throw new Error(`There is no RPC ${rpc}`);
  if (method.methodKind !== 'unary') throw new Error(`${rpc} is a stream`);
  const message = json === undefined ? create(method.input) : fromJson(method.input, json as JsonValue);
  return toBinary(method.input, message);
}
