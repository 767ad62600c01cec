// The frame of the pages: brand, content, language.
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { LANGUAGES, language, setLanguage, type Language } from '../i18n.ts';
import type { Service } from '../service.ts';
import { commonTexts } from '../texts/common.ts';

export const ServiceContext = createContext<Service | undefined>(undefined);

/** Returns the service. Only for components below `startPage`. */
export function useService(): Service {
  return useContext(ServiceContext)!;
}

/** Sets the title of the tab: the screen, then the name of the service. */
export function useTitle(title: string): void {
  const { options } = useService();
  useLayoutEffect(() => {
    document.title = `${title} · ${options.name}`;
  }, [title, options.name]);
}

/** The mark and the name of the service. */
export function Brand() {
  const { options } = useService();
  return (
    <p class="brand">
      <Mark />
      <bdi>{options.name}</bdi>
    </p>
  );
}

/** The logo of the settings, or the mark. */
function Mark() {
  const { logo } = document.getElementById('page')!.dataset;
  if (logo !== undefined) return <img class="logo" src={logo} alt="" />;
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M11 15v-3a5 5 0 0 1 10 0v3" />
      <rect class="body" x="8" y="14.5" width="16" height="11" rx="2.5" />
      <circle cx="16" cy="20" r="2.2" />
    </svg>
  );
}

/** Buttons for the languages. */
export function LanguageChoice() {
  return (
    <div class="languages" role="group" aria-label={commonTexts().language}>
      {Object.entries(LANGUAGES).map(([code, name]) => (
        <button
          key={code}
          class="quiet"
          lang={code}
          aria-pressed={code === language.value}
          onClick={() => setLanguage(code as Language)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

interface CardPageProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** What is above the title of each card, such as the application that asks for a login. */
export const CardHead = createContext<ComponentChildren>(undefined);

/** A page with one card, such as a login. */
export function CardPage({ title, children }: CardPageProps) {
  useTitle(title);
  const head = useContext(CardHead);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    // The next screen is announced: its field has the focus, or its heading gets it.
    if (document.activeElement === document.body) heading.current?.focus();
  }, [title]);
  return (
    <>
      <main class="narrow">
        <Brand />
        <div class="card">
          {head}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {children}
        </div>
      </main>
      <footer class="narrow">
        <LanguageChoice />
      </footer>
    </>
  );
}

/** A card until its content is known. */
export function LoadingPage({ title }: Pick<CardPageProps, 'title'>) {
  return (
    <CardPage title={title}>
      <p class="loading" role="status">
        {commonTexts().loading}
      </p>
    </CardPage>
  );
}
