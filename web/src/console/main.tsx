// The page /console.
import { setRefusalTexts } from '../errors.ts';
import { startPage } from '../ui/start-page.tsx';
import { ConsolePage } from './console-page.tsx';
import { textOfRefusal } from './refusals.ts';

setRefusalTexts(textOfRefusal);
startPage(ConsolePage);
