// The command line: administration over gRPC, and maintenance on the machine of the service.
import { EXIT } from './failure.ts';
import { run } from './run.ts';
import { processTerminal } from './terminal/process-terminal.ts';

/** How long an interrupted command may finish its current step. */
const INTERRUPTION_GRACE_MS = 3_000;

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The second signal ends a command that does not stop.
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    interruption.abort();
    setTimeout(() => {
      process.stderr.write('interrupted\n');
      process.exit(EXIT.interrupted);
    }, INTERRUPTION_GRACE_MS).unref();
  });
}
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A closed pipe, as with `| head`, ends the command like any other program.
  if (code === 'EPIPE') process.exit(EXIT.done);
  process.stderr.write(`standard output: ${message}\n`);
  process.exit(EXIT.failed);
});

process.exitCode = await run(process.argv.slice(2), processTerminal(interruption.signal));
// A question on the terminal may keep the standard input open.
process.stdin.unref?.();
