// How servers read the path of a request, each in its own way.

const decode = (path: string) => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
/** Removes repeated slashes, and the segments . and .. */
const normalize = (path: string) =>
  decode(new URL(path.replaceAll(/\/+/g, '/').replaceAll(/[?#%]/g, encodeURIComponent), 'http://x').pathname);
const withoutQuery = (target: string) => target.replace(/[?].*/s, '');
const asWindows = (path: string) => decode(path).replaceAll('\\', '/').toLowerCase();

type Reading = (target: string) => string;

const READINGS: Readonly<Record<string, Reading>> = {
  /** Tomcat and Spring MVC: parameters of a segment are not a part of its name. */
  'Spring MVC': (target) => normalize(decode(withoutQuery(target).replaceAll(/;[^/]*/g, ''))),
  /** As many services in Node do. A backslash is a slash, and //host is a host. */
  'URL of Node': (target) => decode(new URL(target, 'http://x').pathname),
  'Case-insensitive': (target) => normalize(asWindows(withoutQuery(target))),
  /** Behind another proxy, or by mistake. */
  'Decodes twice': (target) => normalize(asWindows(decode(withoutQuery(target)))),
  'Not normalized': (target) => decode(withoutQuery(target)),
};

/** Returns the readings of a request target that are outside /orders. */
export function readingsOutsideOrders(target: string): string[] {
  return Object.entries(READINGS).flatMap(([server, read]) => {
    const path = read(target);
    return /^\/orders(\/|$)/.test(path) ? [] : [`${server} reads ${path}`];
  });
}
