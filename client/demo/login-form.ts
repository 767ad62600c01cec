import { ApiError, type FactorStep, type LoginStep, type Session } from '../src/index.ts';
import type { DemoConfig } from './config.ts';
import { create, element } from './elements.ts';
import { say } from './log.ts';

/** The form that opens a session, filled with a demo account. */
export function createLoginForm(session: Session, { accounts, profile }: DemoConfig): void {
  const select = element<HTMLSelectElement>('account');
  const username = element<HTMLInputElement>('username');
  const password = element<HTMLInputElement>('password');
  const code = element<HTMLInputElement>('code');
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

  /** The step that waits for a code. */
  let asked: FactorStep | undefined;
  function ask(step: FactorStep | undefined): void {
    asked = step;
    element('code-field').hidden = step === undefined;
    code.value = '';
    if (step) code.focus();
  }
  form.addEventListener('input', ({ target }) => {
    if (target !== code) ask(undefined);
  });

  function send(): Promise<LoginStep> {
    const rememberMe = element<HTMLInputElement>('remember').checked;
    if (!asked) return session.login({ username: username.value, password: password.value, rememberMe });
    return asked.answer(/^\d{6}$/.test(code.value) ? { totp: code.value } : { recoveryCode: code.value });
  }

  async function logIn(): Promise<void> {
    submit.disabled = true;
    try {
      const step = await send();
      if (step.kind === 'second-factor') return ask(step);
      ask(undefined);
      if (step.kind === 'session') element('session-title').focus();
      else say('Not logged in: this account must create a second factor first. This page cannot create one.', true);
    } catch (error) {
      say(error instanceof ApiError ? `Not logged in: ${error.message} (${error.code})` : String(error), true);
      if (error instanceof ApiError && !/invalid$/i.test(error.code)) ask(undefined);
      (asked ? code : password).focus();
    } finally {
      submit.disabled = false;
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void logIn();
  });
}
