/** Writes the objects of a registration, one after the other: each by itself may be the last. */
import { ok, type Result } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import { type Kind, type KubeObject, keyText } from '@lockstep/kube/object'
import { CLI_MANAGER, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import type { OpenedContext } from '../hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../index.ts'
import type { RegistrationObject } from './registration.ts'

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } }

/** `ServiceAccount lockstep-system/x`. */
export const objectText = (kind: Pick<Kind, 'kind'>, { metadata }: Pick<KubeObject, 'metadata'>): string =>
  `${kind.kind} ${keyText({ name: '', ...metadata })}`

/** `applied` is called after each write. A failure names the objects that were applied before it. */
export async function applyObjects(
  c: CommandContext,
  context: OpenedContext,
  objects: readonly RegistrationObject[],
  applied: (text: string) => void,
): Promise<Result<void, CliFailure>> {
  const { client, server } = context
  const call = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal } as const
  const written: string[] = []
  const done = (text: string): void => {
    written.push(text)
    applied(text)
  }
  const made = await client.create(namespaceKind, NAMESPACE, call)
  if (made.ok) done(objectText(namespaceKind, made.value))
  else if (made.error.kind !== 'AlreadyExists')
    return stopped(requestFailure(made.error, server).error, written)
  for (const { kind, object } of objects) {
    const answer = await client.apply(kind, object, { ...call, force: true, precondition: 'any' })
    if (!answer.ok) return stopped(requestFailure(answer.error, server).error, written)
    done(objectText(kind, answer.value))
  }
  return ok(undefined)
}

function stopped(error: CliFailure, written: readonly string[]) {
  const aftermath =
    written.length === 0
      ? 'Nothing was written.'
      : `Applied: ${written.join(', ')}; run it again to continue.`
  return { ok: false, error: { ...error, aftermath } } as const
}
