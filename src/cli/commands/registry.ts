import type { Command } from '../command.ts'

/** All commands, in the order of the help. Each is loaded when it is meant: nobody waits for the others. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo.ts')).demo,
  up: async () => (await import('./up.ts')).up,
  apply: async () => (await import('./apply.ts')).apply,
  delete: async () => (await import('./delete.ts')).remove,
  get: async () => (await import('./get.ts')).get,
  status: async () => (await import('./status.ts')).status,
  why: async () => (await import('./why.ts')).why,
  render: async () => (await import('./render.ts')).render,
  'post-render': async () => (await import('./postrender.ts')).postRender,
  plan: async () => (await import('./plan.ts')).plan,
  diff: async () => (await import('./diff.ts')).diff,
  adopt: async () => (await import('./adopt.ts')).adopt,
  takeover: async () => (await import('./takeover.ts')).takeover,
  handback: async () => (await import('./handback.ts')).handback,
  graph: async () => (await import('./graph.ts')).graph,
  wait: async () => (await import('./wait.ts')).wait,
  reconcile: async () => (await import('./reconcile.ts')).reconcile,
  rollout: async () => (await import('./rollout.ts')).rollout,
  promote: async () => (await import('./promote.ts')).promote,
  hold: async () => (await import('./hold.ts')).hold,
  release: async () => (await import('./hold.ts')).release,
  cluster: async () => (await import('./cluster.ts')).cluster,
  events: async () => (await import('./events.ts')).events,
  explain: async () => (await import('./explain.ts')).explain,
  controller: async () => (await import('./controller.ts')).controller,
  install: async () => (await import('./install.ts')).install,
  uninstall: async () => (await import('./uninstall.ts')).uninstall,
  check: async () => (await import('./check.ts')).check,
  import: async () => (await import('./import.ts')).importCommand,
  completion: async () => (await import('./completion.ts')).completion,
  version: async () => (await import('./version.ts')).version,
}

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(loaders).map((load) => load()))

/** The command of this name alone; all of them if there is none. */
export async function commandsFor(name: string | undefined): Promise<readonly Command[]> {
  const load = name !== undefined && Object.hasOwn(loaders, name) ? loaders[name] : undefined
  return load ? [await load()] : allCommands()
}
