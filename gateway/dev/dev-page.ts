// The frame of a page of DEV that the gateway renders: the start page and those of the mails.
import type { GatewaySettings } from '../context.ts';

export type DevPageSettings = Pick<GatewaySettings, 'app.brand.name' | 'app.http.docs' | 'app.mail.url'>;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML, also for an attribute in double quotes. */
export const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);

/** Whether mails are files, which /dev/mail shows. */
export const hasMailFiles = (settings: DevPageSettings): boolean =>
  settings['app.mail.url']?.startsWith('file:') === true;

interface DevPage {
  /** Text, not HTML. */
  readonly title: string;
  /** The link of the navigation that leads to this page. Absent for a page that other pages lead to. */
  readonly path?: string;
  /** HTML. */
  readonly content: string;
}

/** Renders the links to the pages of DEV. `current` is the path of the page that has them. */
export function renderNavigation(settings: DevPageSettings, current?: string): string {
  const links = [
    ['/', 'Start'],
    ['/demo', 'Demo'],
    ...(settings['app.http.docs'] ? [['/docs', 'API']] : []),
    ...(hasMailFiles(settings) ? [['/dev/mail', 'Mails']] : []),
  ].map(([href, text]) => `        <a href="${href}"${href === current ? ' aria-current="page"' : ''}>${text}</a>\n`);
  return `<nav class="links" aria-label="Service">\n${links.join('')}      </nav>`;
}

/** Renders the page as HTML. */
export function renderDevPage(settings: DevPageSettings, { title, path, content }: DevPage): string {
  const name = escape(settings['app.brand.name']);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escape(title)}</title>
    <link rel="icon" href="/demo/files/icon">
    <link rel="stylesheet" href="/demo/files/pages.css">
    <link rel="stylesheet" href="/demo/files/demo/style.css">
  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header class="bar">
      <p class="brand"><img src="/demo/files/icon" alt=""><bdi>${name}</bdi></p>
      ${renderNavigation(settings, path)}
    </header>
    <main id="main" class="dev" tabindex="-1">
${content}    </main>
  </body>
</html>
`;
}
