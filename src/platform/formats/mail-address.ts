// E-mail addresses as mail servers take them.
import { parseDomainName } from './names.ts';

/**
 * A dot-string (RFC 5321 section 4.1.2, RFC 6531 section 3.3). Quoted forms, comments and lists are left out: programs read them in
 * different ways, so that a mail could reach another receiver. Long ones are allowed (RFC 5321 section 4.5.3.1).
 */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~\-\u0080-\u{10FFFF}]+(?:\.[\w!#$%&'*+/=?^`{|}~\-\u0080-\u{10FFFF}]+)*$/u;

/** Returns the address with its domain in ASCII (RFC 5891), as servers take it; undefined if no mail can be sent to it. */
export function toMailbox(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  if (at < 1 || /\s/.test(local) || !LOCAL_PART.test(local)) return undefined;
  const domain = parseDomainName(address.slice(at + 1));
  return domain && `${local}@${domain}`;
}
