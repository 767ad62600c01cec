import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readText } from '../../platform/read-text.ts';
import { SettingError } from '../../platform/setting-error.ts';
import { LANGUAGES, type Language } from '../access/policy/policy-fields.ts';
import { parseTemplate, TEMPLATE_NAMES, TEMPLATE_VALUES, type Template, type TemplateName } from './template.ts';

/** Returns a template. */
export type Templates = (language: Language, name: TemplateName) => Template;

const OWN_FOLDER = fileURLToPath(new URL('templates', import.meta.url));

/**
 * Reads all templates: those of a folder, and those of this project for files that the folder does not have. Throws an Error
 * that names the file.
 */
export function loadTemplates(folder: string | undefined): Templates {
  const templates = new Map<string, Template>();
  for (const language of LANGUAGES)
    for (const name of TEMPLATE_NAMES) templates.set(`${language}/${name}`, readTemplate(folder, language, name));
  return (language, name) => templates.get(`${language}/${name}`)!;
}

function readTemplate(folder: string | undefined, language: Language, name: TemplateName): Template {
  const file = join(language, `${name}.txt`);
  const replacement = folder === undefined ? undefined : join(folder, file);
  const path = replacement !== undefined && existsSync(replacement) ? replacement : join(OWN_FOLDER, file);
  try {
    return parseTemplate(readText(path), TEMPLATE_VALUES[name]);
  } catch (error) {
    throw new SettingError(`app.mail.templates: ${path}: ${(error as Error).message}`, { cause: error });
  }
}
