// The page at /demo: a session that several tabs share, and calls with it.
import { ApiError, type Session } from '../src/index.ts';
import { revokeMyOtherSessions } from '../src/operations.ts';
import { readConfig, type DemoConfig } from './config.ts';
import { element, onClick } from './elements.ts';
import { createImageCard } from './image.ts';
import { addToLog, say } from './log.ts';
import { createLoginForm } from './login-form.ts';
import { createProductsCard } from './products.ts';
import { showExpiry, showSession } from './session-card.ts';
import { openSession } from './session.ts';

/** The explanation of each profile. */
const EXPLANATIONS: Readonly<Record<DemoConfig['profile'], readonly [login: string, session: string]>> = {
  A: [
    'The service sets the refresh token as an HttpOnly cookie, which no script can read. The access token stays in the memory of the tabs.',
    'Each refresh makes the next generation of the cookie. A second use of an old one would end the session, so one tab refreshes for all.',
  ],
  B: [
    'The service sends the refresh token in the body. This page keeps it in local storage: every script of this origin could read it.',
    'Each refresh makes the next refresh token. A second use of an old one would end the session, so one tab refreshes for all.',
  ],
};

const config = await readConfig();
const { session, takeOwn } = openSession(config);
const products = config.business ? createProductsCard(session, createImageCard(session)) : undefined;
let shownUser: string | undefined;

document.title = `Demo · ${config.appName}`;
element('app-name').textContent = config.appName;
[element('login-explains').textContent, element('session-explains').textContent] = EXPLANATIONS[config.profile];
createLoginForm(session, config);
showExpiry(session);
session.subscribe(() => void show(session));

onClick('refresh', () => attempt('refreshed', () => session.refresh()));
onClick('logout', () => attempt('logged out', () => session.logout()));
onClick('logout-everywhere', () =>
  attempt('logged out everywhere', async () => {
    await revokeMyOtherSessions(session);
    await session.logout();
  }),
);

await session.restore().catch((error: unknown) => {
  say(`The service is unavailable; trying again. ${error instanceof ApiError ? error.message : String(error)}`, true);
});

async function attempt(done: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
    addToLog(`This tab has ${done}.`);
  } catch (error) {
    addToLog(error instanceof ApiError ? `Not ${done}: ${error.message} (${error.code})` : String(error), true);
  }
}

async function show(current: Session): Promise<void> {
  const { status, user } = current.getSnapshot();
  const isOwn = takeOwn();
  element('login').hidden = status !== 'signed-out';
  element('signed-in').hidden = status !== 'signed-in';
  if (status === 'signed-in') {
    const generation = await showSession(current);
    addToLog(`Token of generation ${generation}${isOwn ? '' : ', from another tab'}.`);
    say(`Logged in as ${user.email ?? user.id}`);
  } else {
    if (shownUser !== undefined) addToLog(isOwn ? 'The session is over.' : 'The session was ended elsewhere.');
    if (status === 'signed-out') say('Not logged in');
  }
  if (user?.id === shownUser) return;
  shownUser = user?.id;
  if (user) await products?.load();
  else element('username').focus();
}
