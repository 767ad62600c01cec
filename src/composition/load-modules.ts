// Loads the modules of the setting app.modules.
import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Principal } from '../auth/access/principal.ts';
import { SettingError } from '../platform/setting-error.ts';
import type { Settings } from '../platform/config/settings.ts';
import { addMigrations } from '../platform/db/migrate.ts';
import { isTableOf, type ModuleMigration } from '../platform/db/module-migrations.ts';
import { serviceDefinition } from '../platform/rpc/contract/codec.ts';
import { addProtos, ownDescriptors } from '../platform/rpc/contract/descriptors.ts';
import { implement, type Service } from '../platform/rpc/service.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Module } from './module.ts';
import { MODULES } from './modules.ts';

/**
 * Implements a service of the module's protos, such as `invoices.v1.InvoiceService`, with one handler for each RPC. The messages
 * differ from RPC to RPC; a module declares their types at its handlers.
 */
export type ImplementService = (name: string, handlers: Readonly<Record<string, any>>) => Service<Principal>;

/** A module outside this project: the default export of its file. */
export interface ExternalModule extends Pick<Module, 'grants' | 'createDemo' | 'eraseTenant'> {
  /** Lower case letters, digits and underscores. Its migrations, tables and metrics begin with this name. */
  readonly name: string;
  /** The folder of its protos. */
  readonly protos: URL;
  readonly migrations?: readonly ModuleMigration[];
  create(foundation: Foundation, implementService: ImplementService): Part | Promise<Part>;
}

const NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** By absolute path. */
const loaded = new Map<string, Promise<Module>>();

/** The paths of the loaded modules by their names. */
const pathsByName = new Map<string, string>();

/**
 * Loads the modules of the settings, once per process: their protos and migrations join those of this process. Call it before
 * anything is derived from them. Rejects with the path and the problem if a module is invalid.
 */
export async function loadModules(settings: Pick<Settings, 'app.modules'>): Promise<readonly Module[]> {
  const modules: Module[] = [];
  for (const path of settings['app.modules']) {
    const absolute = resolve(path);
    const loading = loaded.get(absolute) ?? load(absolute);
    loaded.set(absolute, loading);
    const module = await loading;
    if (modules.includes(module)) throw new SettingError(`app.modules: ${path} is there twice`);
    modules.push(module);
  }
  return modules;
}

async function load(path: string): Promise<Module> {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw new SettingError('there is no such file');
    provideModuleApi();
    const { default: module } = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    assertModule(module);
    assertName(module.name);
    const packages = addProtos(fileURLToPath(module.protos).replace(/\/$/, ''));
    addMigrations(module.name, module.migrations ?? []);
    pathsByName.set(module.name, path);
    return toModule(module, packages, path);
  } catch (error) {
    throw problemOf(path, error);
  }
}

function assertModule(value: unknown): asserts value is ExternalModule {
  const module = value as Partial<ExternalModule> | null | undefined;
  if (!NAME.test(module?.name ?? '') || !(module?.protos instanceof URL) || typeof module.create !== 'function')
    throw new Error(
      'its default export needs a name such as invoices, protos, the URL of a folder, and the function create',
    );
}

/** Two modules must not have the same name, nor tables with the same beginning. */
function assertName(name: string): void {
  if (MODULES.some((module) => module.name === name))
    throw new Error(`a module of the service has the name ${name}; choose another`);
  for (const [other, otherPath] of pathsByName) {
    if (isTableOf(name, other) || isTableOf(other, name))
      throw new Error(
        `its name ${name} collides with the name ${other} of ${otherPath}: tables begin with it; choose another`,
      );
  }
}

function toModule(module: ExternalModule, packages: ReadonlySet<string>, path: string): Module {
  const servicesOf = () =>
    new Set(
      ownDescriptors()
        .methods.map(({ parent }) => parent)
        .filter(({ file }) => packages.has(file.proto.package)),
    );
  return {
    ...module,
    async create(foundation) {
      const missing = new Set([...servicesOf()].map(({ typeName }) => typeName));
      const implementService: ImplementService = (name, handlers) => {
        const service = [...servicesOf()].find(({ typeName }) => typeName === name);
        if (service === undefined) throw new Error(`its protos have no service ${name}`);
        const definition = serviceDefinition(service);
        const unhandled = Object.keys(definition).filter((rpc) => handlers[rpc] === undefined);
        if (unhandled.length > 0) throw new Error(`${name} has no handler ${unhandled.join(', ')}`);
        const unknown = Object.keys(handlers).filter((rpc) => definition[rpc] === undefined);
        if (unknown.length > 0) throw new Error(`${name} has no RPC for the handler ${unknown.join(', ')}`);
        missing.delete(name);
        return implement(definition, handlers);
      };
      try {
        const part = await module.create(foundation, implementService);
        if (missing.size > 0) throw new Error(`it does not implement ${[...missing].join(', ')}`);
        assertPart(module.name, part);
        return part;
      } catch (error) {
        throw problemOf(path, error);
      }
    },
  };
}

/** Tables and metrics of a module begin with its name, so that they cannot be those of another part. */
function assertPart(name: string, part: Part | undefined): asserts part is Part {
  if (part === undefined) throw new Error('create returned nothing');
  const table = part.cleanupTargets?.find((target) => !isTableOf(name, target.table))?.table;
  if (table !== undefined) throw new Error(`the table ${table} of its cleanup must begin with ${name}_`);
  const metric = part.metrics?.find((one) => !one.name.startsWith(`${name}_`))?.name;
  if (metric !== undefined) throw new Error(`its metric ${metric} must begin with ${name}_`);
}

function problemOf(path: string, cause: unknown): Error {
  const message = `app.modules: ${path}: ${cause instanceof Error ? cause.message : String(cause)}`;
  return cause instanceof SettingError ? new SettingError(message, { cause }) : new Error(message, { cause });
}

let isProvided = false;

/** Lets modules import src/module.ts as `authservice/module`, wherever they are. */
function provideModuleApi(): void {
  if (isProvided) return;
  isProvided = true;
  const url = new URL('../module.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'authservice/module' ? { url, shortCircuit: true } : next(specifier, context),
  });
}
