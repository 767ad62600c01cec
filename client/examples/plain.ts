import { ApiError, createCookieSession, items } from 'authservice-client';
import { getMe, listProducts } from 'authservice-client/operations';

const session = createCookieSession();
const form = document.querySelector('form')!;
const list = document.querySelector('ul')!;
const message = document.querySelector('output')!;

const MESSAGES: Readonly<Record<string, string>> = {
  'bad-credentials': 'This username or password is wrong.',
  'account-not-found': 'This username or password is wrong.',
  'account-locked': 'There were too many wrong passwords. Try again later.',
  'permission-denied': 'You may not see the products.',
  'service-unreachable': 'The service does not respond. Check your network.',
};

function explain(error: unknown): void {
  message.textContent = (error instanceof ApiError && MESSAGES[error.code]) || 'This did not work. Try again.';
}

async function show(): Promise<void> {
  const { status } = session.getSnapshot();
  form.hidden = status !== 'signed-out';
  message.textContent = '';
  list.replaceChildren();
  if (status !== 'signed-in') return;
  message.textContent = (await getMe(session)).data.username;
  for await (const { name } of items(session, listProducts, { query: { sort: 'name' } })) {
    const item = document.createElement('li');
    item.textContent = name;
    list.append(item);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  const username = String(fields.get('username'));
  const password = String(fields.get('password'));
  session.login({ username, password, rememberMe: fields.has('remember') }).catch(explain);
});

// Every tab receives logins and logouts of the others.
let shown = 'unknown';
session.subscribe(() => {
  const { status, user } = session.getSnapshot();
  const current = user?.id ?? status;
  if (current !== shown) show().catch(explain);
  shown = current;
});
session.restore().catch(explain);
