// Languages. A text that a language lacks is a type error.
import { effect, signal } from '@preact/signals';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

type Text = string | ((...values: never[]) => string);
type Texts = Readonly<Record<string, Text>>;
type Translated<Own extends Texts> = {
  readonly [Key in keyof Own]: Own[Key] extends string ? string : Own[Key];
};

const STORED = 'service:language';

/** The language of the page: the user's choice, else the first one of the browser that exists here. */
export const language = signal<Language>(stored() ?? firstOf(navigator.languages) ?? 'en');

/**
 * Creates the texts of a part of the pages: `const text = createTexts({ en: …, de: … })`. `text()` returns those of the current
 * language, and components that call it are rendered again after a change.
 */
export function createTexts<Own extends Texts>(texts: {
  readonly en: Own;
  readonly de: Translated<NoInfer<Own>>;
}): () => Translated<Own> {
  return () => texts[language.value] as Translated<Own>;
}

export function setLanguage(chosen: Language): void {
  language.value = chosen;
  try {
    localStorage.setItem(STORED, chosen);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}

/** Takes the first of these languages that exists here, unless the user has chosen one. Tags are those of BCP 47. */
export function preferLanguages(tags: readonly string[]): void {
  language.value = stored() ?? firstOf(tags) ?? language.value;
}

effect(() => {
  document.documentElement.lang = language.value;
});

function isLanguage(name: string | null): name is Language {
  return name !== null && Object.hasOwn(LANGUAGES, name);
}

function stored(): Language | undefined {
  try {
    const name = localStorage.getItem(STORED);
    return isLanguage(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

function firstOf(tags: readonly string[]): Language | undefined {
  return tags.map((tag) => tag.split('-')[0]!.toLowerCase()).find(isLanguage);
}
