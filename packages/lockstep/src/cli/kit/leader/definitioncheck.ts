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
  let found: DefinitionProblem | undefined = { text: 'the definitions were not read yet' }
  const current = new Promise<void>((done) => {
    supervise(env, async () => {
      let logged: string | undefined
      while (!signal.aborted) {
        found = await readProblem(client, version, signal)
        if (found === undefined) {
          if (logged !== undefined) env.log.info('crds ok', { reason: 'CrdsServed' })
          return done()
        }
        const { text: problem, error } = found
        if (problem !== logged && !signal.aborted)
          env.log.warn('crds failed', { reason: 'CrdsOutdated', err: error ?? problem })
        logged = problem
        await sleep(env.clock, RETRY_MS, signal)
      }
    })
  })
  return { problem: () => found?.text, current }
}

interface DefinitionProblem {
  /** For readiness, which is open to all Pods: without the address of the hub. */
  readonly text: string
  readonly error?: string
}

async function readProblem(
  client: Pick<KubeClient, 'get'>,
  version: string,
  signal: AbortSignal,
): Promise<DefinitionProblem | undefined> {
  const found = new Map<string, FoundDefinition>()
  for (const kind of ownKinds) {
    const name = definitionName(kind)
    const read = await client.get(crdKind, { name }, { purpose: 'user', signal })
    if (read.ok) found.set(name, read.value)
    else if (read.error.kind !== 'NotFound')
      return { text: `${name} cannot be read`, error: requestErrorText(read.error) }
  }
  const text = definitionsProblem((name) => found.get(name), version)
  return text === undefined ? undefined : { text }
}
