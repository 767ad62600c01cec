// Compiles each schema on first use. Compiling all schemas at the start would take longer than the rest of the start.
import ajvCompiler from '@fastify/ajv-compiler';
import serializerCompiler from '@fastify/fast-json-stringify-compiler';

const buildValidator = ajvCompiler();
const buildSerializer = serializerCompiler();

type Check = ReturnType<ReturnType<typeof buildValidator>>;

/** The checks of the process: servers with the same routes share them. */
const checks = new WeakMap<object, Check>();

/** Lazy versions of Fastify's compilers, for the server option `schemaController.compilersFactory`. */
export const LAZY_COMPILERS = {
  buildValidator: ((...options) => {
    const compile = buildValidator(...options);
    return (route) => {
      let check: Check | undefined;
      const validate = (value: unknown) => {
        check ??= checkOf((route as unknown as { schema: object }).schema, () => compile(route));
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
};

function checkOf(schema: object, compile: () => Check): Check {
  let check = checks.get(schema);
  if (!check) checks.set(schema, (check = compile()));
  return check;
}
