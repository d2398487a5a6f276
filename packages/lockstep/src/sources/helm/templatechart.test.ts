import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { argumentsOf, templateChart } from './templatechart.ts'
import type { TemplateOptions } from './templaterequest.ts'

const OPTIONS: TemplateOptions = {
  releaseName: 'web',
  namespace: 'prod',
  kubeVersion: '1.30.0',
  ignoreMissingValuesFiles: false,
  includeCRDs: true,
  tests: false,
  skipSchemaValidation: false,
  allowRandom: false,
}

describe('what Helm is told', () => {
  const told = (over: Partial<TemplateOptions>, values = 0, paths: readonly string[] = []) =>
    argumentsOf(
      {
        tree: { files: paths.map((path) => ({ path, bytes: new Uint8Array() })), warnings: [] },
        options: { ...OPTIONS, ...over },
        values: Array.from({ length: values }, () => ({ origin: '', text: '' })),
      },
      '/h',
    ).join(' ')

  it('is all that its output depends on', () => {
    expect(told({})).toBe(
      'template web /h/chart --namespace=prod --kube-version=1.30.0 --include-crds --skip-tests',
    )
    const more = { apiVersions: ['a/v1', 'b/v1/C'], includeCRDs: false, tests: true, kubeVersion: '1.33' }
    expect(told(more, 2)).toBe(
      'template web /h/chart --namespace=prod --kube-version=1.33 --api-versions=a/v1 --api-versions=b/v1/C --values=/h/values/0.yaml --values=/h/values/1.yaml',
    )
  })
  it('names schemas only where they cannot be left out', () => {
    expect(told({ skipSchemaValidation: true })).not.toContain('schema')
    expect(told({ skipSchemaValidation: true }, 0, ['charts/a-1.tgz'])).toContain(' --skip-schema-validation')
  })
})

it('without Helm, a chart waits for it', async () => {
  const chart = { tree: { files: [], warnings: [] }, directory: '', values: [], options: OPTIONS }
  expect(await templateChart(createSimEnv('helm'), chart)).toMatchObject({
    error: {
      reason: 'ToolMissing',
      message: 'helm is not on PATH of the controller; spec.render.helm needs it: install helm',
    },
  })
})
