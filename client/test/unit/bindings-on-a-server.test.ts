// The bindings of React and Vue where a server renders them: no document, no address of the service.
import { createElement as element } from 'react';
import { renderToString as renderReact } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSSRApp, h } from 'vue';
import { renderToString as renderVue } from 'vue/server-renderer';
import { createCookieSession, type Session } from '../../src/index.ts';
import { SessionProvider, useSession as useReactSession } from '../../src/react.ts';
import { createSessionPlugin, useSession as useVueSession } from '../../src/vue.ts';
import { accessToken, json } from './helpers.ts';

const ReactPage = () => {
  const { status, user } = useReactSession();
  return element('p', null, `${status} ${user?.id ?? 'nobody'}`);
};
const VuePage = {
  setup() {
    const { status, user } = useVueSession();
    return () => h('p', `${status.value} ${user.value?.id ?? 'nobody'}`);
  },
};

const BINDINGS: Readonly<Record<string, (session: Session) => Promise<string>>> = {
  React: async (session) => renderReact(element(SessionProvider, { session }, element(ReactPage))),
  Vue: (session) => renderVue(createSSRApp(VuePage).use(createSessionPlugin(session))),
};

describe.each(Object.entries(BINDINGS))('%s', (_name, render) => {
  beforeEach(() => {
    for (const name of ['fetch', 'BroadcastChannel', 'setTimeout'] as const)
      vi.stubGlobal(name, () => {
        throw new Error(`${name} is not for servers`);
      });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('renders the state loading, without a request, a timer or a channel', async () => {
    expect(await render(createCookieSession())).toBe('<p>loading nobody</p>');
  });

  it('renders no user of a session that the server has opened by mistake', async () => {
    vi.unstubAllGlobals();
    const session = createCookieSession({
      baseUrl: 'https://service.test',
      fetch: async () => json({ accessToken: accessToken() }),
    });
    await session.login({ username: 'a', password: 'b' });
    expect(await render(session)).toBe('<p>loading nobody</p>');
    session.close();
  });
});

describe('useSession without its session', () => {
  it('names the provider of React', () => {
    expect(() => renderReact(element(ReactPage))).toThrow('useSession needs a <SessionProvider session={…}>');
  });

  it('names the plugin of Vue', async () => {
    const app = createSSRApp(VuePage);
    app.config.warnHandler = () => undefined;
    await expect(renderVue(app)).rejects.toThrow('useSession needs app.use(createSessionPlugin(session))');
  });
});
