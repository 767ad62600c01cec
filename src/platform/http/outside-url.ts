const MAX_URL_CHARACTERS = 2_000;
const DEFAULT_PORTS: ReadonlySet<string> = new Set(['', '80', '443']);
/** Services of the system, such as mail, listen below it. */
const FIRST_FREE_PORT = 1_024;

/**
 * Returns why the service will not send requests to a URL; undefined if it will. The addresses of its host are judged at each
 * connection.
 */
export function outsideUrlProblem(text: string, requireTls: boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null || /[\s\p{Cc}]/u.test(text)) return 'must be a URL';
  if (text.length > MAX_URL_CHARACTERS) return `must have at most ${MAX_URL_CHARACTERS} characters`;
  if (url.protocol !== 'https:' && (requireTls || url.protocol !== 'http:'))
    return `must begin with https://${requireTls ? '' : ' or http://'}`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '' || text.endsWith('#')) return 'must not contain a fragment';
  if (!DEFAULT_PORTS.has(url.port) && Number(url.port) < FIRST_FREE_PORT)
    return `must have port 80, 443, or one from ${FIRST_FREE_PORT}`;
  return undefined;
}
