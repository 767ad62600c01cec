import type { Settings } from '../../config/settings.ts';

/** Returns flags that give all further workers the free ports that the first one has selected. */
export function portFlags(settings: Settings, addresses: Readonly<Record<string, string>>): string[] {
  const flag = (name: 'app.http.port' | 'app.rpc.port', address: string | undefined) => {
    const port = /:(\d+)$/.exec(address ?? '')?.[1];
    return settings[name] === 0 && port !== undefined ? [`--${name}=${port}`] : [];
  };
  return [...flag('app.http.port', addresses['http']), ...flag('app.rpc.port', addresses['rpc'])];
}
