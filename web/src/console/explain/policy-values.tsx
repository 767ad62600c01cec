import { FIELDS, type PolicyField } from '../policy/fields.ts';
import { policyTexts } from '../policy/texts.ts';
import type { Check } from './check.ts';
import { explainTexts } from './texts.ts';

type Params = Check['params'];

/** The values of the tenant's policy among the parameters of a finding, with their source. */
export function PolicyValues({ params }: { readonly params: Params }) {
  const names = Object.keys(params).filter((name) => `${name}Source` in params);
  return <>{names.map((name) => textOf(name, params)).join('; ')}</>;
}

function textOf(name: string, params: Params): string {
  const texts = explainTexts();
  const value = params[name] ?? '';
  const source = params[`${name}Source`] === 'TENANT' ? texts.ofTenant : texts.ofService;
  if (!isField(name)) return `${name} ${value}, ${source}`;
  return `${policyTexts()[name]}: ${FIELDS[name].format(readValue(name, value))}, ${source}`;
}

const isField = (name: string): name is PolicyField => Object.hasOwn(FIELDS, name);

function readValue(name: PolicyField, text: string) {
  const { kind } = FIELDS[name];
  if (text === 'none') return kind === 'lines' ? [] : undefined;
  if (kind === 'lines') return text.split(' ');
  if (kind !== 'choice') return Number(text);
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
