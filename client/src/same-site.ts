// Whether browsers keep the refresh cookie (SameSite=Lax) between a page and a service.

import type { PageLocation } from './caller.ts';

/** IP addresses and names without a dot, such as localhost, are sites of their own. */
const isSite = (host: string): boolean => /^[\d.]+$|^\[|^[^.]+$/.test(host);

/** The last two labels. Where a site has three (co.uk), different sites look the same: the list of these is too long for a page. */
const siteOf = ({ hostname }: PageLocation): string =>
  isSite(hostname) ? hostname : hostname.split('.').slice(-2).join('.');

/** Whether the two are certainly different sites (RFC 6265bis section 5.2, with the scheme). Ports do not matter. */
export function areDifferentSites(page: PageLocation, service: PageLocation): boolean {
  return page.protocol !== service.protocol || siteOf(page) !== siteOf(service);
}

/** Warns on the console if the session cannot survive a reload. Otherwise, the user would be logged out without a reason. */
export function warnOfOtherSite(page: PageLocation | undefined, service: PageLocation | undefined): void {
  // Extensions and apps have other schemes and other rules.
  if (!page?.protocol.startsWith('http') || !service || !areDifferentSites(page, service)) return;
  console.warn(
    `authservice-client: ${page.origin} and ${service.origin} are different sites. A reload ends the session: ` +
      'see "One site" in the README.',
  );
}
