// Parts that several screens of a user have, which are loaded when they are shown.
import { lazyDialog, lazyPart } from '../lazy.tsx';

export const Held = lazyPart(async () => (await import('./held.tsx')).Held);
export const Secured = lazyDialog(async () => (await import('./secured.tsx')).Secured);
