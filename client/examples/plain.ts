import { ApiError, createCookieSession, items } from 'authservice-client';
import { listProducts } from 'authservice-client/operations';

const session = createCookieSession();
const form = document.querySelector('form')!;
const list = document.querySelector('ul')!;
const message = document.querySelector('output')!;

async function show(): Promise<void> {
  const { status, user } = session.getSnapshot();
  form.hidden = status !== 'signed-out';
  message.textContent = user?.email ?? status;
  list.replaceChildren();
  if (status !== 'signed-in') return;
  for await (const { name } of items(session, listProducts, { query: { sort: 'name' } })) {
    const item = document.createElement('li');
    item.textContent = name;
    list.append(item);
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  const username = String(fields.get('username'));
  const password = String(fields.get('password'));
  try {
    await session.login({ username, password, rememberMe: fields.has('remember') });
  } catch (error) {
    message.textContent = error instanceof ApiError ? error.message : 'Something went wrong';
  }
});

// Every tab receives logins and logouts of the others.
let shown = session.getSnapshot().user?.id;
session.subscribe(() => {
  const { user } = session.getSnapshot();
  if (user?.id !== shown) void show();
  shown = user?.id;
});
await session.restore().then(show, (error: ApiError) => (message.textContent = `${error.message}. Trying again …`));
