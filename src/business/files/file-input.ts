// What may be announced of a file.
import { hasLength, wrongLength, type RequestCheck } from '../../request-check.ts';

const MAX_NAME = 255;
const MAX_TYPE = 127;

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
/** RFC 9110 section 8.3.1. A space can be read in one way only: with two, a line of `; ; ;` would take for ever. */
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;(?:[ \\t]*${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\\\x00-\\x1F\\x7F-\\uFFFF]|\\\\[\\x20-\\x7E])*"))?)*$`,
);

/** A name of 1-255 characters without slashes of either kind. */
export function checkFileName(check: RequestCheck, name: string): string {
  const checked = check.text('fileName', name, MAX_NAME);
  if (/[/\\]/.test(checked)) {
    const params = { excluded: '/\\' };
    check.violate({ message: 'must not hold slashes', format: 'characters', props: ['fileName'], params });
  }
  return checked;
}

/** A media type of at most 127 characters. */
export function checkMediaType(check: RequestCheck, type: string): string {
  const trimmed = type.trim();
  if (!hasLength(trimmed, 1, MAX_TYPE)) check.violate(wrongLength('contentType', 1, MAX_TYPE));
  else if (!MEDIA_TYPE.test(trimmed)) {
    check.violate({ message: 'must be a media type', format: 'media-type', props: ['contentType'] });
  }
  return trimmed;
}
