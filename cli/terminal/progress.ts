import { Presets, SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.ts';

/** Shows how far a long command is. */
export interface Progress {
  update(done: number, texts: Readonly<Record<string, string>>): void;
  stop(): void;
}

/**
 * Starts a progress bar on the standard error, if a person reads it. `format` is that of cli-progress.
 */
export function startProgress(
  { isInteractive }: Pick<Terminal, 'isInteractive'>,
  total: number,
  format: string,
): Progress {
  if (!isInteractive) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({ format, stream: process.stderr, etaBuffer: 100, clearOnComplete: true }, Presets.legacy);
  bar.start(total, 0);
  return { update: (done, texts) => bar.update(done, texts), stop: () => bar.stop() };
}
