import { fileURLToPath } from 'node:url';
import { originalStack } from '../../original-stack.ts';

const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FRAME = /^ {4}at (?:(?<where>[\w$.<>[\]# ]{1,200}) \()?(?:file:\/\/)?(?<path>[^()\s]+:\d+:\d+)\)?$/;

/**
 * Returns the error's frames that lie in the project, with paths relative to its root. Frames of Node itself vary from
 * call to call and are useless. The error's message is not included.
 */
export function safeFrames(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? originalStack(error.stack) : '';
  const message = error.message === '' ? -1 : stack.indexOf(error.message);
  return stack
    .slice(message < 0 ? 0 : message + error.message.length)
    .split('\n')
    .flatMap(safeFrame);
}

function safeFrame(line: string): string[] {
  const { where, path } = FRAME.exec(line)?.groups ?? {};
  if (!path?.startsWith(PROJECT_ROOT)) return [];
  const shown = path.slice(PROJECT_ROOT.length);
  return [where === undefined ? `    at ${shown}` : `    at ${where} (${shown})`];
}

/** Returns the first characters of a text, counted in code points so that no surrogate pair is split. */
export function cutText(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text;
  let end = 0;
  for (let count = 0; count < maxCodePoints && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
