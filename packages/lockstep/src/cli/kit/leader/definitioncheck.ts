/** Whether the definitions of the hub are those that this version needs, from the start of the process until they are. */
import { type KubeClient, requestErrorText } from '@lockstep/kube/client'
import { type Env, sleep, supervise } from '@lockstep/kube/env'
import { crdKind } from '@lockstep/kube/kinds'
import { definitionName, definitionsProblem, type FoundDefinition } from '../../../api/crd/index.ts'
import { ownKinds } from '../../../api/registry.ts'

/** Milliseconds between two reads while the definitions are too old. */
const RETRY_MS = 10_000

export interface DefinitionCheck {
  /** The problem for readiness; undefined: the definitions are current or newer. */
  problem(): string | undefined
  /** Settles once the definitions suffice. Until then this process must not lead: it would lose fields of its objects. */
  readonly current: Promise<void>
}

/** Reads the definitions until they suffice for `version`. Logs each problem once, and its end. */
export function checkDefinitions(
  env: Env,
  client: Pick<KubeClient, 'get'>,
  version: string,
  signal: AbortSignal,
): DefinitionCheck {
  let problem: string | undefined = 'the definitions were not read yet'
  const current = new Promise<void>((done) => {
    supervise(env, async () => {
      let logged: string | undefined
      while (!signal.aborted) {
        problem = await readProblem(client, version, signal)
        if (problem === undefined) {
          if (logged !== undefined) env.log.info('crds ok')
          return done()
        }
        if (problem !== logged && !signal.aborted) env.log.warn('crds failed', { problem })
        logged = problem
        await sleep(env.clock, RETRY_MS, signal)
      }
    })
  })
  return { problem: () => problem, current }
}

async function readProblem(
  client: Pick<KubeClient, 'get'>,
  version: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = new Map<string, FoundDefinition>()
  for (const kind of ownKinds) {
    const name = definitionName(kind)
    const read = await client.get(crdKind, { name }, { purpose: 'user', signal })
    if (read.ok) found.set(name, read.value)
    else if (read.error.kind !== 'NotFound') return `${name} cannot be read: ${requestErrorText(read.error)}`
  }
  return definitionsProblem((name) => found.get(name), version)
}
