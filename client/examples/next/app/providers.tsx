'use client';
import { createCookieSession } from 'authservice-client';
import { SessionProvider } from 'authservice-client/react';
import type { ReactNode } from 'react';

const session = createCookieSession();

export function Providers({ children }: { readonly children: ReactNode }) {
  return <SessionProvider session={session}>{children}</SessionProvider>;
}
