import type { NextAuthOptions } from 'next-auth';
import type { JWT } from 'next-auth/jwt';

const issuer = process.env.AUTH_ISSUER!;
const clientId = process.env.AUTH_CLIENT_ID!;
const clientSecret = process.env.AUTH_CLIENT_SECRET!;

declare module 'next-auth/jwt' {
  interface JWT {
    accessToken: string;
    refreshToken: string;
    idToken: string;
    /** In seconds. */
    expiresAt: number;
    isEnded?: true;
  }
}
declare module 'next-auth' {
  interface Session {
    /** The provider has refused a refresh: log in again. */
    isEnded?: true;
  }
}

export const metadata = async () => (await fetch(`${issuer}/.well-known/openid-configuration`)).json();

export const authOptions: NextAuthOptions = {
  providers: [
    {
      id: 'auth',
      name: 'Acme',
      type: 'oauth',
      wellKnown: `${issuer}/.well-known/openid-configuration`,
      clientId,
      clientSecret,
      authorization: { params: { scope: 'openid profile email' } },
      idToken: true,
      checks: ['pkce', 'state', 'nonce'],
      profile: ({ sub, name, email }) => ({ id: sub, name, email }),
    },
  ],
  callbacks: {
    async jwt({ token, account }) {
      if (account)
        return {
          ...token,
          accessToken: account.access_token!,
          refreshToken: account.refresh_token!,
          idToken: account.id_token!,
          expiresAt: account.expires_at!,
        };
      // A refresh shows whether the session at the provider has ended.
      return Date.now() / 1000 < token.expiresAt - 60 ? token : refresh(token);
    },
    session: ({ session, token }) => ({ ...session, ...(token.isEnded && { isEnded: true }) }),
  },
};

async function refresh(token: JWT): Promise<JWT> {
  const { token_endpoint: endpoint } = await metadata();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token.refreshToken }),
  });
  if (response.status === 400) return { ...token, isEnded: true };
  if (!response.ok) return token;
  const renewed = await response.json();
  return {
    ...token,
    accessToken: renewed.access_token,
    refreshToken: renewed.refresh_token,
    idToken: renewed.id_token,
    expiresAt: Date.now() / 1000 + renewed.expires_in,
  };
}
