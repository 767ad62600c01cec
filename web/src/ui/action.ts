import { useRef, useState } from 'preact/hooks';

export interface Action {
  /** Runs the act, unless it is running. */
  readonly run: () => void;
  readonly isBusy: boolean;
  /** The error of the last run. */
  readonly error: unknown;
}

/** An act of a button outside a form. Show its error beside the button. */
export function useAction(act: () => Promise<unknown>): Action {
  const [state, setState] = useState<Omit<Action, 'run'>>({ isBusy: false, error: undefined });
  const isRunning = useRef(false);
  async function run(): Promise<void> {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true, error: undefined });
    try {
      await act();
      setState({ isBusy: false, error: undefined });
    } catch (error) {
      setState({ isBusy: false, error });
    } finally {
      isRunning.current = false;
    }
  }
  return { ...state, run: () => void run() };
}
