// A logout that the user wants: the page is left at once, whatever its forms contain.
import type { Session } from '../../client/src/index.ts';

let isWanted = false;

/** Whether the user is logging out. Otherwise the session has ended by itself. */
export const isLoggingOut = (): boolean => isWanted;

export async function logOut(session: Session): Promise<void> {
  isWanted = true;
  try {
    await session.logout();
  } catch (error) {
    isWanted = false;
    throw error;
  }
}
