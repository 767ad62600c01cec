import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../compare.ts';
import { SERVER_CORE, cpuSeconds } from '../program.ts';
import { spreadOf } from '../results.ts';
import { startService } from '../service.ts';
import { type Stand } from '../stand.ts';
import { residentMegabytes } from './memory.ts';

const STARTS = 7;
const IDLE_MS = 2_000;

/** Measures the start of a service with an empty SQLite database, and its memory afterwards. */
export function startFigures({ engine }: Stand): readonly Figure[] {
  if (engine !== 'sqlite') return [];
  let starts: Promise<readonly Start[]> | undefined;
  const figure = (read: (start: Start) => number) => async () => {
    const values = (await (starts ??= startRepeatedly())).map(read);
    const { median, min, max } = spreadOf(values);
    return { value: median, detail: `median of ${STARTS} starts, ${min.toFixed(2)}–${max.toFixed(2)}` };
  };
  return [
    { title: 'Start, CPU time until it is ready', unit: 's', aim: 0.4, measure: figure(({ cpu }) => cpu) },
    { title: 'Start, until it is ready', unit: 's', aim: 2, measure: figure(({ elapsed }) => elapsed) },
    { title: 'Resident memory, idle', unit: 'MB', aim: 110, measure: figure(({ megabytes }) => megabytes) },
  ];
}

interface Start {
  readonly cpu: number;
  /** Seconds. */
  readonly elapsed: number;
  readonly megabytes: number;
}

async function startRepeatedly(): Promise<readonly Start[]> {
  const starts: Start[] = [];
  // The first one compiles the code that the others find compiled, as with npm start.
  for (let index = 0; index <= STARTS; index += 1) starts.push(await startOnce());
  return starts.slice(1);
}

async function startOnce(): Promise<Start> {
  const began = performance.now();
  const service = await startService({ core: SERVER_CORE, databaseUrl: 'sqlite:service.db' });
  const elapsed = (performance.now() - began) / 1000;
  const cpu = cpuSeconds(service.pid);
  await sleep(IDLE_MS);
  const megabytes = residentMegabytes(service.pid);
  await service.stop();
  return { cpu, elapsed, megabytes };
}
