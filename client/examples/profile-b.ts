import { createTokenSession, localStorageStore } from 'authservice-client';

// In memory: a reload is a new login.
export const careful = createTokenSession();

// In local storage: survives reloads, and every script of the origin can read the refresh token.
export const convenient = createTokenSession({ store: localStorageStore() });
