// Acts without a form: one at a time, with the error at its place.
import { useState } from 'preact/hooks';
import { textOf } from '../errors.ts';
import { Alert } from './alert.tsx';

export interface Act {
  readonly error: unknown;
  readonly isBusy: boolean;
  /** Runs an act unless another one is running. */
  readonly run: (act: () => Promise<unknown>) => void;
}

/** `<button onClick={() => act.run(end)}>` and `<ActError act={act} />`. */
export function useAct(): Act {
  const [state, setState] = useState<Omit<Act, 'run'>>({ error: undefined, isBusy: false });
  return {
    ...state,
    run: (act) => {
      if (state.isBusy) return;
      setState({ error: undefined, isBusy: true });
      act().then(
        () => setState({ error: undefined, isBusy: false }),
        (error: unknown) => setState({ error, isBusy: false }),
      );
    },
  };
}

export function ActError({ act: { error } }: { readonly act: Act }) {
  return error === undefined ? null : <Alert>{textOf(error)}</Alert>;
}
