import { PageError } from '../errors.ts';
import { pagePath } from '../service.ts';
import type { OpenApi } from './document.ts';
import { docsTexts } from './texts.ts';

export const DOCUMENT_PATH = pagePath('/openapi.json');

/** Loads the document. It is no operation of the API, so the client has no function for it. */
export async function loadDocument(signal: AbortSignal): Promise<OpenApi> {
  const response = await fetch(DOCUMENT_PATH, { signal }).catch(() => undefined);
  if (!response?.ok) throw new PageError(docsTexts().notLoaded);
  return (await response.json()) as OpenApi;
}
