// An OpenID provider as relying parties and browsers see it: this service, or another one that shows whether a test is wrong.
import type { KeyObject } from 'node:crypto';
import type { RestResponse } from '../rest-client.ts';

export type ClientType = 'WEB' | 'SPA' | 'NATIVE';

/** How a client authenticates (OpenID Connect Core section 9). */
export type Authentication = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

export interface ClientFields {
  /** Default: WEB. */
  readonly type?: ClientType;
  /** Default: CALLBACK. */
  readonly redirectUris?: readonly string[];
  /** Default: client_secret_basic, and none for a public client. */
  readonly authentication?: Authentication;
  /** Default: true. */
  readonly requirePkce?: boolean;
}

/** A registered client. */
export interface Client {
  readonly id: string;
  readonly type: ClientType;
  readonly authentication: Authentication;
  readonly secret: string | undefined;
  /** Signs its assertions. */
  readonly key: SigningKey | undefined;
  /** The first one. */
  readonly redirectUri: string;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** Somebody who can log in. */
export interface User {
  /** The claim `sub`. */
  readonly sub: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

/** The metadata of OpenID Connect Discovery. */
export type Metadata = Readonly<Record<string, any>>; // Tests assert on members of any type.

/** What the pages of a provider do in a browser. */
export interface Pages {
  /** Whether a URL shows one of these pages. */
  isPage(url: string): boolean;
  /** Answers a page as a user does. Returns where the browser goes then. */
  answer(url: string, browser: Browser, user: User, decision: Decision): Promise<string>;
}

export type Decision = 'ALLOW' | 'DENY';

export interface Provider {
  readonly issuer: string;
  readonly metadata: Metadata;
  readonly pages: Pages;
  /** Sends a request to a URL below the issuer. Redirects are responses. */
  send(method: string, url: string, init?: RequestInit): Promise<RestResponse>;
  register(fields?: ClientFields): Promise<Client>;
  user(): Promise<User>;
  /** Unix seconds. */
  now(): number;
  advance(milliseconds: number): void;
  close(): Promise<void>;
}

/** Where an authorization request ends. */
export type Outcome =
  | {
      readonly kind: 'callback';
      /** The header, unchanged. */
      readonly location: string;
      readonly parameters: URLSearchParams;
      readonly response: RestResponse;
    }
  /** A page that is not left by a redirect: an error. */
  | { readonly kind: 'error-page'; readonly response: RestResponse }
  /** The page where the user logs in or decides. */
  | { readonly kind: 'page'; readonly url: string; readonly response: RestResponse };

/** A browser with its cookies. */
export interface Browser {
  /** Sends a request with the cookies of the browser. */
  send(method: string, url: string, init?: RequestInit): Promise<RestResponse>;
  /** Goes to a URL, and follows redirects of the provider until they leave it or reach a page. */
  visit(url: string, init?: RequestInit & { readonly method?: string }): Promise<Outcome>;
  /** Answers pages until the browser is back at the client. */
  finish(outcome: Outcome, user: User, decision?: Decision): Promise<Outcome>;
  /** What scripts of the provider's pages keep. */
  accessToken: string | undefined;
  /** Whose session it has. */
  user: User | undefined;
  /** Cookies by name. */
  readonly cookies: Map<string, Cookie>;
}

export interface Cookie {
  readonly value: string;
  readonly path: string;
}
