// The page /console.
import { setConflictTexts } from '../errors.ts';
import { startPage } from '../ui/start-page.tsx';
import { textOfConflict } from './conflicts.ts';
import { ConsolePage } from './console-page.tsx';

setConflictTexts(textOfConflict);
startPage(ConsolePage);
