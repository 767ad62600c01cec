import { createTexts } from '../i18n.ts';

export const loginTexts = createTexts({
  en: {
    title: 'Log in',
    username: 'Username',
    password: 'Password',
    rememberMe: 'Stay logged in on this device',
    logIn: 'Log in',
    logOut: 'Log out',
    loggedIn: 'You are logged in',
    loggedInText: 'You can close this page, or log out.',
  },
  de: {
    title: 'Anmelden',
    username: 'Benutzername',
    password: 'Passwort',
    rememberMe: 'Auf diesem Gerät angemeldet bleiben',
    logIn: 'Anmelden',
    logOut: 'Abmelden',
    loggedIn: 'Sie sind angemeldet',
    loggedInText: 'Sie können diese Seite schließen oder sich abmelden.',
  },
});
