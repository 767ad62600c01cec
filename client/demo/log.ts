// The log of this tab's requests and messages.
import { create, element } from './elements.ts';

const KEPT = 100;

/** Adds an entry at the top. */
export function addToLog(text: string, isProblem = false): void {
  const list = element('log');
  const entry = create('li', '', isProblem ? 'problem' : '');
  entry.append(create('time', new Date().toLocaleTimeString('en-GB')), text);
  list.prepend(entry);
  while (list.children.length > KEPT) list.lastElementChild!.remove();
}

/** Shows the result of the last action. */
export function say(text: string, isProblem = false): void {
  const status = element('status');
  status.textContent = text;
  status.classList.toggle('problem', isProblem);
}
