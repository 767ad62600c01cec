// Load test of one unary RPC of a running core. See docs/performance.md.
import { writeFileSync } from 'node:fs';
import { openCaller } from './caller.ts';
import { encodeRequest, readOptions, USAGE, type LoadOptions } from './options.ts';
import { summaryOf, textOf } from './report.ts';
import { load } from './run.ts';

const options = orStop(() => readOptions(process.argv.slice(2)));
if (options === undefined) process.stdout.write(`${USAGE}\n`);
else await run(options);

async function run({ rpc, data, concurrency, perSecond, durationMs, warmUpMs, json, ...connection }: LoadOptions) {
  const message = orStop(() => encodeRequest(rpc, JSON.parse(data)));
  const { target } = connection;
  const caller = await openCaller({ ...connection, path: `/${rpc}`, message }).catch((error: Error) =>
    stop(`${target} cannot be reached: ${error.message}`),
  );
  if (warmUpMs > 0) await load(caller, { concurrency, durationMs: warmUpMs, perSecond });
  const summary = summaryOf(await load(caller, { concurrency, durationMs, perSecond }));
  await caller.close();
  process.stdout.write(`${target}: ${textOf(summary)}\n`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(summary, undefined, 2)}\n`);
  if ((summary.statuses['OK'] ?? 0) < summary.calls) process.exitCode = 1;
}

function orStop<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return stop((error as Error).message);
  }
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
