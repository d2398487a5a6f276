import type { Command } from '../kit/command.ts'

/** All commands, in the order of the help. Each is loaded when it is meant: nobody waits for the others. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo/demo.ts')).demo,
  up: async () => (await import('./up/up.ts')).up,
  apply: async () => (await import('./apply/apply.ts')).apply,
  delete: async () => (await import('./delete/delete.ts')).remove,
  get: async () => (await import('./get/get.ts')).get,
  status: async () => (await import('./status/status.ts')).status,
  why: async () => (await import('./why/why.ts')).why,
  render: async () => (await import('./render/render.ts')).render,
  'post-render': async () => (await import('./postrender/postrender.ts')).postRender,
  plan: async () => (await import('./plan/plan.ts')).plan,
  diff: async () => (await import('./diff/diff.ts')).diff,
  adopt: async () => (await import('./adopt/adopt.ts')).adopt,
  takeover: async () => (await import('./takeover/takeover.ts')).takeover,
  handback: async () => (await import('./handback/handback.ts')).handback,
  graph: async () => (await import('./graph/graph.ts')).graph,
  wait: async () => (await import('./wait/wait.ts')).wait,
  reconcile: async () => (await import('./reconcile/reconcile.ts')).reconcile,
  rollout: async () => (await import('./rollout/rollout.ts')).rollout,
  promote: async () => (await import('./promote/promote.ts')).promote,
  hold: async () => (await import('./hold/hold.ts')).hold,
  release: async () => (await import('./hold/hold.ts')).release,
  cluster: async () => (await import('./cluster/cluster.ts')).cluster,
  events: async () => (await import('./events/events.ts')).events,
  explain: async () => (await import('./explain/explain.ts')).explain,
  controller: async () => (await import('./controller/controller.ts')).controller,
  install: async () => (await import('./install/install.ts')).install,
  uninstall: async () => (await import('./uninstall/uninstall.ts')).uninstall,
  check: async () => (await import('./check/check.ts')).check,
  import: async () => (await import('./import/import.ts')).importCommand,
  completion: async () => (await import('./completion/completion.ts')).completion,
  version: async () => (await import('./version/version.ts')).version,
}

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(loaders).map((load) => load()))

/** The command of this name alone; all of them if there is none. */
export async function commandsFor(name: string | undefined): Promise<readonly Command[]> {
  const load = name !== undefined && Object.hasOwn(loaders, name) ? loaders[name] : undefined
  return load ? [await load()] : allCommands()
}
