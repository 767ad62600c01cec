// Certificates that are reloaded when their files change. grpc-js has a provider for that, but it drops every
// connection while a file is missing, incomplete or inconsistent. This one keeps the last valid certificates.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { SettingError } from '../../setting-error.ts';

type CertificateProvider = experimental.CertificateProvider;

/** Paths of PEM files. A certificate and its key come together. */
export interface CertificateFiles {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The accepted certificate authorities. Default: the public ones. */
  readonly ca?: string | undefined;
}

interface Loaded {
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly ca: Buffer | undefined;
}

/** A certificate in use. Of several authorities, the one that ends first. Times are Unix milliseconds. */
interface CertificateValidity {
  readonly kind: 'own' | 'authority';
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface CertificatesInUse {
  readonly certificates: readonly CertificateValidity[];
  /** Whether the files were changed and cannot be used. */
  readonly areFilesInvalid: boolean;
}

/** Called when certificates are loaded, and when changed files turn out to be invalid. */
export type ObserveCertificates = (state: CertificatesInUse) => void;

/** Runs `look` again and again. Returns a function that ends this. */
export type Repeat = (look: () => Promise<void>) => () => void;

/** The content of a file, or why it cannot be read. Undefined for a file that is not used. */
type Content = Buffer | string | undefined;

const LOOK_EVERY_MS = 5_000;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;
const PEM_BLOCK = /-----BEGIN ([^-\n]+)-----.*?-----END \1-----/gs;

/**
 * Provides the certificates in the files and checks the files for changes while there are listeners. A change counts when
 * two looks in a row have read the same: most tools write a certificate and its key one after the other, and a file is
 * empty while it is written. New connections use the new certificates; open connections keep theirs. Invalid
 * certificates are logged once. Throws if the first ones are invalid.
 * @param repeat Default: every 5 s.
 */
export function watchCertificates(
  files: CertificateFiles,
  log?: Logger,
  observe?: ObserveCertificates,
  repeat: Repeat = everySeconds,
): CertificateProvider {
  const paths = [files.cert, files.key, files.ca];
  const first = readFirst(paths);
  let judged = first.contents;
  let seen = judged;
  let current = first.certificates;
  let looking: Promise<void> | undefined;
  let stopLooking: (() => void) | undefined;
  const report = (areFilesInvalid: boolean) =>
    observe?.({
      certificates: [...validity('own', current.cert), ...validity('authority', current.ca)],
      areFilesInvalid,
    });
  report(false);

  const identity = () => {
    const { cert, key } = current;
    return cert === undefined || key === undefined ? null : { certificate: cert, privateKey: key };
  };
  const authorities = () => ({ caCertificate: current.ca ?? publicAuthorities() });
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();
  const caListeners = new Set<experimental.CaCertificateUpdateListener>();

  async function look(): Promise<void> {
    const found = await Promise.all(paths.map(readContent));
    const isSettled = areEqual(found, seen);
    seen = found;
    if (!isSettled || areEqual(found, judged)) return;
    judged = found;
    try {
      current = parseCertificates(found);
    } catch (error) {
      report(true);
      log?.error(
        { files, problem: (error as Error).message },
        'new certificates are invalid, the old ones stay in use',
      );
      return;
    }
    for (const listener of identityListeners) listener(identity());
    for (const listener of caListeners) listener(authorities());
    report(false);
    log?.info({ files }, 'certificates reloaded');
  }

  /** One look at a time: a slow one would otherwise bring back what it read before the others. */
  function lookOnce(): Promise<void> {
    return (looking ??= look().finally(() => (looking = undefined)));
  }

  function start(): void {
    stopLooking ??= repeat(lookOnce);
  }
  function stop(): void {
    if (identityListeners.size + caListeners.size > 0) return;
    stopLooking?.();
    stopLooking = undefined;
  }

  return {
    addIdentityCertificateListener(listener) {
      identityListeners.add(listener);
      // grpc-js can handle the update only after this call has returned.
      process.nextTick(() => listener(identity()));
      start();
    },
    removeIdentityCertificateListener(listener) {
      identityListeners.delete(listener);
      stop();
    },
    addCaCertificateListener(listener) {
      caListeners.add(listener);
      process.nextTick(() => listener(authorities()));
      start();
    },
    removeCaCertificateListener(listener) {
      caListeners.delete(listener);
      stop();
    },
  };
}

/** Throws SettingError if the files cannot be used. */
export function assertCertificates({ cert, key, ca }: CertificateFiles): void {
  readFirst([cert, key, ca]);
}

/** Reads the files at the start. Throws SettingError if they cannot be used. */
function readFirst(paths: readonly (string | undefined)[]) {
  try {
    const contents: readonly Content[] = paths.map((path) => (path === undefined ? undefined : readFileSync(path)));
    return { contents, certificates: parseCertificates(contents) };
  } catch (cause) {
    const files = paths.filter((path) => path !== undefined).join(', ');
    throw new SettingError(
      `TLS cannot use ${files}: ${(cause as Error).message}; check app.rpc.tls.* and app.gateway.tls.*`,
      { cause },
    );
  }
}

function everySeconds(look: () => Promise<void>): () => void {
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function readContent(path: string | undefined): Promise<Content> {
  if (path === undefined) return undefined;
  return readFile(path).catch(({ code }: NodeJS.ErrnoException) => `${path} cannot be read (${code})`);
}

function areEqual(some: readonly Content[], others: readonly Content[]): boolean {
  return some.every((content, index) => {
    const other = others[index];
    return content === other || (Buffer.isBuffer(content) && Buffer.isBuffer(other) && content.equals(other));
  });
}

/** Returns the contents. Throws if they are invalid or do not match each other. */
function parseCertificates(contents: readonly Content[]): Loaded {
  const [cert, key, ca] = contents.map((content) => {
    if (typeof content === 'string') throw new Error(content);
    return content;
  });
  for (const bundle of [cert, ca]) {
    if (bundle === undefined) continue;
    const text = bundle.toString('latin1');
    const certificates = text.match(PEM_CERTIFICATE);
    if (certificates === null) throw new Error('no certificate in PEM form');
    // OpenSSL accepts the complete certificates before an incomplete one and would miss the rest.
    if (/^-----BEGIN/m.test(text.replace(PEM_BLOCK, ''))) throw new Error('the last certificate has no end');
    for (const certificate of certificates) void new X509Certificate(certificate);
  }
  if (key?.length === 0) throw new Error('no private key in PEM form');
  createSecureContext({ cert, key });
  return { cert, key, ca };
}

let known: Buffer | undefined;

function publicAuthorities(): Buffer {
  return (known ??= Buffer.from(getCACertificates('default').join('\n')));
}

/** Returns the validity of the certificate in the file that ends first. */
function validity(kind: CertificateValidity['kind'], bundle: Buffer | undefined): CertificateValidity[] {
  const found = bundle?.toString('latin1').match(PEM_CERTIFICATE) ?? [];
  const all = found
    .map((text) => new X509Certificate(text))
    .map(({ validFrom, validTo }) => ({
      kind,
      notBefore: Date.parse(validFrom),
      notAfter: Date.parse(validTo),
    }));
  return all.toSorted((a, b) => a.notAfter - b.notAfter).slice(0, 1);
}
