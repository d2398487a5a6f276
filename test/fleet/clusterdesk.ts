/** A person with contexts of the hub and of cluster c1, where all rights are asked for, on a simulated fleet. */
import { expect } from 'vitest'
import { kubeconfigOf } from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { type CommandRun, runCommand } from '../answers/command.ts'
import { type AuditEntry, auditedHandler } from '../audit/auditentry.ts'
import { storedKubeconfig } from './registercluster.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

export const CONTEXTS = '/contexts'
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const ROLE = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: web, namespace: default}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`
/** ConfigMap, Deployment and Role `web`. */
export const MANIFESTS = [configManifest('web', '1'), deploymentManifest('web', 'web:1'), ROLE]

export class ClusterDesk {
  readonly story: Story
  /** Requests to c1. */
  readonly audit: AuditEntry[] = []
  readonly said: string[] = []

  private constructor(story: Story) {
    this.story = story
  }

  static async open(name: string): Promise<ClusterDesk> {
    const desk = new ClusterDesk(await Story.begin(name, ['c1']))
    const { env } = desk.story.fleet
    await env.files.writeAtomic(
      CONTEXTS,
      kubeconfigOf(['hub', 'c1', 'other'], (n) => ({ url: `https://${n === 'other' ? 'c1' : n}.test` })),
    )
    desk.serve()
    return desk
  }

  /** `mayWrite` false: the request is answered with 503, as if the process had been killed before it. */
  serve(mayWrite: () => boolean = () => true): void {
    const { env, clusters } = this.story.fleet
    const handle = auditedHandler(clusters.get('c1')!.api.handle, (e) => this.audit.push(e))
    env.net.serve('https://c1.test', async (request) => {
      if (!WRITES.has(request.method) || mayWrite()) return handle(request)
      return { status: 503, headers: {}, body: '' }
    })
  }

  async run(line: string): Promise<CommandRun> {
    const ran = await runCommand(this.story.fleet.env, ...line.split(' '), '--kubeconfig', CONTEXTS)
    this.said.push(ran.out, ran.err)
    return ran
  }

  async deliver(texts: readonly string[] = MANIFESTS): Promise<void> {
    await this.story.config('web', texts.join('---\n'))
    await this.story.module('web', 'web')
  }

  /** Objects of registrations on c1, as `kind namespace/name`, with their rules. */
  objects(): string[] {
    const { local } = this.story.fleet.clusters.get('c1')!.api
    return [
      ...['clusterroles', 'clusterrolebindings'].map((r) => [r, ''] as const),
      ...['roles', 'rolebindings', 'serviceaccounts'].map((r) => [r, 'lockstep-system'] as const),
    ].flatMap(([resource, namespace]) =>
      local
        .list(resource === 'serviceaccounts' ? resource : `${resource}.rbac.authorization.k8s.io`, namespace)
        .filter((o) => /lockstep[:-][0-9a-f]{10}/.test(o.metadata.name ?? ''))
        .map((o) => `${resource} ${o.metadata.name} ${JSON.stringify([o.rules, o.roleRef, o.subjects])}`),
    )
  }

  refused(): string[] {
    return this.audit
      .filter((e) => e.agent === 'lockstep-controller' && (e.code === 403 || e.code === 401))
      .map((e) => `${e.verb} ${e.resource} ${e.name} ${e.code}`)
  }

  /** The token of the Secret is in nothing that a command has printed. */
  expectNoToken(): void {
    const token = /token: (\S+)/.exec(storedKubeconfig(this.story, 'c1'))![1]!
    expect(token.length).toBeGreaterThan(100)
    expect(this.said.join('')).not.toContain(token.slice(-30))
    expect(this.said.join('')).not.toMatch(/eyJ[\w-]{20}/)
  }
}
