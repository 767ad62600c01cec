// Acts without a form: one at a time, with the error at its place.
import { useRef, useState } from 'preact/hooks';
import { textOf } from '../errors.ts';
import { Alert } from './alert.tsx';

export interface Act<Args extends readonly unknown[] = readonly []> {
  /** The error of the last run. */
  readonly error: unknown;
  readonly isBusy: boolean;
  /** Runs the act, unless it is running. */
  readonly run: (...args: Args) => void;
}

/** `<button aria-disabled={end.isBusy} onClick={() => end.run()}>` and `<ActError act={end} />`. */
export function useAct<Args extends readonly unknown[]>(act: (...args: Args) => Promise<unknown>): Act<Args> {
  const [state, setState] = useState<Omit<Act, 'run'>>({ error: undefined, isBusy: false });
  // The state is that of the last render, so a second click before the next one would not see it.
  const isRunning = useRef(false);
  async function run(...args: Args): Promise<void> {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ error: undefined, isBusy: true });
    try {
      await act(...args);
      setState({ error: undefined, isBusy: false });
    } catch (error) {
      setState({ error, isBusy: false });
    } finally {
      isRunning.current = false;
    }
  }
  return { ...state, run: (...args) => void run(...args) };
}

export function ActError({ act: { error } }: { readonly act: Pick<Act, 'error'> }) {
  return error === undefined ? null : <Alert>{textOf(error)}</Alert>;
}
