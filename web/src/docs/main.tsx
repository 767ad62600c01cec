// /docs: the OpenAPI document of the service, for people.
import { startPage } from '../ui/frame.tsx';
import { DocsPage } from './docs-page.tsx';

startPage(DocsPage);
