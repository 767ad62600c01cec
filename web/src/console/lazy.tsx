// Parts of a screen whose files are loaded when they are first shown.
import type { FunctionComponent } from 'preact';
import { PageError } from '../errors.ts';
import { useQuery, type Query } from '../query.ts';
import { Dialog } from '../ui/dialog.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { ConsoleFrame } from './console-frame.tsx';
import { consoleTexts } from './texts.ts';

type Load<Props> = () => Promise<FunctionComponent<Props>>;

interface Loader<Props> {
  readonly preload: () => void;
  /** Loads the component once. Returns it when it is there. */
  readonly useLoaded: () => readonly [Content: FunctionComponent<Props> | undefined, query: Query<unknown>];
}

function createLoader<Props>(load: Load<Props>): Loader<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  const fetchOnce = async () => (loaded ??= await load());
  return {
    // A failure is shown where the component is.
    preload: () => void fetchOnce().catch(() => undefined),
    useLoaded() {
      const query = useQuery(
        () =>
          fetchOnce().catch(() => {
            throw new PageError(consoleTexts().notLoaded);
          }),
        [],
      );
      return [loaded, query];
    },
  };
}

/** A screen below the one of the navigation, such as a record. Its title is shown until it is there. */
export function lazyScreen<Props extends object>(title: () => string, load: Load<Props>): FunctionComponent<Props> {
  const { useLoaded } = createLoader(load);
  return (props) => {
    const [Content, query] = useLoaded();
    if (Content) return <Content {...props} />;
    return (
      <ConsoleFrame title={title()}>
        <QueryView query={query}>{() => null}</QueryView>
      </ConsoleFrame>
    );
  };
}

/** A part of a screen. */
export function lazyPart<Props extends object>(load: Load<Props>): FunctionComponent<Props> {
  const { useLoaded } = createLoader(load);
  return (props) => {
    const [Content, query] = useLoaded();
    return Content ? <Content {...props} /> : <QueryView query={query}>{() => null}</QueryView>;
  };
}

/** A dialog of a screen. It is loaded after the screen, so that its first field has the focus in the turn of the click. */
export function lazyDialog<Props extends { readonly onClose: () => void }>(
  load: Load<Props>,
): FunctionComponent<Props> {
  const { preload, useLoaded } = createLoader(load);
  preload();
  return (props) => {
    const [Content, query] = useLoaded();
    if (Content) return <Content {...props} />;
    if (query.error === undefined) return null;
    return (
      <Dialog title={consoleTexts().console} onClose={props.onClose}>
        <QueryView query={query}>{() => null}</QueryView>
      </Dialog>
    );
  };
}
