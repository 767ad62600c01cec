// One word for one thing. docs/glossary.md has the word; the others are refused in code, protos, settings and documents.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../support/service-process.ts';

interface Word {
  /** The word of the glossary. */
  readonly use: string;
  readonly refused: RegExp;
  /** A text that the rule must find. */
  readonly example: string;
  /** Names that stay, as they stand in the text. */
  readonly except?: RegExp;
}

// The previous release uses the same database, so tables, columns and stored names stay.
const WORDS: readonly Word[] = [
  {
    use: 'Profile A',
    refused: /cookie[ -]mode|cookie_?mode|cookie-?profile/i,
    example: 'the gateway is in cookie mode',
  },
  {
    use: 'Profile B',
    refused: /token[ -]mode|token_?mode|token-?profile|\bauth-b\b/i,
    example: "import { tokenMode } from './token-mode/profile.ts';",
  },
  {
    use: 'refresh-token transport',
    refused: /credential[ _]?form|session_?form\b/i,
    example: 'readonly credentialForm: string;',
    except: /\bcredential_form\b/g,
  },
  {
    use: 'session',
    refused:
      /session[ _-]?famil|refresh[ -]token[ -]famil|\bfamil(?:y|ies)\b(?=.*\b(?:token|session|generation|refresh|replay))/i,
    example: 'a replay revokes the family of the refresh token',
    except: /(?:\b|_)session_families\b|a session family, and so does its table/g,
  },
  {
    use: 'refresh token',
    refused: /refresh[ _-]credential/i,
    example: 'presents its refresh credential',
    except: /['`]refresh-credential-tag['`]/g,
  },
  {
    use: 'settled rotation',
    refused: /\bsettlements?\b(?!\.)|settled (?:login|attempt|audit)/i,
    example: 'the settlement of a password attempt',
    except: /\b(?:decideSettlement|SettlementDecision)\b|rotation-batches,settlement\}|waits for the settlement/g,
  },
];

/** Texts of others, history, the decision on the words, and this list. */
const IGNORED =
  /^(?:CHANGELOG\.md|docs\/decisions\/archive\/0054-|third_party\/|proto\/gen\/|package-lock\.json|test\/unit\/words\.test\.ts|.*\.(?:png|jpg|binpb|gif|webp)$)/;

const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: PROJECT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !IGNORED.test(path));
const glossary = readFileSync(`${PROJECT}/docs/glossary.md`, 'utf8');

const violates = ({ refused, except }: Word, line: string): boolean =>
  refused.test(except ? line.replaceAll(except, '') : line);

function linesOf(path: string): string[] {
  try {
    return [path, ...readFileSync(`${PROJECT}/${path}`, 'utf8').split('\n')];
  } catch (error) {
    // Deleted, but not yet committed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

describe.each(WORDS)('$use', (word) => {
  it('is in the glossary', () => {
    expect(glossary).toContain(`| ${word.use}`);
  });

  it('has no other name', () => {
    const found = paths.flatMap((path) =>
      linesOf(path).flatMap((line, number) => (violates(word, line) ? [`${path}:${number}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it('is told from its other names', () => {
    expect(violates(word, word.example)).toBe(true);
  });
});
