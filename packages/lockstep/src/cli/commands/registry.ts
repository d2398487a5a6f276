import type { Command } from '../kit/index.ts'

/** All commands, in the order of the help. Each is loaded when it is meant: nobody waits for the others. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo/index.ts')).demoCommand,
  up: async () => (await import('./up/index.ts')).upCommand,
  apply: async () => (await import('./apply/index.ts')).applyCommand,
  delete: async () => (await import('./delete/index.ts')).deleteCommand,
  get: async () => (await import('./get/index.ts')).getCommand,
  status: async () => (await import('./status/index.ts')).statusCommand,
  why: async () => (await import('./why/index.ts')).whyCommand,
  render: async () => (await import('./render/index.ts')).renderCommand,
  'post-render': async () => (await import('./postrender/index.ts')).postRenderCommand,
  plan: async () => (await import('./plan/index.ts')).planCommand,
  diff: async () => (await import('./diff/index.ts')).diffCommand,
  rights: async () => (await import('./rights/index.ts')).rightsCommand,
  adopt: async () => (await import('./adopt/index.ts')).adoptCommand,
  takeover: async () => (await import('./takeover/index.ts')).takeoverCommand,
  handback: async () => (await import('./handback/index.ts')).handbackCommand,
  graph: async () => (await import('./graph/index.ts')).graphCommand,
  wait: async () => (await import('./wait/index.ts')).waitCommand,
  reconcile: async () => (await import('./reconcile/index.ts')).reconcileCommand,
  rollout: async () => (await import('./rollout/index.ts')).rolloutCommand,
  removal: async () => (await import('./removal/index.ts')).removalCommand,
  promote: async () => (await import('./promote/index.ts')).promoteCommand,
  suspend: async () => (await import('./suspend/index.ts')).suspendCommand,
  resume: async () => (await import('./resume/index.ts')).resumeCommand,
  pin: async () => (await import('./pin/index.ts')).pinCommand,
  unpin: async () => (await import('./pin/index.ts')).unpinCommand,
  cluster: async () => (await import('./cluster/index.ts')).clusterCommand,
  events: async () => (await import('./events/index.ts')).eventsCommand,
  explain: async () => (await import('./explain/index.ts')).explainCommand,
  controller: async () => (await import('./controller/index.ts')).controllerCommand,
  install: async () => (await import('./install/index.ts')).installCommand,
  uninstall: async () => (await import('./uninstall/index.ts')).uninstallCommand,
  check: async () => (await import('./check/index.ts')).checkCommand,
  import: async () => (await import('./import/index.ts')).importCommand,
  completion: async () => (await import('./completion/index.ts')).completionCommand,
  version: async () => (await import('./version/index.ts')).versionCommand,
}

/** Names of all commands. */
export const commandNames: readonly string[] = Object.keys(loaders)

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(loaders).map((load) => load()))

/** The command of this name alone; all of them if there is none. */
export async function commandsFor(name: string | undefined): Promise<readonly Command[]> {
  const load = name !== undefined && Object.hasOwn(loaders, name) ? loaders[name] : undefined
  return load ? [await load()] : allCommands()
}
