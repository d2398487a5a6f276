/** The loop with which patterns wait for an object, recognised: any other script does more, and is run. */
import { isArray, isString, type JsonObject, type JsonValue } from '@lockstep/kube/object'

/** What `oc get` is asked for. */
export interface WaitLoopTarget {
  readonly resourceType: string
  readonly resourceName?: string
  readonly resourceNamespace?: string
}

/** A word that no shell changes: a type, a name. */
const WORD = '[A-Za-z0-9][-A-Za-z0-9.:_]*'
const QUOTED = `(?:${WORD}|"${WORD}"|'${WORD}')`
const GET = new RegExp(`^oc get (${QUOTED})(?: (${QUOTED}))?(?: -n (${QUOTED}))? && break$`)
/** Of texts in which a shell would run nothing. */
const ECHO = /^echo (?:"[^"$`\\]*"|'[^']*'|[^"'$`\\;&|<>()#*?~]*)$/

/** Line by line; blanks, quotes and what is told do not count. */
const LINES: readonly RegExp[] = [
  /^while \[ 1 \];?$/,
  /^do$/,
  GET,
  ECHO,
  /^sleep \d+(?:\.\d+)?[smhd]?$/,
  /^done$/,
  ECHO,
  /^exit 0$/,
]

/**
 * What a command waits for and does nothing else: the script of `sequenceJob`, also as the article about it has it
 * (validatedpatterns.io, "Additional Sequencing Capabilities in clusterGroup"). Undefined: it does something else.
 */
export function waitLoopOf(command: JsonValue | undefined): WaitLoopTarget | undefined {
  if (!isArray(command) || command.length !== 3 || !command.every(isString)) return undefined
  const [shell, flag, script] = command as readonly string[]
  if (!['/bin/bash', '/bin/sh'].includes(shell!) || flag !== '-c') return undefined
  const lines = script!
    .split('\n')
    .map((line) => line.trim().replace(/[ \t]+/g, ' '))
    .filter((line) => line !== '')
  if (lines.length !== LINES.length || !lines.every((line, i) => LINES[i]!.test(line))) return undefined
  const [type, name, namespace] = GET.exec(lines[2]!)!.slice(1).map(bare)
  return {
    resourceType: type!,
    ...(name === undefined ? {} : { resourceName: name }),
    ...(namespace === undefined ? {} : { resourceNamespace: namespace }),
  }
}

const bare = (word: string | undefined): string | undefined => word?.replace(/["']/g, '')

/** Members that a Job may have and still do nothing but wait. */
export const WAIT_JOB_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  job: ['apiVersion', 'kind', 'metadata', 'spec'],
  metadata: ['name', 'labels', 'annotations'],
  spec: ['parallelism', 'completions', 'backoffLimit', 'template'],
  template: ['metadata', 'spec'],
  podMetadata: ['name', 'labels', 'annotations'],
  pod: ['restartPolicy', 'containers'],
  container: ['name', 'image', 'command'],
}

const HOOK = 'argocd.argoproj.io/hook'

/** What a Job of a hook waits for, if it does nothing else. */
export function waitLoopOfJob(job: JsonObject): WaitLoopTarget | undefined {
  if (job.kind !== 'Job' || job.apiVersion !== 'batch/v1') return undefined
  const metadata = only(job.metadata, WAIT_JOB_MEMBERS.metadata!)
  const spec = only(job.spec, WAIT_JOB_MEMBERS.spec!)
  const template = only(spec?.template, WAIT_JOB_MEMBERS.template!)
  const pod = only(template?.spec, WAIT_JOB_MEMBERS.pod!)
  const isBare =
    template?.metadata === undefined || only(template.metadata, WAIT_JOB_MEMBERS.podMetadata!) !== undefined
  if (only(job, WAIT_JOB_MEMBERS.job!) === undefined || !metadata || !pod || !isBare) return undefined
  if (!isString(object(metadata.annotations)?.[HOOK])) return undefined
  const { containers } = pod
  if (!isArray(containers) || containers.length !== 1) return undefined
  return waitLoopOf(only(containers[0], WAIT_JOB_MEMBERS.container!)?.command)
}

const object = (v: JsonValue | undefined): JsonObject | undefined =>
  typeof v === 'object' && v !== null && !isArray(v) ? (v as JsonObject) : undefined

/** A map with no other members than these. */
function only(v: JsonValue | undefined, names: readonly string[]): JsonObject | undefined {
  const found = object(v)
  return found && Object.keys(found).every((name) => names.includes(name)) ? found : undefined
}
