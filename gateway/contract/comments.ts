import { readFileSync } from 'node:fs';

const FILE = new URL('../../proto/gen/comments.json', import.meta.url);
/** Comments on RPCs end with their reasons; the document lists the codes with the responses. */
const ERRORS = /\s*\bErrors: (.*)\.$/s;

let comments: Readonly<Record<string, string>> | undefined;

/** The proto's comment on a name such as `authservice.business.v1.Customer.name`; empty if it has none. */
export function commentOf(name: string): string {
  comments ??= JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, string>>;
  return comments[name] ?? '';
}

/** The same without the list of errors that ends the comment on an RPC, such as `authservice.session.v1.SessionService/Login`. */
export function commentOn(name: string): string {
  return commentOf(name).replace(ERRORS, '');
}

/** The errors that the comment on an RPC names, without their reasons. */
export function errorsNamedOn(rpc: string): readonly string[] {
  return (
    ERRORS.exec(commentOf(rpc))?.[1]
      ?.replaceAll(/\s*\([^)]*\)/g, '')
      .split(/,\s*/) ?? []
  );
}
