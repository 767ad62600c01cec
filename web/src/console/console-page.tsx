import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link, Redirect, useLocation } from 'wouter-preact';
import { getMyAccount } from '../../../client/src/operations.ts';
import { PageError } from '../errors.ts';
import { useQuery } from '../query.ts';
import { AppPage } from '../ui/app-page.tsx';
import { pagePath } from '../service.ts';
import { commonTexts } from '../texts/common.ts';
import { useService } from '../ui/frame.tsx';
import { NoPermission, QueryView } from '../ui/query-view.tsx';
import { ConsoleFrame } from './console-frame.tsx';
import { AccountContext, useConsole } from './context.ts';
import { loadScreen } from './load-screen.ts';
import { findScreen, type ConsoleScreen } from './screens.ts';
import { consoleTexts } from './texts.ts';
import { Welcome } from './welcome.tsx';

export function ConsolePage() {
  return (
    <AppPage path="/console">
      <Account />
    </AppPage>
  );
}

/** Loads the account, whose permissions decide which screens there are. */
function Account() {
  const { session } = useService();
  const query = useQuery((signal) => getMyAccount(session, {}, { signal }), []);
  if (query.data === undefined) {
    return (
      <main class="narrow">
        <QueryView query={query}>{() => null}</QueryView>
      </main>
    );
  }
  return (
    <AccountContext.Provider value={query.data.data}>
      <CurrentScreen />
    </AccountContext.Provider>
  );
}

/** Where invited users arrive. */
const WELCOME = '/welcome';

/** Most users administer nothing. */
function ToAccount() {
  useEffect(() => location.replace(pagePath('/account')), []);
  return null;
}

function CurrentScreen() {
  const [path] = useLocation();
  const { linkTo, screens } = useConsole();
  const texts = consoleTexts();
  const [first] = screens;
  const screen = findScreen(path);
  if (path === WELCOME) return first ? <Welcome /> : <ToAccount />;
  if (screen && screens.includes(screen)) return <LoadedScreen key={screen.path} screen={screen} />;
  if (path === '/' && first) return <Redirect to={linkTo(first.path)} replace />;
  return (
    <ConsoleFrame title={screen?.title() ?? (path === '/' ? texts.console : texts.notFound)}>
      {screen || !first ? (
        <NoPermission>
          {first ? (
            <Link href={linkTo(first.path)}>{texts.goTo(first.title())}</Link>
          ) : (
            <a href={pagePath('/account')}>{commonTexts().myAccount}</a>
          )}
        </NoPermission>
      ) : (
        <p>
          <Link href={linkTo(first.path)}>{texts.goTo(first.title())}</Link>
        </p>
      )}
    </ConsoleFrame>
  );
}

const loaded = new Map<string, FunctionComponent>();

function LoadedScreen({ screen: { path, title } }: { readonly screen: ConsoleScreen }) {
  const query = useQuery(async () => {
    const Content = await loadScreen(path).catch(() => {
      throw new PageError(consoleTexts().notLoaded);
    });
    loaded.set(path, Content);
    return Content;
  }, []);
  const Content = loaded.get(path);
  if (Content) return <Content />;
  return (
    <ConsoleFrame title={title()}>
      <QueryView query={query}>{() => null}</QueryView>
    </ConsoleFrame>
  );
}
