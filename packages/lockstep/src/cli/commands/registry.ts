import type { Command } from '../kit/command.ts'

/** All commands, in the order of the help. Each is loaded when it is meant: nobody waits for the others. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo/demo.ts')).demoCommand,
  up: async () => (await import('./up/up.ts')).upCommand,
  apply: async () => (await import('./apply/apply.ts')).applyCommand,
  delete: async () => (await import('./delete/delete.ts')).deleteCommand,
  get: async () => (await import('./get/get.ts')).getCommand,
  status: async () => (await import('./status/status.ts')).statusCommand,
  why: async () => (await import('./why/why.ts')).whyCommand,
  render: async () => (await import('./render/render.ts')).renderCommand,
  'post-render': async () => (await import('./postrender/postrender.ts')).postRenderCommand,
  plan: async () => (await import('./plan/plan.ts')).planCommand,
  diff: async () => (await import('./diff/diff.ts')).diffCommand,
  adopt: async () => (await import('./adopt/adopt.ts')).adoptCommand,
  takeover: async () => (await import('./takeover/takeover.ts')).takeoverCommand,
  handback: async () => (await import('./handback/handback.ts')).handbackCommand,
  graph: async () => (await import('./graph/graph.ts')).graphCommand,
  wait: async () => (await import('./wait/wait.ts')).waitCommand,
  reconcile: async () => (await import('./reconcile/reconcile.ts')).reconcileCommand,
  rollout: async () => (await import('./rollout/rollout.ts')).rolloutCommand,
  promote: async () => (await import('./promote/promote.ts')).promoteCommand,
  hold: async () => (await import('./hold/hold.ts')).holdCommand,
  release: async () => (await import('./hold/hold.ts')).releaseCommand,
  cluster: async () => (await import('./cluster/cluster.ts')).clusterCommand,
  events: async () => (await import('./events/events.ts')).eventsCommand,
  explain: async () => (await import('./explain/explain.ts')).explainCommand,
  controller: async () => (await import('./controller/controller.ts')).controllerCommand,
  install: async () => (await import('./install/install.ts')).installCommand,
  uninstall: async () => (await import('./uninstall/uninstall.ts')).uninstallCommand,
  check: async () => (await import('./check/check.ts')).checkCommand,
  import: async () => (await import('./import/import.ts')).importCommand,
  completion: async () => (await import('./completion/completion.ts')).completionCommand,
  version: async () => (await import('./version/version.ts')).versionCommand,
}

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(loaders).map((load) => load()))

/** The command of this name alone; all of them if there is none. */
export async function commandsFor(name: string | undefined): Promise<readonly Command[]> {
  const load = name !== undefined && Object.hasOwn(loaders, name) ? loaders[name] : undefined
  return load ? [await load()] : allCommands()
}
