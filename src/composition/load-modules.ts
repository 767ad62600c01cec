// Loads the modules of the setting app.modules.
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Principal } from '../auth/principal/principal.ts';
import type { Settings } from '../platform/config/settings.ts';
import { addMigrations, type ModuleMigration } from '../platform/db/migrate.ts';
import { serviceDefinition } from '../platform/rpc/contract/codec.ts';
import { addProtos, ownDescriptors } from '../platform/rpc/contract/descriptors.ts';
import { implement, type Service } from '../platform/rpc/service.ts';
import type { Foundation, Part } from './foundation.ts';
import type { Module } from './module.ts';

/**
 * Implements a service of the module's protos, such as `invoices.v1.InvoiceService`, with one handler for each RPC. The messages
 * differ from RPC to RPC; a module declares their types at its handlers.
 */
export type ImplementService = (name: string, handlers: Readonly<Record<string, any>>) => Service<Principal>;

/** A module outside this project: the default export of its file. */
export interface ExternalModule extends Pick<Module, 'grants' | 'createDemo' | 'eraseTenant'> {
  /** Lower case letters, digits and underscores. Its migrations are recorded under this name. */
  readonly name: string;
  /** The folder of its protos. */
  readonly protos: URL;
  readonly migrations?: readonly ModuleMigration[];
  create(foundation: Foundation, implementService: ImplementService): Part | Promise<Part>;
}

const NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** By absolute path. */
const loaded = new Map<string, Promise<Module>>();

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
    if (modules.some(({ name }) => name === module.name))
      throw new Error(`app.modules: ${path}: another module has the name ${module.name}`);
    modules.push(module);
  }
  return modules;
}

async function load(path: string): Promise<Module> {
  try {
    provideModuleApi();
    const { default: module } = (await import(pathToFileURL(path).href)) as { readonly default?: ExternalModule };
    if (module === undefined || !NAME.test(module.name) || !(module.protos instanceof URL))
      throw new Error('its default export needs a name such as invoices, and protos, the URL of a folder');
    const packages = addProtos(fileURLToPath(module.protos).replace(/\/$/, ''));
    addMigrations(module.name, module.migrations ?? []);
    return toModule(module, packages, path);
  } catch (error) {
    throw problemOf(path, error);
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
        missing.delete(name);
        return implement(definition, handlers);
      };
      try {
        const part = await module.create(foundation, implementService);
        if (missing.size > 0) throw new Error(`it does not implement ${[...missing].join(', ')}`);
        return part;
      } catch (error) {
        throw problemOf(path, error);
      }
    },
  };
}

function problemOf(path: string, cause: unknown): Error {
  return new Error(`app.modules: ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
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
