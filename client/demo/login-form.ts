import { ApiError, type FactorStep, type LoginStep, type Session } from '../src/index.ts';
import type { DemoConfig } from './config.ts';
import { create, element } from './elements.ts';

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

  /** Shows an error at a field, and at no other one. */
  function showError(field: HTMLInputElement | undefined, text: string): void {
    for (const one of [password, code]) {
      element(`${one.id}-error`).textContent = one === field ? text : '';
      if (one === field) one.setAttribute('aria-invalid', 'true');
      else one.removeAttribute('aria-invalid');
    }
  }

  function send(): Promise<LoginStep> {
    const rememberMe = element<HTMLInputElement>('remember').checked;
    if (!asked) return session.login({ username: username.value, password: password.value, rememberMe });
    return asked.answer(/^(\s*\p{Nd}){6}\s*$/u.test(code.value) ? { totp: code.value } : { recoveryCode: code.value });
  }

  async function logIn(): Promise<void> {
    submit.disabled = true;
    showError(undefined, '');
    try {
      const step = await send();
      if (step.kind === 'second-factor') return ask(step);
      ask(undefined);
      if (step.kind === 'session') element('session-title').focus();
      else showError(password, 'This account must create a second factor first. This page cannot create one.');
    } catch (error) {
      if (error instanceof ApiError && !/invalid$/i.test(error.code)) ask(undefined);
      const field = asked ? code : password;
      showError(field, error instanceof ApiError ? `${error.message} (${error.code})` : String(error));
      field.focus();
    } finally {
      submit.disabled = false;
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void logIn();
  });
}
