// The versions of the site. The newest is at the root. Each minor version is also below /vX.Y/, as its last release describes it.

export interface Version {
  /** `0.1`, which is also its folder `v0.1`. */
  readonly name: string;
  /** Tag of the last release. */
  readonly tag: string;
}

/** The last release of each minor version, newest first. Tags of other forms, such as `sdk/go/v0.1.0`, are ignored. */
export function versionsOf(tags: readonly string[]): Version[] {
  const releases = tags.flatMap((tag) => {
    const [, major, minor, patch] = /^v(\d+)\.(\d+)\.(\d+)$/.exec(tag) ?? [];
    return patch === undefined ? [] : [{ tag, numbers: [Number(major), Number(minor), Number(patch)] as const }];
  });
  const newestFirst = releases.toSorted(({ numbers: a }, { numbers: b }) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2]);
  const byName = Map.groupBy(newestFirst, ({ numbers: [major, minor] }) => `${major}.${minor}`);
  return [...byName].map(([name, [last]]) => ({ name, tag: last!.tag }));
}

/** What the line above the pages of an older version needs. */
export interface ShownVersions {
  readonly currentVersion: string;
  /** Undefined on the pages of the latest version. */
  readonly latestVersion: string | undefined;
  readonly latestUrl: string | undefined;
}

interface MenuItem {
  readonly text: string;
  readonly link: string;
  readonly target?: string;
  readonly noIcon?: boolean;
}

/** The items of the menu. Without the URL of the site, other versions have no address. */
export function versionMenu(current: string, names: readonly string[], url: string | undefined): MenuItem[] {
  const items: MenuItem[] = [];
  if (url !== undefined) {
    for (const [index, name] of names.entries()) {
      const text = [name, index === 0 ? 'latest' : '', name === current ? 'this one' : ''].filter(Boolean).join(', ');
      const link = index === 0 ? `${url}/` : `${url}/v${name}/`;
      items.push({ text, link, target: '_self', noIcon: true });
    }
  }
  return [...items, { text: 'Changes', link: '/changelog' }, { text: 'Upgrading', link: '/upgrading' }];
}
