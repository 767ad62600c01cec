import { runIsolation } from './command.ts';

process.exitCode = await runIsolation(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
});
