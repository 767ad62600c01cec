// Jobs of an administrator in the console, told as a person does them: clicks are counted, in both languages, wide and narrow.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { seedAccount, type Seed } from '../../../test/support/accounts.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { waitForScreen } from './console.ts';
import { findBarriers, withPage } from './pages.ts';
import type { SeededService } from './seeded-service.ts';

export type LanguageCode = 'en' | 'de';

export interface View {
  readonly language: LanguageCode;
  readonly width: number;
}

export const JOB_VIEWS: readonly View[] = (['en', 'de'] as const).flatMap((language) =>
  [1280, 390].map((width) => ({ language, width })),
);

/** Below this width, a menu with the screens must be opened first. */
const MENU_WIDTH = 992;

/** Where screenshots are stored. Without it, there are none. */
const SCREENSHOTS = process.env['JOB_SCREENSHOTS'];

/** Returns a function that reads texts of the pages in a language: `await read(() => import('…/texts.ts'))`. */
export function textsIn(code: LanguageCode) {
  return async <Module extends Record<Name, () => unknown>, const Name extends string>(
    load: () => Promise<Module>,
    name: Name,
  ): Promise<ReturnType<Module[Name]>> => {
    vi.stubGlobal('navigator', { languages: [code] });
    vi.stubGlobal('document', { documentElement: {} });
    const { language } = await import('../../src/i18n.ts');
    const module = await load();
    language.value = code;
    const texts = module[name]() as ReturnType<Module[Name]>;
    vi.unstubAllGlobals();
    return texts;
  };
}

export interface Job extends View {
  readonly page: Page;
  readonly account: Account;
  readonly read: ReturnType<typeof textsIn>;
  /** Opens a screen by the navigation. */
  show(title: string): Promise<void>;
  button(name: string): Locator;
  /** A button of the dialog that is open. */
  act(name: string): Locator;
  link(name: string): Locator;
  /** Waits until a screen has loaded. */
  screen(title: string): Promise<void>;
  /** Expects no barriers, and stores a picture. */
  look(name: string): Promise<void>;
  /** The clicks and choices until now, without those of the menu on narrow screens. */
  clicks(): Promise<number>;
}

/** Counts what a person does with the mouse. Typing and the keys are free. */
function countClicks(): void {
  const count = () => {
    const storage = sessionStorage;
    storage.setItem('job:clicks', String(Number(storage.getItem('job:clicks') ?? 0) + 1));
  };
  addEventListener('pointerdown', count, true);
  // A choice in a list is a click, too. The test makes it without the mouse.
  addEventListener('change', ({ target }) => target instanceof HTMLSelectElement && count(), true);
}

/** Runs a job of an account, from the first screen of the console on. */
export async function doJob(
  browser: Browser,
  service: SeededService,
  seed: Seed,
  view: View,
  run: (job: Job) => Promise<void>,
): Promise<void> {
  const { origin, deployment, cookieOf } = service;
  const account = await seedAccount(deployment.database, seed);
  const session = await seedSession(deployment, account);
  const { language, width } = view;
  const read = textsIn(language);
  const { navigation } = await read(() => import('../../src/texts/common.ts'), 'commonTexts');
  let menus = 0;
  await withPage(
    browser,
    origin,
    async (page, context) => {
      await context.addInitScript(countClicks);
      await context.addCookies([cookieOf(session)]);
      await page.goto(`${origin}/console`);
      await page.locator('main h1').waitFor();
      const dialog = page.getByRole('dialog');
      const job: Job = {
        ...view,
        page,
        account,
        read,
        button: (name) => page.getByRole('button', { name, exact: true }),
        act: (name) => dialog.getByRole('button', { name, exact: true }),
        link: (name) => page.getByRole('link', { name, exact: true }),
        screen: (title) => waitForScreen(page, title),
        async show(title) {
          const screens = page.getByRole('navigation', { name: navigation });
          if (width < MENU_WIDTH) {
            menus += 1;
            await screens.getByRole('button').click();
          }
          await screens.getByRole('link', { name: title, exact: true }).click();
          await waitForScreen(page, title);
        },
        look: (name) => lookAt(page, view, name),
        clicks: async () => (await page.evaluate(() => Number(sessionStorage.getItem('job:clicks') ?? 0))) - menus,
      };
      try {
        await run(job);
      } catch (error) {
        if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `failed-${Date.now()}.png`) });
        throw error;
      }
    },
    { locale: language === 'de' ? 'de-DE' : 'en-GB', viewport: { width, height: 800 } },
  );
}

/** Expects no barriers, and stores a picture. */
export async function lookAt(page: Page, view: View, name: string): Promise<void> {
  const { language, width } = view;
  if (SCREENSHOTS !== undefined) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${language}-${width}.png`), fullPage: true });
  }
  const cutNotices = await page
    .locator('.notices p')
    .evaluateAll((notices) => notices.filter((notice) => notice.getBoundingClientRect().right > innerWidth).length);
  expect({ name, ...view, cutNotices, barriers: await findBarriers(page) }).toMatchObject({
    cutNotices: 0,
    barriers: [],
  });
}

/** Expects that the job took no more clicks than its bound. */
export async function expectClicks(job: Job, most: number): Promise<void> {
  const clicks = await job.clicks();
  expect({ language: job.language, clicks, withinBound: clicks <= most }).toMatchObject({ withinBound: true });
}
