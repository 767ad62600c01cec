// The tools of `npm run test:all -- operations`: Debian's Prometheus and an OpenTelemetry collector. Both are kept in ~/.cache/authservice.
// They need apt-get, dpkg-deb and Go, and no right to install packages.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { requirePrograms } from '../test/languages/toolchain.ts';

const CACHE = join(homedir(), '.cache/authservice');
const COLLECTOR_VERSION = 'v0.160.0';
/** The modules with a stable API have versions of their own. */
const PROVIDER_VERSION = 'v1.66.0';

/** The parts of the collector: it receives spans and sends them on as JSON. */
const BUILD = `
dist: { name: collector, output_path: PLACE/collector }
receivers:
  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver ${COLLECTOR_VERSION}
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter ${COLLECTOR_VERSION}
providers:
  - gomod: go.opentelemetry.io/collector/confmap/provider/envprovider ${PROVIDER_VERSION}
  - gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider ${PROVIDER_VERSION}
`;

export interface PrometheusTools {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Returns Prometheus and promtool. Unpacks Debian's package the first time, which starts no service. */
export function installPrometheus(): PrometheusTools {
  const place = join(CACHE, 'prometheus');
  if (!existsSync(place)) {
    fill(place, (folder) => {
      // A new machine has no lists of packages, and old lists name versions that Debian no longer has.
      if (process.getuid?.() === 0) run('apt-get', ['update', '-qq'], folder);
      try {
        run('apt-get', ['download', 'prometheus'], folder);
      } catch (cause) {
        throw new Error('apt-get cannot download the package prometheus; run apt-get update as root', { cause });
      }
      run('dpkg-deb', ['-x', globSync('prometheus_*.deb', { cwd: folder })[0]!, '.'], folder);
    });
  }
  return { prometheus: join(place, 'usr/bin/prometheus'), promtool: join(place, 'usr/bin/promtool') };
}

/** Returns the collector. Builds it the first time with the collector's own builder, which takes some minutes. */
export function installCollector(): string {
  const place = join(CACHE, `collector-${COLLECTOR_VERSION}`);
  if (!existsSync(place)) {
    requirePrograms('go');
    fill(place, (folder) => {
      writeFileSync(join(folder, 'builder.yaml'), BUILD.replace('PLACE', folder));
      run('go', ['install', `go.opentelemetry.io/collector/cmd/builder@${COLLECTOR_VERSION}`], folder, {
        GOBIN: folder,
      });
      run(join(folder, 'builder'), ['--config', 'builder.yaml'], folder, { CGO_ENABLED: '0' });
    });
  }
  return join(place, 'collector/collector');
}

/** Fills a new folder and gives it its name only when it is complete. */
function fill(place: string, work: (folder: string) => void): void {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${place}-`);
  try {
    work(folder);
    renameSync(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): void {
  execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
}
