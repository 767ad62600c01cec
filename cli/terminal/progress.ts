import { MultiBar, Presets } from 'cli-progress';

/** Shows how far a long command is. */
export interface Progress {
  /** Moves the bar and replaces the text after it. */
  update(done: number, text: string): void;
  stop(): void;
}

/** A progress bar that other output of the same terminal does not overwrite. */
export interface ProgressBar extends Progress {
  /** Writes above the bar. */
  writeAbove(write: () => void): void;
}

const MIN_BAR = 10;
const MAX_BAR = 40;
/** The percentage, the time left and the longest text after the bar. */
const TEXTS_WIDTH = 60;
const CLEAR_LINE = '\r\u001b[K';

/** Draws a bar on a stream that is a terminal. */
export function drawProgress(stream: NodeJS.WriteStream, total: number, text: string): ProgressBar {
  // Unlike SingleBar, it does not return to the line where it began, which other lines have taken meanwhile.
  const bars = new MultiBar(
    {
      format: '{bar} {percentage}% | {text} | {eta_formatted} left',
      stream,
      barsize: Math.max(MIN_BAR, Math.min(MAX_BAR, stream.columns - TEXTS_WIDTH)),
      etaBuffer: 100,
      clearOnComplete: true,
      forceRedraw: true,
      // Otherwise the library turns off the wrapping of lines above the bar too.
      linewrap: true,
    },
    Presets.legacy,
  );
  const bar = bars.create(total, 0, { text });
  return {
    update: (done, next) => bar.update(done, { text: next }),
    stop: () => bars.stop(),
    writeAbove(write) {
      stream.write(CLEAR_LINE);
      write();
      bars.update();
    },
  };
}
