import { ApiError, createCookieSession, type FactorStep, type LoginStep } from 'authservice-client';

const session = createCookieSession();

/** Logs in, and asks for a code while the account needs one. */
export async function logIn(username: string, password: string, askCode: (step: FactorStep) => Promise<string>) {
  let step: LoginStep = await session.login({ username, password });
  while (step.kind === 'second-factor') {
    const code = await askCode(step);
    const factor = /^\d{6}$/.test(code) ? { totp: code } : { recoveryCode: code };
    step = await step.answer(factor).catch((error: unknown): LoginStep => {
      if (error instanceof ApiError && error.code === 'second-factor-invalid') return step;
      throw error;
    });
  }
  return step;
}
