// What breaks WCAG in VitePress 1.6 and its theme, replaced in the sources at the build: controls inside of controls (4.1.2), names
// that differ from the visible text (2.5.3), a page without a main part. If an update changes a source, the build fails here, so that
// the replacement is reviewed.

interface Replacement {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const REPLACEMENTS: readonly Replacement[] = [
  // Headings of groups that cannot be folded are not buttons.
  {
    file: 'VPSidebarItem.vue',
    from: ':role="itemRole"',
    to: ':role="collapsible ? itemRole : undefined"',
  },
  { file: 'VPSidebarItem.vue', from: ':tabindex="item.items && 0"', to: ':tabindex="collapsible ? 0 : undefined"' },
  // The key is no part of the name of the button: style.css shows it.
  {
    file: 'VPNavBarSearchButton.vue',
    from: '<kbd class="DocSearch-Button-Key">K</kbd>',
    to: '<kbd class="DocSearch-Button-Key search-key"></kbd>',
  },
  { file: 'VPHome.vue', from: 'class="VPHome"', to: 'class="VPHome" role="main"' },
  { file: 'NotFound.vue', from: '<div class="NotFound">', to: '<div class="NotFound" role="main">' },
  // The search is a dialog with a list of links, not a button around a list box.
  {
    file: 'VPLocalSearchBox.vue',
    from: `      role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"
`,
    to: '      role="dialog"\n      aria-modal="true"\n',
  },
  { file: 'VPLocalSearchBox.vue', from: `          :role="results?.length ? 'listbox' : undefined"\n`, to: '' },
  {
    file: 'VPLocalSearchBox.vue',
    from: `            :aria-selected="selectedIndex === index ? 'true' : 'false'"\n            role="option"\n`,
    to: '',
  },
  {
    file: 'VPLocalSearchBox.vue',
    from: `              :aria-label="[...p.titles, p.title].join(' > ')"\n`,
    to: '',
  },
  // Only an element with a role can have a name.
  { file: 'VPLocalSearchBox.vue', from: '<kbd :aria-label', to: '<kbd role="img" :aria-label' },
  { file: 'VPLocalSearchBox.vue', from: `            aria-autocomplete="both"\n`, to: '' },
];

interface SourcePlugin {
  readonly name: string;
  readonly enforce: 'pre';
  transform: (code: string, id: string) => string | undefined;
}

/** A plugin of Vite. */
export function accessibilityPlugin(): SourcePlugin {
  return {
    name: 'accessible-roles',
    enforce: 'pre',
    transform(code, id) {
      const replacements = REPLACEMENTS.filter(
        ({ file }) => /\/theme-default\/(?:components\/)?[^/]+$/.test(id) && id.endsWith(`/${file}`),
      );
      if (replacements.length === 0) return undefined;
      return replacements.reduce((text, { file, from, to }) => {
        if (!text.includes(from)) throw new Error(`${file} of VitePress has changed: review site/accessibility.ts`);
        return text.replaceAll(from, to);
      }, code);
    },
  };
}

interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
}

interface Renderer {
  readonly core: {
    readonly ruler: { push: (name: string, rule: (state: { readonly tokens: readonly Token[] }) => void) => void };
  };
}

/** A plugin of markdown-it: the empty corner of a table is a cell, not a header of nothing. */
export function tableCornersPlugin(renderer: Renderer): void {
  renderer.core.ruler.push('table-corners', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[index + 1]?.content !== '') continue;
      token.tag = 'td';
      tokens[index + 2]!.tag = 'td';
    }
  });
}
