// Texts that do not fit into their places on a page.
import type { Page } from 'playwright-core';

/** Returns the texts that do not fit in their elements. Tables scroll by themselves. */
export const findCutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
      .filter((element) => {
        // Texts for screen readers alone are clipped.
        const { overflowX, clipPath } = getComputedStyle(element);
        return overflowX !== 'visible' && clipPath === 'none' && element.textContent !== '';
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 100)),
  );

/** Returns the words that continue in another line, except those that are longer than any column. */
export const findBrokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('td bdi, th bdi, td .status')].flatMap((element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const broken: string[] = [];
      for (let text = walker.nextNode() as Text | null; text; text = walker.nextNode() as Text | null)
        for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}_]{1,20}/gu)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1) broken.push(word);
        }
      return broken;
    }),
  );
