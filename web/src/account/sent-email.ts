// The mail that confirms an address, while its link is valid. The tab keeps it, so that the page shows it after a reload.
const STORED = 'service:sent-email';
const LINK_VALID_MS = 30 * 60_000;

export interface SentEmail {
  readonly accountId: string;
  readonly address: string;
  readonly sentAt: number;
}

/** Returns the mail of this account. */
export function readSentEmail(accountId: string): SentEmail | undefined {
  try {
    const sent = JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as SentEmail | null;
    if (sent?.accountId !== accountId) return undefined;
    return Date.now() < sent.sentAt + LINK_VALID_MS ? sent : undefined;
  } catch {
    return undefined;
  }
}

export function storeSentEmail(sent: SentEmail): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(sent));
  } catch {
    // Without storage, the page shows it until it is reloaded.
  }
}
