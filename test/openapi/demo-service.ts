// The service as its users start it: on SQLite, with the demo data.
import { FREE_PORTS, startProgram } from '../support/service-process.ts';

export type Profile = 'A' | 'B';

/** The administrator of a demo tenant. */
export const ADMINISTRATOR = { username: 'alice@acme.test', password: 'demo-password-1' };

/** Starts the service with an authentication profile and returns its URL; endProcesses stops it. */
export async function startDemoService(profile: Profile): Promise<string> {
  const settings = { ...FREE_PORTS, 'app.env': 'DEV', 'app.security.auth-profile': profile };
  const { http } = await startProgram('gateway', { settings }).ready();
  return http;
}
