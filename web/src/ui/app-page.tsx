// The frame of /account and /console: they need a session, and have a navigation.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { textOf } from '../errors.ts';
import { isLoggingOut, logOut } from '../log-out.ts';
import { useQuery } from '../query.ts';
import { pagePath } from '../service.ts';
import { useSessionStatus, useSessionUser } from '../session-status.ts';
import { commonTexts } from '../texts/common.ts';
import { ActError, useAct } from './act.tsx';
import { Alert } from './alert.tsx';
import { Dialog } from './dialog.tsx';
import { Brand, LanguageChoice, useService, useTitle } from './frame.tsx';
import { Navigation, type NavigationItem } from './navigation.tsx';

interface AppPageProps {
  /** Path of the page: `/account`. The paths of its screens are relative to it. */
  readonly path: string;
  readonly children: ComponentChildren;
}

/** Shows the screens of a page to a user with a session. Without one, the login is next, and then this screen. */
export function AppPage({ path, children }: AppPageProps) {
  const { session } = useService();
  const status = useSessionStatus();
  const userId = useSessionUser();
  const user = useRef<string>(undefined);
  // Decided while the form is there: this render would remove it.
  const keeps = useRef(false);
  if (status === 'signed-in') keeps.current = false;
  else if (status === 'signed-out' && user.current !== undefined && !isLoggingOut()) keeps.current ||= hasUnsavedForm();
  const isKept = keeps.current;
  const restored = useQuery(() => session.restore(), []);
  const leave = () => {
    const query = new URLSearchParams({ return: location.pathname + location.search });
    if (user.current !== undefined && !isLoggingOut()) query.set('ended', 'true');
    location.replace(`${pagePath('/login')}?${query}`);
  };
  useEffect(() => {
    if (status === 'signed-out' && !isKept) leave();
    if (status !== 'signed-in') return;
    // Another tab has logged in with another account, which sees other screens.
    if (userId !== undefined && user.current !== undefined && user.current !== userId) location.reload();
    user.current = userId ?? user.current;
  }, [status, userId, isKept]);

  if (status === 'signed-in' || isKept) {
    return (
      <>
        <Router base={pagePath(path)}>{children}</Router>
        {isKept && <EndedDialog onClose={leave} />}
      </>
    );
  }
  const texts = commonTexts();
  return (
    <main class="narrow">
      {restored.error === undefined ? (
        <p class="loading" role="status">
          {texts.loading}
        </p>
      ) : (
        <Alert>
          <p>{textOf(restored.error)}</p>
          <button onClick={restored.reload}>{texts.retry}</button>
        </Alert>
      )}
    </main>
  );
}

/** Whether a form has values that would be lost with the page. */
function hasUnsavedForm(): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('form :is(input, textarea)')];
  return fields.some((field) =>
    field.type === 'checkbox'
      ? (field as HTMLInputElement).checked !== (field as HTMLInputElement).defaultChecked
      : field.value !== field.defaultValue,
  );
}

/** The session has ended while a form was filled in. A login in another tab continues it, and closes this dialog. */
function EndedDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = commonTexts();
  return (
    <Dialog title={texts.sessionEnded} onClose={onClose}>
      <p>{texts.sessionEndedText}</p>
      <p class="actions">
        <a class="button primary" href={pagePath('/login')} target="_blank" rel="noopener">
          {texts.logInInTab}
        </a>
      </p>
    </Dialog>
  );
}

interface ScreenProps {
  readonly title: string;
  readonly navigation: readonly NavigationItem[];
  /** What can be done with the whole screen, beside its title. */
  readonly actions?: ComponentChildren;
  /** What concerns all screens, in the header of the page. */
  readonly tools?: ComponentChildren;
  /** Links to other pages, before the button that logs out. */
  readonly links?: ComponentChildren;
  readonly children: ComponentChildren;
}

let hasShownScreen = false;

/** A screen of `AppPage`. */
export function Screen({ title, navigation, actions, tools, links, children }: ScreenProps) {
  useTitle(title);
  const content = useRef<HTMLElement>(null);
  // The link to this screen disappeared with the last screen, and the focus with it.
  useLayoutEffect(() => {
    if (hasShownScreen && document.activeElement === document.body) content.current?.focus();
    hasShownScreen = true;
  }, []);
  return (
    <>
      <a class="skip" href="#content">
        {commonTexts().skip}
      </a>
      <header class="bar">
        <Brand />
        {tools}
        <LogOut>{links}</LogOut>
      </header>
      <div class="with-navigation">
        <Navigation items={navigation} />
        <main id="content" ref={content} tabIndex={-1}>
          <div class="title">
            <h1>{title}</h1>
            {actions !== undefined && <div class="actions">{actions}</div>}
          </div>
          {children}
        </main>
      </div>
      <footer class="bar">
        <LanguageChoice />
      </footer>
    </>
  );
}

/** When the session has ended, AppPage leads to the login. */
function LogOut({ children }: { readonly children: ComponentChildren }) {
  const { session } = useService();
  const leave = useAct(() => logOut(session));
  return (
    <div class="actions">
      <ActError act={leave} />
      {children}
      <button class="quiet" aria-disabled={leave.isBusy} onClick={() => leave.run()}>
        {commonTexts().logOut}
      </button>
    </div>
  );
}
