import { readFileSync } from 'node:fs';

const FILE = new URL('../../proto/gen/comments.json', import.meta.url);
/** Comments on RPCs end with their reasons; the document lists the codes with the responses. */
const ERRORS = /\s*\bErrors: .*$/s;

let comments: Readonly<Record<string, string>> | undefined;

/** The proto's comment on a name such as `authservice.session.v1.SessionService/Login`, without its list of errors. */
export function commentOn(name: string): string | undefined {
  comments ??= JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, string>>;
  return comments[name]?.replace(ERRORS, '');
}
