import { ApiError, type Session } from '../src/index.ts';
import type { DemoConfig } from './config.ts';
import { create, element } from './elements.ts';
import { say } from './log.ts';

/** The form that opens a session, filled with a demo account. */
export function createLoginForm(session: Session, { accounts, profile }: DemoConfig): void {
  const select = element<HTMLSelectElement>('account');
  const username = element<HTMLInputElement>('username');
  const password = element<HTMLInputElement>('password');
  const form = element<HTMLFormElement>('login-form');
  const submit = form.querySelector('button')!;
  select.replaceChildren(...accounts.map(({ label }) => create('option', label)));
  select.parentElement!.hidden = accounts.length === 0;
  element('remember-field').hidden = profile === 'B';

  const fill = () => {
    const chosen = accounts[select.selectedIndex];
    if (!chosen) return;
    username.value = chosen.username;
    password.value = chosen.password;
  };
  select.addEventListener('change', fill);
  fill();

  async function logIn(): Promise<void> {
    submit.disabled = true;
    const rememberMe = element<HTMLInputElement>('remember').checked;
    try {
      await session.login({ username: username.value, password: password.value, rememberMe });
      element('session-title').focus();
    } catch (error) {
      say(error instanceof ApiError ? `Not logged in: ${error.message} (${error.code})` : String(error), true);
      password.focus();
    } finally {
      submit.disabled = false;
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void logIn();
  });
}
