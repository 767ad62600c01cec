// Parts of a screen whose files are loaded when they are first shown.
import type { FunctionComponent } from 'preact';
import { PageError } from '../errors.ts';
import { useQuery, type Query } from '../query.ts';
import { Dialog } from '../ui/dialog.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { ConsoleFrame } from './console-frame.tsx';
import { consoleTexts } from './texts.ts';

type Load<Props> = () => Promise<FunctionComponent<Props>>;

/** Returns a hook that loads a component once, and the component when it is there. */
function createLoader<Props>(load: Load<Props>) {
  let loaded: FunctionComponent<Props> | undefined;
  return (): readonly [Content: FunctionComponent<Props> | undefined, query: Query<unknown>] => {
    const query = useQuery(async () => {
      loaded ??= await load().catch(() => {
        throw new PageError(consoleTexts().notLoaded);
      });
      return loaded;
    }, []);
    return [loaded, query];
  };
}

/** A screen below the one of the navigation, such as a record. Its title is shown until it is there. */
export function lazyScreen<Props extends object>(title: () => string, load: Load<Props>): FunctionComponent<Props> {
  const useLoaded = createLoader(load);
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
  const useLoaded = createLoader(load);
  return (props) => {
    const [Content, query] = useLoaded();
    return Content ? <Content {...props} /> : <QueryView query={query}>{() => null}</QueryView>;
  };
}

/** A dialog of a screen. */
export function lazyDialog<Props extends { readonly onClose: () => void }>(load: Load<Props>): FunctionComponent<Props> {
  const useLoaded = createLoader(load);
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
