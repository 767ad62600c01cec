// Certificates that follow their files. grpc-js has a provider for that, but it drops every connection while a file is missing,
// half written or does not fit the others; here the last good ones go on.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';
import type { Logger } from 'pino';

type CertificateProvider = experimental.CertificateProvider;

/** Paths of PEM files. A certificate and its key come together. */
export interface CertificateFiles {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The authorities whose certificates are accepted. Default: the public ones. */
  readonly ca?: string | undefined;
}

interface Loaded {
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly ca: Buffer | undefined;
}

const RELOAD_MS = 10_000;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;
const PEM_BLOCK = /-----BEGIN ([^-\n]+)-----.*?-----END \1-----/gs;

/**
 * Provides what the files hold, and looks for changes for as long as somebody listens. New connections use the new
 * certificates, open ones go on with theirs. What cannot be used is logged once. Throws where the first ones cannot be used.
 * @param reloadMs how often to look, in milliseconds
 */
export function watchCertificates(files: CertificateFiles, log?: Logger, reloadMs = RELOAD_MS): CertificateProvider {
  const paths = [files.cert, files.key, files.ca];
  let seen: readonly (Buffer | undefined)[] = paths.map((path) =>
    path === undefined ? undefined : readFileSync(path),
  );
  let current = usable(seen);
  let timer: NodeJS.Timeout | undefined;

  const identity = () => {
    const { cert, key } = current;
    return cert === undefined || key === undefined ? null : { certificate: cert, privateKey: key };
  };
  const authorities = () => ({ caCertificate: current.ca ?? publicAuthorities() });
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();
  const caListeners = new Set<experimental.CaCertificateUpdateListener>();

  async function look(): Promise<void> {
    try {
      const found = await Promise.all(paths.map(async (path) => (path === undefined ? undefined : readOrEmpty(path))));
      if (found.every((content, index) => content === seen[index] || content?.equals(seen[index]!) === true)) return;
      seen = found;
      current = usable(found);
    } catch (error) {
      log?.error(
        { files, problem: (error as Error).message },
        'the new certificates cannot be used; the old ones go on',
      );
      return;
    }
    for (const listener of identityListeners) listener(identity());
    for (const listener of caListeners) listener(authorities());
    log?.info({ files }, 'the certificates are reloaded');
  }

  function start(): void {
    timer ??= setInterval(() => void look(), reloadMs).unref();
  }
  function stop(): void {
    if (identityListeners.size + caListeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    addIdentityCertificateListener(listener) {
      identityListeners.add(listener);
      // grpc-js is ready to hear of it only after this call.
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

/** A file that cannot be read counts as empty, and an empty one cannot be used. */
function readOrEmpty(path: string): Promise<Buffer> {
  return readFile(path).catch(() => Buffer.alloc(0));
}

/** The contents as they are, or an error where they cannot be used or do not fit each other. */
function usable([cert, key, ca]: readonly (Buffer | undefined)[]): Loaded {
  for (const bundle of [cert, ca]) {
    if (bundle === undefined) continue;
    const text = bundle.toString('latin1');
    const certificates = text.match(PEM_CERTIFICATE);
    if (certificates === null) throw new Error('no certificate in PEM form');
    // OpenSSL takes what comes before, and the rest would be missing until it is written.
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
