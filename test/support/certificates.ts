// A private CA and certificates that it signs, created by openssl.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Creates a CA and one certificate per name: common name and subject alternative names. */
export function makeCertificates<Name extends string>(
  names: Record<Name, { commonName: string; alternative: string }>,
): { readonly ca: Buffer } & Record<Name, KeyPair> {
  const directory = mkdtempSync(join(tmpdir(), 'certificates-'));
  const file = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA', '-days', '2');
    const pairs = Object.entries<{ commonName: string; alternative: string }>(names).map(([name, subject]) => {
      writeFileSync(file('ext'), `subjectAltName=${subject.alternative}\n`);
      openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${subject.commonName}`);
      const sign = ['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
      openssl(...sign, '-out', `${name}.pem`, '-days', '2', '-extfile', 'ext');
      return [name, { cert: readFileSync(file(`${name}.pem`)), key: readFileSync(file(`${name}.key`)) }];
    });
    return { ca: readFileSync(file('ca.pem')), ...(Object.fromEntries(pairs) as Record<Name, KeyPair>) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Paths of a key pair. */
export interface KeyPairFiles {
  readonly cert: string;
  readonly key: string;
}

/** Writes PEM files into a folder, replacing files of the same name. Returns their paths. */
export function writeCertificates<Name extends string>(
  folder: string,
  { ca, ...pairs }: { readonly ca: Buffer } & Record<Name, KeyPair>,
): { readonly ca: string } & Record<Name, KeyPairFiles> {
  const file = (name: string, content: Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const files = Object.entries<KeyPair>(pairs as Record<string, KeyPair>).map(([name, { cert, key }]) => [
    name,
    { cert: file(`${name}.pem`, cert), key: file(`${name}.key`, key) },
  ]);
  return { ca: file('ca.pem', ca), ...(Object.fromEntries(files) as Record<Name, KeyPairFiles>) };
}
