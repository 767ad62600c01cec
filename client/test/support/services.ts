// The real service with its demo data.
import { createEmptyDatabase, type Engine } from '../../../test/support/databases.ts';
import {
  FREE_PORTS,
  startProgram,
  type ServiceProcess,
  type SettingFlags,
} from '../../../test/support/service-process.ts';

export interface Service {
  readonly url: string;
  readonly process: ServiceProcess;
  stop(): Promise<void>;
}

/** Starts the service on a database of its own. */
export async function startService(engine: Engine, settings: SettingFlags = {}): Promise<Service> {
  const database = await createEmptyDatabase(engine);
  const flags = { ...FREE_PORTS, 'app.env': 'DEV', 'app.database.url': database.url, ...settings };
  const process = startProgram('gateway', { settings: flags });
  const { http } = await process.ready();
  return {
    url: http,
    process,
    async stop() {
      await process.stop();
      await database.remove();
    },
  };
}
