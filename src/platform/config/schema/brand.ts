import { optional, path, pattern, text } from '../kinds.ts';
import { both, gateway, type Basis } from '../setting.ts';

const MAX_NAME_CHARACTERS = 64;

/** What people see of the service: on pages, in mails and in their authenticator apps. */
export const BRAND_SETTINGS = {
  'app.brand.name': both(
    text(MAX_NAME_CHARACTERS),
    {
      rule: '`app.name`; if that is `service`, the host of `app.public-url`, else `Authservice`',
      of: (basis) => defaultName(basis),
    },
    'Name of the service for people: on pages, in mails, and in authenticator apps. Gateway and core need the same value.',
  ),
  'app.brand.logo': gateway(
    optional(path),
    'none',
    'Logo on the pages and in the tabs of browsers: a PNG or SVG file of at most 64 kB. It must be visible on white and on black.',
  ),
  'app.brand.color': gateway(
    optional(pattern('a colour such as `#1f6f5c`', /^#[\dA-Fa-f]{6}$/)),
    'none',
    'Colour of links and buttons on the pages. It is darkened for light pages, and lightened for dark ones, until texts in it are ' +
      'readable (WCAG 2.2 AA). In YAML, it needs quotes.',
  ),
};

/** `service` says nothing to people. */
function defaultName({ 'app.name': name, 'app.public-url': url }: Basis): string {
  if (name !== 'service') return name;
  const host = url === undefined ? 'localhost' : new URL(url).hostname;
  const isName = /[a-z]\.[a-z]/.test(host) && host.length <= MAX_NAME_CHARACTERS;
  return isName ? host : 'Authservice';
}
