import { readFileSync } from 'node:fs';

const FILE = new URL('../../proto/gen/comments.json', import.meta.url);
/** Comments on RPCs end with a list of errors. The OpenAPI document lists their codes with the responses instead. */
const ERRORS = /\s*\bErrors: (.*)\.$/s;

let comments: Readonly<Record<string, string>> | undefined;

/** Returns the proto comment on a name such as `authservice.business.v1.Customer.name`. Empty if there is none. */
export function commentOf(name: string): string {
  comments ??= JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, string>>;
  return comments[name] ?? '';
}

/** Returns the comment on an RPC such as `authservice.session.v1.SessionService/Login`, without its list of errors. */
export function commentOn(name: string): string {
  return commentOf(name).replace(ERRORS, '');
}

/** Returns the errors that the comment on an RPC lists, without the reasons in parentheses. */
export function errorsNamedOn(rpc: string): readonly string[] {
  return (
    ERRORS.exec(commentOf(rpc))?.[1]
      ?.replaceAll(/\s*\([^)]*\)/g, '')
      .split(/,\s*/) ?? []
  );
}
