// Draws docs/images/mail-*.png, mails with sample values in light and dark mail programs: `npx node web/test/draw-mails.ts`.
import { join } from 'node:path';
import { launchBrowser } from '../../client/test/support/chromium.ts';
import { loadTemplates } from '../../src/auth/mail/load-templates.ts';
import { renderMail } from '../../src/auth/mail/render-mail.ts';
import type { TemplateName } from '../../src/auth/mail/template.ts';

const FOLDER = join(import.meta.dirname, '../../docs/images');
const VALUES = {
  tenant: 'Acme',
  username: 'ann@acme.example',
  time: '2027-01-31 12:00 UTC',
  link: 'https://auth.example.com/recover#token=lJbQ4bPnGqBFYb3p1fK8bB0E1Zq0b8m8U4m5yK1nXwM',
};
const PICTURES: readonly (readonly [language: 'en' | 'de', template: TemplateName, colorScheme: 'light' | 'dark'])[] = [
  ['en', 'recovery', 'light'],
  ['de', 'recovery', 'dark'],
];

const templates = loadTemplates(undefined);
const browser = await launchBrowser();
for (const [language, template, colorScheme] of PICTURES) {
  const page = await browser.newPage({ viewport: { width: 560, height: 100 }, colorScheme });
  await page.setContent(renderMail(templates(language, template), language, VALUES).html);
  await page.screenshot({ path: join(FOLDER, `mail-${template}-${colorScheme}.png`), fullPage: true });
  await page.close();
}
await browser.close();
