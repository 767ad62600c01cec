// The default theme with the colours of the service's pages, and fonts of the reader's machine.
import { useData, type Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineComponent, h } from 'vue';
import type { ShownVersions } from '../../versions.ts';
import './style.css';

/** A line above the documents of an older version. */
const OlderVersion = defineComponent(() => {
  const { theme } = useData<ShownVersions>();
  return () => {
    const { currentVersion, latestVersion, latestUrl } = theme.value;
    if (latestVersion === undefined) return undefined;
    return h('aside', { class: 'older-version', 'aria-label': 'Version' }, [
      `This is the documentation of version ${currentVersion}. `,
      h('a', { href: `${latestUrl}/`, target: '_self' }, `The latest version is ${latestVersion}.`),
    ]);
  };
});

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-before': () => h(OlderVersion) }),
} satisfies Theme;
