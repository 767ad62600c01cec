// What is known of a relying party, and how the test uses it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { emptyFolder, freePort } from '../../support/service-process.ts';
import type { Application, Provider, User } from './deployments.ts';

/** The claims that a party knows of a user, by their standard names. */
export type Claims = Readonly<Record<string, unknown>>;

export interface Party {
  readonly name: string;
  /** The row of docs/connect.md whose section has its settings. */
  readonly section: string;
  /** As in the files of its folder. */
  readonly version: string;
  /** How it logs in its users: `code`, or `device`. */
  readonly login: 'code' | 'device';
  /** The claims that it shows. */
  readonly claims: readonly string[];
  /** How it renews what it knows. `none`: not at all. */
  readonly refresh: 'refresh token' | 'prompt=none' | 'none';
  /** What its own logout does: it ends the session of the user, does so after a question, ends its own session alone, or does not exist. */
  readonly theirLogout: 'ends the session' | 'asks, then ends the session' | 'its own session only' | 'none';
  /** When it learns of the end of the user's session. */
  readonly ourLogout: 'at once' | 'at its next refresh' | 'when the ID token expires' | 'not at all';
  /** It refuses an issuer with http. */
  readonly isHttps?: true;
  /** Fields of its application. `origin` is that of the party. */
  readonly application: (origin: string) => object;
  /** Builds and starts it. */
  start(connection: Connection): Promise<RunningParty>;
}

/** What a party gets. */
export interface Connection extends Application {
  readonly issuer: string;
  /** A file with the certificate of the issuer's CA, with https. */
  readonly ca: string | undefined;
  /** Where it must listen. */
  readonly port: string;
  readonly origin: string;
  /** An empty folder. */
  readonly cwd: string;
}

/** A user in a browser. */
export interface Visit {
  readonly page: Page;
  readonly user: User;
}

export interface RunningParty {
  /** Opens the application and logs the user in. */
  logIn(visit: Visit): Promise<void>;
  /** Returns what it knows of the user, or undefined if it knows nobody. */
  claims(visit: Visit): Promise<Claims | undefined>;
  /** Renews the tokens. Returns one of them, and rejects if the provider refuses. */
  refresh?(visit: Visit): Promise<unknown>;
  /** Logs out from its side. */
  logOut(visit: Visit): Promise<void>;
  stop(): Promise<void>;
}

/** Registers and starts a party. Also returns its origin. */
export async function startAt(provider: Provider, party: Party): Promise<readonly [RunningParty, origin: string]> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application = await provider.register({ redirectUris: [], ...party.application(origin) });
  const { issuer, ca } = provider;
  return [await party.start({ issuer, ca, port, origin, cwd: emptyFolder(), ...application }), origin];
}

/** Returns an origin by its address: the service tries the addresses of a name in their order. */
export const loopback = (origin: string): string => origin.replace('localhost', '127.0.0.1');

/** Returns what each claim must be. */
export function claimsOf(user: User): Claims {
  return {
    sub: user.id,
    name: user.name,
    email: user.username,
    preferred_username: user.username,
    groups: expect.arrayContaining(['MANAGER']),
  };
}

/** Copies a file of settings to the folder of a party, with its values instead of those of the documents. Returns the path. */
export function fillIn(
  source: string,
  { cwd, ...connection }: Connection,
  more: Readonly<Record<string, string>> = {},
): string {
  const { issuer, origin, clientId, clientSecret = '' } = connection;
  const values = {
    ...more,
    'https://auth.example.com': issuer,
    'https://wiki.example.com': origin,
    'auth.example.com': new URL(issuer).host,
    'wiki.example.com': new URL(origin).host,
    '<client id>': clientId,
    '<client secret>': clientSecret,
  };
  let text = readFileSync(source, 'utf8');
  for (const [name, value] of Object.entries(values)) text = text.replaceAll(name, value);
  const target = join(cwd, source.split('/').at(-1)!);
  writeFileSync(target, text);
  return target;
}
