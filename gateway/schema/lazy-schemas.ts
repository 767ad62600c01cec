// Compiles each schema on first use. Compiling all schemas at the start would take longer than the rest of the start.
import ajvCompiler from '@fastify/ajv-compiler';
import serializerCompiler from '@fastify/fast-json-stringify-compiler';

const buildValidator = ajvCompiler();
const buildSerializer = serializerCompiler();

type Check = ReturnType<ReturnType<typeof buildValidator>>;

/**
 * Creates lazy versions of Fastify's compilers, for the server option `schemaController.compilersFactory`. Servers that share
 * them need the same options, because they share the compiled checks.
 */
export const lazyCompilers = (checks = new WeakMap<object, Check>()) => ({
  buildValidator: ((...options) => {
    const compile = buildValidator(...options);
    return (route) => {
      let check: Check | undefined;
      const validate = (value: unknown) => {
        check ??= checkOf(checks, (route as unknown as { schema: object }).schema, () => compile(route));
        const valid = check(value);
        validate.errors = check.errors;
        return valid;
      };
      validate.errors = undefined as ReturnType<typeof compile>['errors'];
      return validate;
    };
  }) as typeof buildValidator,
  buildSerializer: ((...options) => {
    const compile = buildSerializer(...options);
    return (route) => {
      let write: ReturnType<typeof compile> | undefined;
      return (value: unknown) => (write ??= compile(route))(value);
    };
  }) as typeof buildSerializer,
});

function checkOf(checks: WeakMap<object, Check>, schema: object, compile: () => Check): Check {
  let check = checks.get(schema);
  if (!check) checks.set(schema, (check = compile()));
  return check;
}
