// What stands in the way of a change (403, 409), in the language of the page.
import type { Violation } from '../../../client/src/index.ts';
import { fillTemplate, partsOf } from '../template.ts';
import { textOfOwnRefusal, textOfParameter } from '../texts/refusals.ts';
import { refusalTexts } from './refusal-texts.ts';

/** Returns the text of a refusal, with local times; undefined for the code of a later release. */
export function textOfRefusal(violation: Violation): string | undefined {
  const { format = '', params = {} } = violation;
  const texts = refusalTexts() as Readonly<Record<string, string>>;
  const text = texts[format];
  if (text === undefined) return textOfOwnRefusal(violation);
  const textOf = (name: string) => {
    const value = textOfParameter(name, params[name]);
    return name === 'finding' ? (texts[value] ?? value) : value;
  };
  const isComplete = partsOf(text).every((part) => 'text' in part || textOf(part.name) !== '');
  return fillTemplate(isComplete ? text : (texts[`${format}Short`] ?? text), textOf);
}
