// Writes the generated code of the Go module, which is committed: npm run generate:sdk. With `--go-module PATH`, the module gets that
// path first.
import { parseArgs } from 'node:util';
import { generateGo, moveGoModule } from './sdk/go.ts';

const { values } = parseArgs({ options: { 'go-module': { type: 'string' } } });
if (values['go-module']) moveGoModule(values['go-module']);
generateGo();
