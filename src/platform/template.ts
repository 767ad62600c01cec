// Texts with named parameters: `the account is locked until {until}`.

/** The names of the parameters of a template. */
export type ParameterOf<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The values of the parameters of a text, by their names. */
export type Params = Readonly<Record<string, string>>;

/** Replaces each parameter by the text that is returned for its name. */
export function fillTemplate(template: string, textOf: (name: string) => string): string {
  return template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => textOf(name));
}
