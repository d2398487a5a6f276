/** Programs beside the controller. */
import type { Processes } from '@lockstep/kube/env'
import type { CheckFinding } from './checkreport.ts'

interface RequiredTool {
  readonly name: string
  /** The first of these that is there does. */
  readonly programs: readonly { readonly program: string; readonly ask: readonly string[] }[]
  readonly for: string
}

const TOOLS: readonly RequiredTool[] = [
  {
    name: 'git',
    programs: [{ program: 'git', ask: ['--version'] }],
    for: 'source.git, pull requests and pushes',
  },
  { name: 'ssh', programs: [{ program: 'ssh', ask: ['-V'] }], for: 'source.git with an ssh:// address' },
  {
    name: 'kustomize or kubectl',
    programs: [
      { program: 'kustomize', ask: ['version'] },
      { program: 'kubectl', ask: ['version', '--client'] },
    ],
    for: 'render.kustomize',
  },
  { name: 'helm', programs: [{ program: 'helm', ask: ['version', '--short'] }], for: 'render.helm' },
]

const LIMITS = { env: { HOME: '/nonexistent' }, timeoutMs: 10_000, maxOutput: 64 * 1024 }

export const checkTools = (processes: Processes): Promise<CheckFinding[]> =>
  Promise.all(TOOLS.map((tool) => check(processes, tool)))

async function check(processes: Processes, tool: RequiredTool): Promise<CheckFinding> {
  for (const { program, ask } of tool.programs) {
    const path = await processes.find(program)
    if (path === undefined) continue
    const ran = await processes.run(program, ask, LIMITS)
    // ssh says its version on standard error.
    const said = ran.ok ? new TextDecoder().decode(ran.value.stdout) || ran.value.stderr : ''
    const version = /v?\d+(\.\d+)+\S*/.exec(said)?.[0].replace(/,$/, '') ?? ''
    const found = `${program === tool.name ? '' : `${program} `}${version}`.trim() || path
    return { name: tool.name, state: 'ok', found, for: tool.for }
  }
  return { name: tool.name, state: 'missing', found: 'not on the PATH', for: tool.for }
}
