// The language of a mail that an administrator sends.
import { language, LANGUAGES } from '../i18n.ts';
import { ChoiceField } from '../ui/choice-field.tsx';
import type { Values } from '../ui/form.tsx';
import { consoleTexts } from './texts.ts';

/** The choice in a form. Its value is `language`, at first that of the page. */
export const MailLanguage = () => (
  <ChoiceField
    name="language"
    label={consoleTexts().mailLanguage}
    value={language.value}
    options={Object.entries(LANGUAGES)}
  />
);

/** Returns the member of a request for the language of its mail. */
export const mailLanguageOf = ({ language: chosen }: Values): { readonly language?: 'en' | 'de' } =>
  chosen === 'en' || chosen === 'de' ? { language: chosen } : {};
