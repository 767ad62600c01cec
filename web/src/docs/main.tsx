// /docs: the OpenAPI document of the service, for people.
import { startPage } from '../ui/start-page.tsx';
import { DocsPage } from './docs-page.tsx';

startPage(DocsPage);
