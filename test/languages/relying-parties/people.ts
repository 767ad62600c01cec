// What a user does on the pages of the service.
import type { Page } from 'playwright-core';
import { PASSWORD, type User } from './deployments.ts';
import type { Visit } from './party.ts';

/** Fills in the login page of an authorization request. */
export async function logIn(page: Page, { username }: User): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** The button that gives the consent. On the page for NATIVE applications, it also chooses the account. */
const consentButton = (page: Page) => page.getByRole('button', { name: /^(Allow$|Continue as )/ });

/** Gives the consent for an application. Throws an Error with what the page says instead. */
export async function allow(page: Page): Promise<void> {
  const alert = page.getByRole('alert');
  await consentButton(page).or(alert).first().waitFor();
  if (await alert.isVisible()) throw new Error(await alert.innerText());
  await consentButton(page).click();
}

/** Logs in to an application for the first time. A user who is logged in only gives the consent. */
export async function logInFirst(page: Page, user: User): Promise<void> {
  const username = page.getByLabel('Username');
  await username.or(consentButton(page)).first().waitFor();
  if (await username.isVisible()) await logIn(page, user);
  await allow(page);
}

/** Connects a device, whose link has its code. */
export async function allowDevice({ page, user }: Visit, url: string): Promise<void> {
  await page.goto(url);
  await logIn(page, user);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await allow(page);
  await page.getByRole('heading', { name: 'Your device is connected', exact: true }).waitFor();
}
